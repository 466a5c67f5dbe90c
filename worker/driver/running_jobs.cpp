// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/running_jobs.hpp"

#include <utility>

namespace ba::driver {

void RunningJobs::enter(IncarnationId self) {
  self_ = self;
  SubAgents::Hooks hooks;
  hooks.runner = [this](LedgerJobId job) { return runner_of(job); };
  hooks.fenced = hooks_.fenced;
  hooks.lease_holds = hooks_.lease_holds;
  sub_agents_ = std::make_unique<SubAgents>(ports_, self, std::move(hooks));
}

std::shared_ptr<JobRunner> RunningJobs::runner_of(LedgerJobId job) const {
  const auto found = runners_.find(job);
  return found == runners_.end() ? nullptr : found->second;
}

std::vector<LedgerJobId> RunningJobs::known() {
  ended_meanwhile_.clear();
  std::vector<LedgerJobId> known;
  known.reserve(runners_.size() + broken_.size());
  for (const auto& [id, runner] : runners_) known.push_back(id);
  known.insert(known.end(), broken_.begin(), broken_.end());
  return known;
}

bool RunningJobs::is_new(LedgerJobId job) const {
  return !runners_.contains(job) && !ended_meanwhile_.contains(job) && !broken_.contains(job);
}

void RunningJobs::start(ClaimedJob job) {
  const LedgerJobId id = job.id;
  RunHooks hooks;
  hooks.ended = [this](LedgerJobId one, RunEnd how) { ended(one, how); };
  hooks.lease_holds = hooks_.lease_holds;
  hooks.sub_agents = sub_agents_.get();
  auto runner = std::make_shared<JobRunner>(ports_, self_, std::move(job), std::move(hooks));
  if (const auto recorded = lost_calls_.extract(id))
    runner->count_lost_calls_from(recorded.mapped());
  runners_.emplace(id, runner);
  runner->start();
}

void RunningJobs::ended(LedgerJobId job, RunEnd how) {
  // The runner is on the stack: it goes when its shared owners in there let go.
  const auto taken = runners_.extract(job);
  if (!taken) return;
  const JobRunner& runner = *taken.mapped();
  ended_meanwhile_.insert(job);
  if (how == RunEnd::Broken) broken_.insert(job);
  if (const int lost = runner.lost_calls_recorded(); lost > 0 && how != RunEnd::Finished)
    lost_calls_[job] = lost;
  hooks_.ended(runner, how);
}

void RunningJobs::ask_of(const RequestedJob& requested) {
  const auto runner = runner_of(requested.id);  // it may end meanwhile
  if (!runner) return;
  if (requested.request == JobRequest::Cancel) runner->feed(run::Cancel{});
  if (requested.request == JobRequest::Pause) {
    runner->feed(run::Pause{});
    sub_agents_->pause(requested.id);
  }
}

template <typename Happening>
void RunningJobs::feed_all() {
  std::vector<std::shared_ptr<JobRunner>> runners;
  for (const auto& [id, runner] : runners_) runners.push_back(runner);
  for (const auto& runner : runners) runner->feed(Happening{});
}

void RunningJobs::drain() {
  feed_all<run::Drain>();
  if (sub_agents_) sub_agents_->drain();
}

void RunningJobs::abandon() {
  if (sub_agents_) sub_agents_->abandon();
  feed_all<run::GraceOver>();
}

void RunningJobs::drop() {
  if (sub_agents_) sub_agents_->drop();
  for (auto& [id, runner] : runners_) runner->drop();
}

}  // namespace ba::driver
