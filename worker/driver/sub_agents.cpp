// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/sub_agents.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/core/conversation/make_delta.hpp"
#include "worker/driver/sub_agent_terms.hpp"

namespace ba::driver {
namespace {

/// The ledger's own words are for its operators.
ToolError lost(const char* what) {
  return {.type = ToolErrorType::InternalError, .code = "SUB_AGENT_LOST", .message = what};
}

/// An agent that can't be resumed, or a ledger that refuses: for the model to read.
ToolError refusal_of(const Error& error) {
  ToolError refusal;
  refusal.message = error.message;
  refusal.type = ToolErrorType::ValidationError;
  refusal.code = "AGENT_NOT_RESUMABLE";
  if (error.code == ErrorCode::NotFound) {
    refusal.type = ToolErrorType::NotFound;
    refusal.code = "AGENT_NOT_FOUND";
  } else if (error.code != ErrorCode::Conflict && error.code != ErrorCode::InvalidArgument) {
    return lost("The sub-agent could not be begun");
  }
  return refusal;
}

void tell_use(JobRunner& asking, const SubAgentUse& use) {
  asking.feed(Event(event::SubAgentsUsed{use}));
}

SubAgentEnd end_of(const JobResult& result) {
  return {result.outcome, result.answers.empty() ? "" : result.answers.back().text, result.error};
}

}  // namespace

class SubAgents::Handle final : public ToolRun {
 public:
  Handle(SubAgents& host, int id) : host_(host), watch_(host.lifetime_.watch()), id_(id) {}
  ~Handle() override {
    if (!watch_.over()) host_.forget(id_);
  }

 private:
  SubAgents& host_;
  Lifetime::Watch watch_;
  int id_;
};

SubAgents::SubAgents(const RunnerPorts& ports, IncarnationId self, Hooks hooks)
    : ports_(ports), self_(self), hooks_(std::move(hooks)) {
  if (ports_.sub_agents) ports_.sub_agents->host = this;
}

SubAgents::~SubAgents() {
  if (ports_.sub_agents && ports_.sub_agents->host == this) ports_.sub_agents->host = nullptr;
}

std::shared_ptr<JobRunner> SubAgents::asking(const Run& run) const {
  return hooks_.runner(run.request.asked_by.job);
}

std::unique_ptr<ToolRun> SubAgents::start(SubAgentRequest request,
                                          std::function<void(SubAgentAnswer)> done) {
  const int id = ++last_id_;
  Run& run = runs_[id];
  run.request = std::move(request);
  run.done = std::move(done);
  run.timer = ports_.executor.after(Milliseconds(0), [this, id] { begin(id); });
  return std::make_unique<Handle>(*this, id);
}

void SubAgents::begin(int id) {
  Run& run = runs_.at(id);
  const auto parent = asking(run);
  if (!parent || parent->stopping()) return suspend(id);
  auto order = sub_agent_order(run.request, {*parent->state(), parent->time_left(), ports_.agents,
                                             ports_.clock.wall(), &ports_.registry});
  if (auto* error = std::get_if<ToolError>(&order)) return answer(id, std::move(*error));
  run.order = std::move(std::get<SubAgentOrder>(order));
  tell_use(*parent, {.agents = 1, .spent = {}});
  ports_.ledger.begin_sub_agent(self_, run.order,
                                lifetime_.guarded([this, id](Result<SubAgentStanding> standing) {
                                  if (!over_ && runs_.contains(id)) begun(id, std::move(standing));
                                }));
}

void SubAgents::begun(int id, Result<SubAgentStanding> standing) {
  if (!standing) return refused(id, standing.error());
  if (standing->ended) return answer(id, std::move(*standing->ended));
  const auto parent = asking(runs_.at(id));
  if (!parent || parent->stopping()) return suspend(id);
  const ConversationState& state = *parent->state();
  run_job(id, std::move(*standing->claimed),
          {runs_.at(id).request.permission_max, state.profile.data_sources, told_job_time(state)});
}

void SubAgents::refused(int id, const Error& error) {
  Run& run = runs_.at(id);
  if (error.code == ErrorCode::Fenced) return ports_.executor.post(hooks_.fenced);
  const ToolError refusal = refusal_of(error);
  if (error.retry == Retry::Later || refusal.type == ToolErrorType::InternalError)
    ports_.observer.ledger_failed(error, {.what = "begin a sub-agent"});
  if (error.retry != Retry::Later) return answer(id, refusal);
  run.timer = ports_.executor.after(kLedgerRetry, [this, id] { begin(id); });
}

void SubAgents::run_job(int id, ClaimedJob job, SubAgentBounds bounds) {
  Run& run = runs_.at(id);
  const LedgerJobId asking_job = run.request.asked_by.job;
  const LedgerJobId own = job.id;
  RunHooks hooks;
  hooks.ended = [this, id](LedgerJobId, RunEnd how) { ended(id, how); };
  hooks.lease_holds = hooks_.lease_holds;
  hooks.spent = [this, asking_job](const Spending& spending) { spent(asking_job, spending); };
  hooks.bounds = std::move(bounds);
  run.runner = std::make_shared<JobRunner>(ports_, self_, std::move(job), std::move(hooks));
  if (const auto recorded = lost_calls_.extract(own))
    run.runner->count_lost_calls_from(recorded.mapped());
  const auto runner = run.runner;
  runner->start();
}

/// Of the asking job too, at once: its limits hold for both.
void SubAgents::spent(LedgerJobId job, const Spending& spending) {
  if (const auto parent = hooks_.runner(job)) tell_use(*parent, {0, spending});
}

void SubAgents::ended(int id, RunEnd how) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return;
  // The runner is on the stack: it goes when its shared owners in there let go.
  const auto runner = std::move(found->second.runner);
  if (!found->second.done && how != RunEnd::Fenced) {  // it was halted
    const LedgerJobId job = found->second.request.asked_by.job;
    runs_.erase(found);
    return gone(job);
  }
  switch (how) {
    case RunEnd::Finished:
      return answer(id, end_of(*runner->result()));
    case RunEnd::AtBoundary:
    case RunEnd::Unresolved:
      if (const int lost = runner->lost_calls_recorded(); lost > 0)
        lost_calls_[runner->job()] = lost;
      return suspend(id);
    case RunEnd::Broken:
      return answer(id, lost("The sub-agent's end could not be stored"));
    case RunEnd::Fenced:
      return ports_.executor.post(hooks_.fenced);
  }
}

