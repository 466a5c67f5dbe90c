#pragma once
// SPDX-License-Identifier: Apache-2.0
// Deltas that wait for a committer share its next transaction: the more load, the larger the
// groups, the fewer commits per delta. Deltas of one job never meet here, because its runner waits
// for each answer before the next. add() on the control thread; commits on the pool's threads.

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/base/error.hpp"
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

  void add(IncarnationId self, Delta delta, Completion<void> done);

 private:
  struct Waiting {
    IncarnationId self;
    Delta delta;
    Completion<void> done;
  };
  using Group = std::vector<Waiting>;

  /// On a committer's thread: takes what waits and answers it.
  void commit_next(Session& session);
  /// Never empty; calls the next committer when something is left.
  Group take_group();
  Verdicts write(Session& session, const Group& group);
  void answer(Group group, Verdicts verdicts);

  SessionPool& committers_;
  Executor& executor_;
  const GroupLimits limits_;
  GroupCounters& counters_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  bool committer_called_ = false;  ///< a committer is about to take what waits
};

}  // namespace ba::storage
