#pragma once
// SPDX-License-Identifier: Apache-2.0
// The topics of one shard that take nothing at present. Their records wait, and are tried again
// after a while that doubles. A topic counts as closed until a record for it is out, or none is
// pending. A value; pure.

#include <set>
#include <string>

#include "pipeline/base/time.hpp"

namespace ba {

class ClosedTopics {
 public:
  using Topics = std::set<std::string>;

  /// Kafka took nothing for `closed`, for the reason `why`; the others of the batch's topics are
  /// not known to be closed any more.
  void close(const Topics& batch, const Topics& closed, std::string why);

  /// From now on these are asked for like all others.
  void try_again() { trying_ = true; }

  /// A batch with records for these topics is out.
  void sent(const Topics& batch);

  /// The ledger has nothing pending for any topic.
  void none_pending() { reset(); }

  /// Which the next batch is asked for without.
  Topics left_out() const { return trying_ ? Topics{} : topics_; }

  /// How long they wait now, between `min` and `max`, doubled each time.
  Milliseconds wait(Milliseconds min, Milliseconds max) const;

  bool any() const { return !topics_.empty(); }
  const std::string& why() const { return why_; }  ///< for a person; empty: there are none

 private:
  void reset() { *this = {}; }

  Topics topics_;
  bool trying_ = false;
  int times_ = 0;  ///< in a row that some of them were found closed
  std::string why_;
};

}  // namespace ba
