// SPDX-License-Identifier: Apache-2.0
// Sub-agents of the in-memory ledger.
#include <algorithm>

#include "pipeline/core/tool/observation.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba {

Result<SubAgentStanding> FakeLedger::begin_now(IncarnationId self, const SubAgentOrder& order) {
  const auto asking = jobs_.find(order.asked_by.job);
  if (asking == jobs_.end() || asking->second.state != JobState::Running ||
      asking->second.incarnation != self)
    return asking_job_gone(order);
  const auto known = job_ids_.find({order.job.tenant, order.job.job_id});
  if (known == job_ids_.end()) {
    if (order.resumes)
      if (auto may = may_resume(earlier_sub_agent(order), order); !may) return may.error();
    accept(IntakeJob{order.job, order.payload, asking->second.intake.source});
  }
  FakeJob& job = jobs_.at(job_ids_.at({order.job.tenant, order.job.job_id}));
  if (known == job_ids_.end()) job.asked_by = order.asked_by;
  if (job.asked_by != order.asked_by) return sub_agent_id_taken(order);
  SubAgentStanding standing;
  if (job.state == JobState::Finished) {
    const JobResult& result = job.finished->result;
    standing.ended = {result.outcome, result.answers.empty() ? "" : result.answers.back().text,
                      result.error};
    return standing;
  }
  if (job.state != JobState::Running) start(job, self);
  standing.claimed = {job.id,
                      job.conversation,
                      job.attempt,
                      job.after_crash && !flaws_.crash_not_told,
                      job.intake.payload,
                      *job.first_claimed_at,
                      job.idle,
                      job.asked_by,
                      std::nullopt};
  return standing;
}

/// The newest in the conversation that the order names.
std::optional<EarlierSubAgent> FakeLedger::earlier_sub_agent(const SubAgentOrder& order) const {
  const LedgerConversationId asking = jobs_.at(order.asked_by.job).conversation;
  const auto newest = std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const auto& entry) {
    const Job& job = entry.second.intake.job;
    if (job.tenant != order.job.tenant || job.conversation_id != order.job.conversation_id)
      return false;
    const auto asked_by = entry.second.asked_by;
    return asked_by && jobs_.contains(asked_by->job) &&
           jobs_.at(asked_by->job).conversation == asking;
  });
  if (newest == jobs_.rend()) return std::nullopt;
  const FakeJob& job = newest->second;
  EarlierSubAgent earlier{job.state, Outcome::Completed, job.intake.job.agent};
  if (job.finished) earlier.outcome = job.finished->result.outcome;
  return earlier;
}

SubAgentUse FakeLedger::use_of_sub_agents(LedgerJobId asking) const {
  SubAgentUse use;
  for (const auto& [id, job] : jobs_) {
    if (!job.asked_by || job.asked_by->job != asking) continue;
    ++use.agents;
    for (const auto& [where, step] : job.steps) {
      use.spent.usage += step.message.usage;
      use.spent.cost_micro_usd += step.cost_micro_usd.value_or(0);
      use.spent.cost_known = use.spent.cost_known && step.cost_micro_usd.has_value();
      use.spent.savings += savings_of(step);
    }
    for (const auto& [incarnation, calls] : job.wasted_model_calls)
      use.spent.wasted_model_calls += calls;
  }
  return use;
}

/// Running ones go back with the job that asked for them.
void FakeLedger::hold_sub_agents(LedgerJobId asking) {
  if (flaws_.sub_agents_stay) return;
  for (auto& [id, job] : jobs_)
    if (job.asked_by && job.asked_by->job == asking && job.state == JobState::Running)
      give_back(job, false);
}

void FakeLedger::end_calls(FakeJob& job) {
  const Job& wanted = job.intake.job;
  const MessageOwner owner{wanted.job_id, wanted.conversation_id, wanted.user_id};
  for (auto& [position, call] : job.calls) {
    if (call.state != ToolCallState::Intended && call.state != ToolCallState::Running) continue;
    const bool may_have_run =
        call.state == ToolCallState::Running && call.effect != EffectClass::Pure;
    const ToolResult result =
        may_have_run ? unknown_result(call.tool_call_id) : not_completed_result(call.tool_call_id);
    call.state = result.state;
    job.messages.try_emplace(
        position,
        observation_message(message_meta(owner, position, clock_.wall()), call.tool_name, result));
  }
}

void FakeLedger::end_sub_agents(LedgerJobId asking) {
  for (auto& [id, job] : jobs_) {
    if (!job.asked_by || job.asked_by->job != asking || job.state == JobState::Finished) continue;
    stand(job, {JobState::Finished, JobRequest::None});
    job.incarnation = jobs_.at(asking).incarnation;
    job.finished_at = clock_.now();
    job.finished.emplace();
    job.finished->result.outcome = Outcome::Cancelled;
    job.finished->result.error = asking_job_ended();
    for (auto& [number, round] : job.rounds)
      if (round.status == RoundStatus::InProgress) round.status = RoundStatus::Error;
    end_calls(job);
  }
}

}  // namespace ba
