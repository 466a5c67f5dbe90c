#pragma once
// SPDX-License-Identifier: Apache-2.0
// The topics of one shard that take nothing at present. Their records wait, and are tried again
// after a while that doubles. A topic counts as closed until a record for it is out, or none is
// pending. A value; pure.

#include <map>
#include <set>
#include <string>

#include "pipeline/base/time.hpp"

namespace ba {

class ClosedTopics {
 public:
  using Topics = std::set<std::string>;
  using Reasons = std::map<std::string, std::string>;  ///< for a person, by topic

  /// Kafka took nothing of a batch because of `closed`; the others of its topics are not known to
  /// be closed any more.
  void close(const Topics& batch, const Reasons& closed);

  /// From now on all are asked for; each that is found closed is left out again.
  void try_again();

  /// A batch with records for these topics is out.
  void sent(const Topics& batch);

  /// The ledger has nothing pending for any topic.
  void none_pending() { *this = {}; }

  /// Which the next batch is asked for without.
  const Topics& left_out() const { return left_out_; }

  /// How long they wait now, between `min` and `max`, doubled each time.
  Milliseconds wait(Milliseconds min, Milliseconds max) const;

  bool any() const { return !reasons_.empty(); }
  const Reasons& reasons() const { return reasons_; }

 private:
  void forget(const Topics& topics);

  Reasons reasons_;
  Topics left_out_;
  bool trying_ = true;  ///< none was found closed since all were asked for
  int times_ = 0;       ///< in a row that some were
};

}  // namespace ba
