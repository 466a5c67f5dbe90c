// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/group_commit.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba::storage {
namespace {

/// About what a large group takes on a busy server. Shorter ones make smaller groups, which cost
/// more for each delta.
constexpr Milliseconds kPatience{20};

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

void GroupCommit::add(IncarnationId self, SharedDelta delta, Completion<void> done) {
  bool call = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({self, std::move(delta), std::move(done), now()});
    call = wants_committer() && begin_call();
  }
  if (call) call_committer();
  if (!watch_) watch(kPatience);
}

bool GroupCommit::wants_committer() const {
  return writing_ == 0 || waiting_.size() >= limits_.deltas_max;
}

bool GroupCommit::begin_call() { return !waiting_.empty() && !std::exchange(called_, true); }

void GroupCommit::call_committer() {
  committers_.submit([this](Session& session) { commit_next(session); });
}

/// What waits behind a commit that takes long, or that never ends, is another committer's.
void GroupCommit::watch(Milliseconds delay) {
  watch_ = executor_.after(delay, [this] {
    watch_.reset();
    bool call = false;
    Milliseconds next = kPatience;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      const auto waited = std::chrono::duration_cast<Milliseconds>(now() - waiting_.front().since);
      if (waited < kPatience)
        next = kPatience - waited;
      else
        call = begin_call();
    }
    if (call) call_committer();
    watch(next);
  });
}

void GroupCommit::commit_next(Session& session) {
  Group group = take_group();
  BA_ASSERT(!group.empty());
  Verdicts verdicts = write(session, group);
  group_written();
  answer(std::move(group), std::move(verdicts));
}

/// What doesn't fit is the next committer's at once.
GroupCommit::Group GroupCommit::take_group() {
  Group group;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    while (!waiting_.empty() && group.size() < limits_.deltas_max) {
      Waiting& next = waiting_.front();
      bytes += delta_bytes(*next.delta);
      const bool fits =
          group.empty() || (bytes <= limits_.bytes_max && next.self == group.front().self &&
                            !next.delta->alone && !group.front().delta->alone);
      if (!fits) break;
      group.push_back(std::move(next));
      waiting_.pop_front();
    }
    ++writing_;
    called_ = false;
    more = begin_call();
  }
  if (more) call_committer();
  return group;
}

/// What waits is for the last one that writes: so there is one again, once there were two.
void GroupCommit::group_written() {
  bool call = false;
  {
    const std::lock_guard lock(mutex_);
    --writing_;
    call = wants_committer() && begin_call();
  }
  if (call) call_committer();
}

Verdicts GroupCommit::write(Session& session, const Group& group) {
  const IncarnationId self = group.front().self;
  const auto write_some = [&](const std::vector<const Delta*>& deltas) {
    return commit_deltas(session, self, deltas, counters_.transactions);
  };
  std::vector<const Delta*> all;
  for (const Waiting& waiting : group) all.push_back(waiting.delta.get());
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
/// urgent comes in between. The control thread is woken once for all.
void GroupCommit::answer(Group group, Verdicts verdicts) {
  counters_.deltas += static_cast<std::int64_t>(group.size());
  executor_.post(
      [&executor = executor_, group = std::move(group), verdicts = std::move(verdicts)]() mutable {
        for (std::size_t i = 0; i < group.size(); ++i)
          executor.post([done = std::move(group[i].done), verdict = std::move(verdicts[i])] {
            done(verdict);
          });
      });
}

}  // namespace ba::storage
