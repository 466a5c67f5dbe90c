// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/plan.hpp"

#include <array>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "tests/simulation/skills.hpp"

namespace ba::sim {
namespace {

constexpr std::array<const char*, 6> kToolNames{"look", "pay", "mail", "ticket", "look", "nothing"};
constexpr std::array kBadReplies{ReplyKind::CutAnswer,    ReplyKind::CutCalls,
                                 ReplyKind::DuplicateIds, ReplyKind::Empty,
                                 ReplyKind::Refusal,      ReplyKind::ContextExceeded};

std::vector<std::string> draw_tools(Dice& dice, const Scenario& scenario) {
  std::vector<std::string> tools;
  for (std::int64_t i = dice.between(1, 3); i > 0; --i)
    tools.emplace_back(kToolNames.at(static_cast<std::size_t>(dice.below(kToolNames.size()))));
  for (std::string& tool : tools)
    if (dice.hit(scenario.strength(Fault::SubAgents))) tool = kTaskTool;
  for (std::string& tool : tools)
    if (dice.hit(scenario.strength(Fault::SharedResults))) tool = kReadTool;
  for (std::string& tool : tools)
    if (dice.hit(scenario.strength(Fault::Artifacts)))
      tool = dice.hit(500) ? kStoreTool : kFetchTool;
  for (std::string& tool : tools)
    if (dice.hit(scenario.strength(Fault::ServedTools)))
      tool = dice.hit(700) ? kSendTool : kAskTool;
  for (std::string& tool : tools)
    if (dice.hit(scenario.strength(Fault::Skills))) tool = draw_skill_call(dice);
  return tools;
}

ScriptedStep draw_step(Dice& dice, const Scenario& scenario, bool last) {
  ScriptedStep step;
  step.kind = last ? ReplyKind::Answer : ReplyKind::Calls;
  if (dice.hit(scenario.strength(Fault::BadReply)))
    step.kind = kBadReplies.at(static_cast<std::size_t>(dice.below(kBadReplies.size())));
  if (dice.hit(scenario.strength(Fault::Unstorable))) step.kind = ReplyKind::Unstorable;
  if (step.kind == ReplyKind::Calls || step.kind == ReplyKind::CutCalls ||
      step.kind == ReplyKind::DuplicateIds)
    step.tools = draw_tools(dice, scenario);
  if (step.kind == ReplyKind::DuplicateIds) step.tools = {"look", "look"};
  step.long_winded = dice.hit(scenario.strength(Fault::RecordRefused));
  return step;
}

/// That the job activates itself.
std::vector<std::string> draw_own_skills(Dice& dice, const Scenario& scenario) {
  if (!dice.hit(scenario.strength(Fault::Skills) / 2)) return {};
  if (dice.hit(300)) return {kPlainSkill, kDutySkill};
  return {kDutySkill};
}

PlannedJob draw_job(Dice& dice, const Scenario& scenario, int number) {
  PlannedJob planned;
  Job& job = planned.job;
  job.tenant = TenantId(kTenants[number % 2]);
  job.job_id = JobId("j" + std::to_string(number / 2));
  const bool talk = dice.hit(400);
  job.conversation_id = ConversationId(talk ? "talk" : "job:" + job.job_id.value);
  job.lane = static_cast<Lane>(dice.below(3));
  job.created_at = WallTime(Microseconds(1'700'000'000'000'000));
  if (dice.hit(40)) job.agent = "nobody";
  if (dice.hit(60)) job.limits.steps_per_round_max = 1;
  if (dice.hit(60)) job.limits.deadline = Milliseconds(dice.between(100, 3000));
  job.skills = draw_own_skills(dice, scenario);
  planned.poison = dice.hit(scenario.strength(Fault::Poison));
  const std::int64_t steps_max =
      scenario.on(Fault::Artifacts) || scenario.on(Fault::Skills) ? 5 : 3;
  for (std::int64_t round = 0, rounds = dice.between(1, 2); round < rounds; ++round) {
    job.messages.push_back(message_text(job, static_cast<int>(round)));
    auto& steps = planned.rounds.emplace_back();
    for (std::int64_t left = dice.below(steps_max); left >= 0; --left)
      steps.push_back(draw_step(dice, scenario, left == 0));
  }
  return planned;
}

PlannedRecord draw_record(Dice& dice, const Scenario& scenario) {
  PlannedRecord planned;
  planned.lane = static_cast<std::size_t>(dice.below(3));
  planned.partition = static_cast<int>(dice.below(scenario.partitions));
  planned.at = Microseconds(dice.below(scenario.disturbed_ms * 500));
  // Some come when others are removed already.
  if (scenario.kept_ms > 0 && dice.hit(400))
    planned.at += Microseconds(dice.below(scenario.kept_ms * 3000));
  return planned;
}

/// What only our own records say.
Headers draw_claim(Dice& dice) {
  constexpr std::array kTypes{kResultEventType, kMetricsEventType, kDeadLetterEventType};
  const auto which = static_cast<std::size_t>(dice.below(kTypes.size() + 2));
  if (which < kTypes.size()) return {{"ce_type", kTypes.at(which)}};
  if (which == kTypes.size()) return {{"ba.error.refused", "by nobody"}};
  return {{"ba.error.topic", std::string(2 * kRecordBytesMax, 't')}};
}

/// No job but a job's result, which is no business of whoever sends jobs.
RawRecord draw_forged(Dice& dice, const Job& claimed) {
  JobResult result;
  result.result_id = result_id(claimed.tenant, claimed.job_id, kResultKind);
  result.tenant = claimed.tenant;
  result.job_id = claimed.job_id;
  result.conversation_id = claimed.conversation_id;
  result.answers = {{0, std::string(2 * kRecordBytesMax, 'f')}};
  RawRecord record;
  record.key = "none";
  record.value = encode_result(result, Encoding::Json);
  record.headers = draw_claim(dice);
  return record;
}

}  // namespace

std::string message_text(const Job& job, int round) {
  return job.tenant.value + "/" + job.job_id.value + "#" + std::to_string(round);
}

Plan draw_plan(Dice& dice, const Scenario& scenario) {
  Plan plan;
  for (int number = 0; number < scenario.jobs; ++number) {
    plan.jobs.push_back(draw_job(dice, scenario, number));
    const std::string bytes = encode_job(plan.jobs.back().job);
    const int times = dice.hit(scenario.strength(Fault::Repeat)) ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      PlannedRecord record = draw_record(dice, scenario);
      record.record.key = std::to_string(number);
      record.record.value = bytes;
      plan.records.push_back(std::move(record));
    }
    if (dice.hit(scenario.strength(Fault::ForgedRecord))) {
      PlannedRecord forged = draw_record(dice, scenario);
      forged.record = draw_forged(dice, plan.jobs.back().job);
      plan.records.push_back(std::move(forged));
    }
    if (!dice.hit(scenario.strength(Fault::BadRecord))) continue;
    PlannedRecord bad = draw_record(dice, scenario);
    bad.record.key = "none";
    bad.record.value = "{\"tenant\":" + std::to_string(number);
    plan.records.push_back(std::move(bad));
  }
  return plan;
}

}  // namespace ba::sim
