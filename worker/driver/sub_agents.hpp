#pragma once
// SPDX-License-Identifier: Apache-2.0
// The sub-agents of an engine's jobs: each a runner of its own, over and above the engine's slots,
// whose spending is the asking job's too. Owned by the engine; control thread only. When the asking
// job is to go back its sub-agents end at their next boundary, and their calls are left open.

#include <map>
#include <memory>
#include <unordered_map>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "worker/driver/job_runner.hpp"

namespace ba::driver {

class SubAgents final : public SubAgentHost {
 public:
  struct Hooks {
    std::function<std::shared_ptr<JobRunner>(LedgerJobId)> runner;  ///< of a job here; or null
    std::function<void()> fenced;                                   ///< not from inside a call
    std::function<bool()> lease_holds;
  };

  SubAgents(const RunnerPorts& ports, IncarnationId self, Hooks hooks);
  ~SubAgents() override;
  SubAgents(const SubAgents&) = delete;
  SubAgents& operator=(const SubAgents&) = delete;

  std::unique_ptr<ToolRun> start(SubAgentRequest request,
                                 std::function<void(SubAgentAnswer)> done) override;
  int halt_all_of(LedgerJobId job) override;
  bool any_of(LedgerJobId job) const override;

  /// As those of JobRunner, for all of them or those of one job.
  void drain();
  void abandon();
  void pause(LedgerJobId job);

  /// The incarnation is dead.
  void drop();

 private:
  class Handle;
  struct Run {
    SubAgentRequest request;
    SubAgentOrder order;
    std::function<void(SubAgentAnswer)> done;
    std::shared_ptr<JobRunner> runner;  ///< once its job is claimed
    std::unique_ptr<Timer> timer;       ///< of a refusal, or of the next try to begin
  };
  using Runs = std::map<int, Run>;

  void begin(int id);
  void begun(int id, Result<SubAgentStanding> standing);
  void refused(int id, const Error& error);
  void run_job(int id, ClaimedJob job, SubAgentBounds bounds);
  void ended(int id, RunEnd how);
  void spent(LedgerJobId job, const Spending& spending);
  void suspend(int id);
  void answer(int id, std::variant<SubAgentEnd, ToolError> how);
  void forget(int id);
  int halt(Runs::iterator run);
  void gone(LedgerJobId job);
  std::vector<std::shared_ptr<JobRunner>> runners() const;
  std::shared_ptr<JobRunner> asking(const Run& run) const;

  const RunnerPorts& ports_;
  const IncarnationId self_;
  const Hooks hooks_;
  Runs runs_;
  int last_id_ = 0;
  std::unordered_map<LedgerJobId, int> lost_calls_;  ///< recorded by us, of jobs that went back
  bool over_ = false;
  Lifetime lifetime_;
};

}  // namespace ba::driver
