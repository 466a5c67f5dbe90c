// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/group_commit.hpp"

#include "pipeline/base/assert.hpp"

namespace ba::storage {

void GroupCommit::add(IncarnationId self, Delta delta, Completion<void> done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({self, std::move(delta), std::move(done)});
    if (committer_called_) return;
    committer_called_ = true;
  }
  committers_.submit([this](Session& session) { commit_next(session); });
}

GroupCommit::Group GroupCommit::take_group() {
  Group group;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    while (!waiting_.empty() && group.size() < limits_.deltas_max) {
      Waiting& next = waiting_.front();
      bytes += delta_bytes(next.delta);
      const bool fits =
          group.empty() || (bytes <= limits_.bytes_max && next.self == group.front().self &&
                            !next.delta.alone && !group.front().delta.alone);
      if (!fits) break;
      group.push_back(std::move(next));
      waiting_.pop_front();
    }
    more = committer_called_ = !waiting_.empty();
  }
  if (more) committers_.submit([this](Session& session) { commit_next(session); });
  return group;
}

void GroupCommit::commit_next(Session& session) {
  Group group = take_group();
  BA_ASSERT(!group.empty());
  Verdicts verdicts = write(session, group);
  answer(std::move(group), std::move(verdicts));
}

Verdicts GroupCommit::write(Session& session, const Group& group) {
  const IncarnationId self = group.front().self;
  const auto write_some = [&](const std::vector<const Delta*>& deltas) {
    ++counters_.transactions;
    return session.run([&](Transaction& tx) { return write_deltas(tx, self, deltas); });
  };
  std::vector<const Delta*> all;
  for (const Waiting& waiting : group) all.push_back(&waiting.delta);
  auto verdicts = write_some(all);
  if (verdicts) return *std::move(verdicts);
  if (!refuses_data(verdicts.error()) || group.size() == 1)
    return Verdicts(group.size(), Result<void>(verdicts.error()));
  // The data of one was refused, and PostgreSQL doesn't say whose.
  Verdicts single;
  for (const Delta* delta : all) {
    auto verdict = write_some({delta});
    single.push_back(verdict ? verdict->front() : Result<void>(verdict.error()));
  }
  return single;
}

/// Each is a task of its own: an answer may begin many tool runs or a long request, and what is
/// urgent comes in between.
void GroupCommit::answer(Group group, Verdicts verdicts) {
  counters_.deltas += static_cast<std::int64_t>(group.size());
  for (std::size_t i = 0; i < group.size(); ++i)
    executor_.post(
        [done = std::move(group[i].done), verdict = std::move(verdicts[i])] { done(verdict); });
}

}  // namespace ba::storage
