#pragma once
// SPDX-License-Identifier: Apache-2.0
// Deltas that wait for a committer share its next transaction: the more load, the larger the
// groups, the fewer commits per delta. One committer writes all that came while it wrote the last
// group; a second one begins only where that one doesn't keep up: when a group is full, or a delta
// waits for long. Deltas of one job never meet here, because its runner waits for each answer
// before the next. add() on the control thread; commits on the pool's threads.

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/ledger/delta_group.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

struct GroupLimits {
  std::size_t deltas_max = 512;
  std::size_t bytes_max = 8U << 20U;
};

struct GroupCounters {
  std::atomic<std::int64_t> deltas{0};
  std::atomic<std::int64_t> transactions{0};
};

class GroupCommit {
 public:
  GroupCommit(SessionPool& committers, Executor& executor, GroupLimits limits,
              GroupCounters& counters)
      : committers_(committers), executor_(executor), limits_(limits), counters_(counters) {}

  void add(IncarnationId self, SharedDelta delta, Completion<void> done);

 private:
  struct Waiting {
    IncarnationId self;
    SharedDelta delta;
    Completion<void> done;
    SteadyTime since;
  };
  using Group = std::vector<Waiting>;

  /// On a committer's thread: takes what waits and answers it.
  void commit_next(Session& session);
  Group take_group();
  void group_written();
  Verdicts write(Session& session, const Group& group);
  void answer(Group group, Verdicts verdicts);

  /// Under the lock. Whether what waits is for a committer now: none writes, or a group is full.
  bool wants_committer() const;
  /// Under the lock. Whether call_committer() is to follow, after it.
  bool begin_call();
  void call_committer();
  void watch(Milliseconds delay);

  SessionPool& committers_;
  Executor& executor_;
  const GroupLimits limits_;
  GroupCounters& counters_;
  std::unique_ptr<Timer> watch_;  ///< while deltas may wait; control thread
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  bool called_ = false;  ///< a committer is about to take what waits
  int writing_ = 0;      ///< groups that are being written
};

}  // namespace ba::storage
