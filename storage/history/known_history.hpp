#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a process has been told under its incarnations, to notice that the database went back in
// time: a failover to a replica that lagged, a restore.
//
// Each transaction under an incarnation raises one of the incarnation's marks in the database,
// those that only read what is relied on afterwards as well, and nothing is relied on before its
// commit was acknowledged. Replicas and backups hold a prefix of a database's history. So if all
// marks that were acknowledged are there, everything the process knows is there. If one of them
// isn't, nothing may be built on what it knows: the incarnation is void, for ever.
//
// Each session has a mark of its own (its slot), so that transactions of one incarnation don't wait
// for each other. Owned by the storage; any thread.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"

namespace ba::storage {

/// The newest mark of each slot.
using HistoryMarks = std::map<int, std::int64_t>;

class KnownHistory {
 public:
  /// The database has answered that there is this incarnation.
  void entered(IncarnationId self);

  /// The commit that raised a mark was acknowledged. Comes before anybody is told of that commit.
  void acknowledged(IncarnationId self, int slot, std::int64_t mark);

  /// What must be found by a look at the database that begins after this call. Fenced when `self`
  /// is void.
  Result<HistoryMarks> expected(IncarnationId self) const;

  /// Fenced, and `self` is void from now on, unless `found` has all that was expected.
  Result<void> compare(IncarnationId self, const HistoryMarks& expected, const HistoryMarks& found);

  /// The database has no such incarnation. If it once had, that is void from now on, and the error
  /// says so.
  Error unknown(IncarnationId self);

 private:
  struct Known {
    HistoryMarks marks;
    std::string why_void;  ///< empty: it is not
  };

  Error make_void(IncarnationId self, const std::string& why);

  mutable std::mutex mutex_;
  std::map<IncarnationId, Known> incarnations_;  ///< one for each life of this process
};

/// ErrorCode::Fenced with this message.
Error fenced_because(std::string message);

}  // namespace ba::storage
