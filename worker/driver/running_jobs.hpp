#pragma once
// SPDX-License-Identifier: Apache-2.0
// The jobs that an incarnation runs, with their sub-agents, and what is known here of those that it
// has run. A part of the Engine; control thread only.

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "worker/driver/job_runner.hpp"
#include "worker/driver/sub_agents.hpp"

namespace ba::driver {

class RunningJobs final {
 public:
  struct Hooks {
    std::function<void(const JobRunner&, RunEnd)> ended;
    std::function<void()> fenced;  ///< not from inside a call
    std::function<bool()> lease_holds;
  };

  RunningJobs(const RunnerPorts& ports, Hooks hooks) : ports_(ports), hooks_(std::move(hooks)) {}

  /// Once, before any job.
  void enter(IncarnationId self);

  int size() const { return static_cast<int>(runners_.size()); }

  /// A claim is sent: jobs that the ledger needn't answer with.
  std::vector<LedgerJobId> known();
  /// Of a job in the answer: it doesn't run, has not ended since, and can be run.
  bool is_new(LedgerJobId job) const;
  void start(ClaimedJob job);
  /// A job that has just ended, or that another life owns by now, is asked nothing.
  void ask_of(const RequestedJob& requested);

  /// As those of JobRunner, for all of them and their sub-agents.
  void drain();
  void abandon();
  void drop();

 private:
  std::shared_ptr<JobRunner> runner_of(LedgerJobId job) const;
  template <typename Happening>
  void feed_all();
  void ended(LedgerJobId job, RunEnd how);

  const RunnerPorts& ports_;
  const Hooks hooks_;
  IncarnationId self_;
  std::unordered_map<LedgerJobId, std::shared_ptr<JobRunner>> runners_;
  std::unique_ptr<SubAgents> sub_agents_;            ///< of these
  std::unordered_set<LedgerJobId> ended_meanwhile_;  ///< since the claim in flight was sent
  std::unordered_map<LedgerJobId, int> lost_calls_;  ///< recorded by us, of jobs handed back
  std::unordered_set<LedgerJobId> broken_;           ///< ours, but cannot be run
};

}  // namespace ba::driver