/// The asking job goes back, with this call open: it runs again with the job.
void SubAgents::suspend(int id) {
  const Run run = std::move(runs_.extract(id).mapped());
  if (const auto parent = asking(run))
    parent->feed(run::CallSuspended{run.request.asked_by.position});
}

void SubAgents::answer(int id, std::variant<SubAgentEnd, ToolError> how) {
  const Run run = std::move(runs_.extract(id).mapped());
  run.done({agent_id_of(run.request), std::move(how)});
}

/// Nobody waits for its answer any more.
void SubAgents::forget(int id) {
  const auto run = runs_.find(id);
  if (run == runs_.end()) return;
  const LedgerJobId job = run->second.request.asked_by.job;
  const int lost = halt(run);
  const auto parent = hooks_.runner(job);
  if (parent && lost > 0) tell_use(*parent, {0, {.usage = {}, .wasted_model_calls = lost}});
}

/// It goes at once, or when what it writes is durable. The value: whether a model call was under
/// way.
int SubAgents::halt(Runs::iterator run) {
  run->second.done = nullptr;
  run->second.timer.reset();
  const auto runner = run->second.runner;
  if (!runner) {
    runs_.erase(run);
    return 0;
  }
  return runner->halt() ? 1 : 0;
}

int SubAgents::halt_all_of(LedgerJobId job) {
  int lost = 0;
  for (auto run = runs_.begin(); run != runs_.end();) {
    const auto next = std::next(run);
    if (run->second.request.asked_by.job == job) lost += halt(run);
    run = next;
  }
  return lost;
}

void SubAgents::gone(LedgerJobId job) {
  const auto parent = hooks_.runner(job);
  if (parent && !any_of(job)) parent->feed(run::SubAgentsGone{});
}

bool SubAgents::any_of(LedgerJobId job) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [job](const auto& entry) { return entry.second.request.asked_by.job == job; });
}

std::vector<std::shared_ptr<JobRunner>> SubAgents::runners() const {
  std::vector<std::shared_ptr<JobRunner>> runners;
  for (const auto& [id, run] : runs_)
    if (run.runner) runners.push_back(run.runner);
  return runners;
}

void SubAgents::drain() {
  for (const auto& runner : runners()) runner->feed(run::Drain{});
}

void SubAgents::abandon() {
  for (const auto& runner : runners()) runner->feed(run::GraceOver{});
}

void SubAgents::pause(LedgerJobId job) {
  std::vector<std::shared_ptr<JobRunner>> paused;
  for (const auto& [id, run] : runs_)
    if (run.runner && run.request.asked_by.job == job) paused.push_back(run.runner);
  for (const auto& runner : paused) runner->feed(run::Pause{});
}

void SubAgents::drop() {
  over_ = true;
  const auto dropped = std::exchange(runs_, {});
  for (const auto& [id, run] : dropped)
    if (run.runner) run.runner->drop();
}

}  // namespace ba::driver
