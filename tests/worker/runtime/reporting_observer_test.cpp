// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/reporting_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/virtual_executor.hpp"

namespace ba::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// The fields of the last line, as "name=value".
class LastLine final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view, Fields line) override {
    errors += level == LogLevel::Error;
    warnings += level == LogLevel::Warning;
    fields.clear();
    for (const LogField& field : line)
      fields.push_back(std::string(field.name) + "=" + text(field));
  }
  std::vector<std::string> fields;
  int errors = 0;
  int warnings = 0;

 private:
  static std::string text(const LogField& field) {
    if (const auto* words = std::get_if<std::string_view>(&field.value)) return std::string(*words);
    if (const auto* number = std::get_if<std::int64_t>(&field.value))
      return std::to_string(*number);
    return "?";
  }
};

class ReportingObserverTest : public ::testing::Test {
 protected:
  ReportingObserverTest() {
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j");
    state_.round.number = 2;
    state_.round.step = 3;
    llm::ModelConfig model;
    model.name = state_.profile.model = "smart";
    model.provider = "house";
    models_.models = {model};
  }

  std::string metrics() { return metrics_.exposition(); }

  VirtualExecutor time_;
  observe::Metrics metrics_{"v", "c"};
  LastLine log_;
  llm::LlmConfig models_;
  ReportingObserver observer_{metrics_, log_, time_, models_};
  ConversationState state_;
};

TEST_F(ReportingObserverTest, NamesTheJobWhoseModelAndToolItSpeaksOf) {
  observer_.model_asked(state_);
  EXPECT_THAT(log_.fields, IsSupersetOf({"tenant=acme", "job=j", "round=2", "step=4"}));
  observer_.tool_finished(state_, CallState{}, ToolResult{});
  EXPECT_THAT(log_.fields, IsSupersetOf({"tenant=acme", "job=j", "round=2", "step=3"}));
}

TEST_F(ReportingObserverTest, CountsCallsUnderTheConfiguredNamesWhateverTheProviderSays) {
  ModelReply reply;
  reply.provider = "p";
  reply.model = "smart-2026-10-01";
  observer_.model_answered(state_, reply);
  ModelFailure failure;
  failure.error.code = ErrorCode::Timeout;
  observer_.model_failed(state_, failure);
  for (const char* outcome : {"ok", "timeout"})
    EXPECT_THAT(metrics(),
                HasSubstr(std::string("ba_model_calls_total{model=\"smart\",outcome=\"") + outcome +
                          "\",provider=\"house\"} 1\n"));
}

TEST_F(ReportingObserverTest, CountsWhatInputWasEstimatedAtOnceItIsDurable) {
  Delta delta;
  delta.steps.resize(2);
  delta.steps[0].estimated_input_tokens = 120;
  observer_.committed(state_, delta);
  EXPECT_THAT(metrics(), HasSubstr("ba_model_estimated_input_tokens_total{model=\"smart\","
                                   "provider=\"house\"} 120\n"));
}

TEST_F(ReportingObserverTest, CountsCallsOfInventedToolsUnderOneName) {
  ToolSpec look;
  look.name = "look";
  state_.profile.tools = {look};
  CallState call;
  for (const char* name : {"look", "invented", "other"}) {
    call.call.name = name;
    observer_.tool_finished(state_, call, ToolResult{});
  }
  EXPECT_THAT(metrics(), HasSubstr("tool=\"look\"} 1\n"));
  EXPECT_THAT(metrics(), HasSubstr("tool=\"unknown\"} 2\n"));
  EXPECT_THAT(metrics(), Not(HasSubstr("invented")));
}

TEST_F(ReportingObserverTest, CountsActivationsOfSkillsOnceTheyAreDurable) {
  Delta delta;
  delta.skills_used.push_back({{2, 3, 1}, "skill-1", "charts", "h", "", 1});
  delta.skills_used.push_back({{2, 3, 2}, "", "maps", "h", "", 0});  // it was only read
  observer_.committed(state_, delta);
  observer_.committed(state_, delta);
  EXPECT_THAT(metrics(), HasSubstr("ba_skill_activations_total{skill=\"charts\"} 2\n"));
  EXPECT_THAT(metrics(), Not(HasSubstr("maps")));
}

/// The sums of the asking job have what its sub-agents saved.
TEST_F(ReportingObserverTest, CountsWhatAJobSavedOnce) {
  JobResult result;
  result.totals.savings.cache = {40, 7};
  observer_.job_finished(state_, result);
  state_.claim.asked_by.emplace();
  observer_.job_finished(state_, result);
  EXPECT_THAT(metrics(), HasSubstr("ba_saved_tokens_total{by=\"cache\",sign=\"gain\"} 40\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_saved_micro_usd_total{by=\"cache\",sign=\"gain\"} 7\n"));
}

TEST_F(ReportingObserverTest, CountsAConversationWithTheJobThatOpensItOnceThatCameToARound) {
  const auto finish = [this](bool opens, bool started, int rounds) {
    state_.history.tally.opens_conversation = opens;
    state_.round.started = started;
    JobResult result;
    result.totals.rounds = rounds;
    observer_.job_finished(state_, result);
  };
  finish(true, false, 0);
  EXPECT_THAT(metrics(), HasSubstr("ba_conversations_total 0\n")) << "it came to no round";
  finish(false, true, 0);
  finish(false, false, 3);
  EXPECT_THAT(metrics(), HasSubstr("ba_conversations_total 0\n")) << "an earlier job opened it";
  finish(true, true, 0);
  EXPECT_THAT(metrics(), HasSubstr("ba_conversations_total 1\n"));
  finish(true, false, 1);
  EXPECT_THAT(metrics(), HasSubstr("ba_conversations_total 2\n"));
  state_.claim.asked_by = AskingCall{LedgerJobId(1), {0, 1, 1}};
  finish(true, true, 1);
  EXPECT_THAT(metrics(), HasSubstr("ba_conversations_total 2\n")) << "a sub-agent's is none";
}

TEST_F(ReportingObserverTest, CountsRoundsAndStepsOnceTheyAreDurable) {
  Delta delta;
  delta.steps.resize(3);
  delta.rounds_closed.resize(2);
  delta.rounds_closed[0].latency = Milliseconds(1'500);
  delta.rounds_closed[1].status = RoundStatus::Error;
  observer_.committed(state_, delta);
  EXPECT_THAT(metrics(), HasSubstr("ba_rounds_total 2\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_round_duration_seconds_count 2\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_round_duration_seconds_sum 1.5\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_steps_total 3\n"));
}

TEST_F(ReportingObserverTest, CountsEachRetryAndCacheHitOfACallByItsTool) {
  ToolSpec look;
  look.name = "look";
  state_.profile.tools = {look};
  CallState call;
  call.call.name = "look";
  observer_.tool_finished(state_, call, ToolResult{});
  EXPECT_THAT(metrics(), Not(HasSubstr("ba_tool_retries_total{")));
  EXPECT_THAT(metrics(), Not(HasSubstr("ba_tool_cache_hits_total{")));
  ToolResult result;
  result.retry_count = 2;
  observer_.tool_finished(state_, call, result);
  result.telemetry.cache_hit = true;
  observer_.tool_finished(state_, call, result);
  EXPECT_THAT(metrics(), HasSubstr("ba_tool_retries_total{tool=\"look\"} 4\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_tool_cache_hits_total{tool=\"look\"} 1\n"));
}

TEST_F(ReportingObserverTest, CountsTheRetriesOfModelCalls) {
  ModelReply reply;
  reply.tries = 3;
  observer_.model_answered(state_, reply);
  ModelFailure failure;
  failure.error.code = ErrorCode::Timeout;
  failure.tries = 2;
  observer_.model_failed(state_, failure);
  EXPECT_THAT(metrics(),
              HasSubstr("ba_model_retries_total{model=\"smart\",provider=\"house\"} 3\n"));
}

TEST_F(ReportingObserverTest, CountsCompressionsByModeAndWhetherTheyReachedTheirTarget) {
  CompressionEvent event;
  event.mode = CompressionMode::Summarize;
  event.tokens_before = 900;
  event.tokens_after = 400;
  observer_.history_compressed(state_, event);
  event.missed = "the last round alone is longer";
  event.tokens_before = 700;
  observer_.history_compressed(state_, event);
  for (const char* target : {"reached", "missed"})
    EXPECT_THAT(metrics(), HasSubstr("ba_context_compressions_total{mode=\"summarize\",target=\"" +
                                     std::string(target) + "\"} 1\n"));
  EXPECT_THAT(metrics(), HasSubstr("ba_context_compressed_tokens_total{mode=\"summarize\"} 800\n"));
}

TEST_F(ReportingObserverTest, CountsWhatProvidersWereToCountByModelAndResult) {
  const ExactCountRow row{{0, 1, 0}, "smart", 1'000, 900};
  observer_.context_counted(state_, row, {CountOutcome::Counted, 900, {}});
  observer_.context_counted(state_, row, {CountOutcome::Failed, {}, "no answer"});
  observer_.context_counted(state_, row, {CountOutcome::Paused, {}, "no answer"});
  for (const char* result : {"counted", "failed", "paused"})
    EXPECT_THAT(metrics(), HasSubstr("ba_context_exact_counts_total{model=\"smart\",result=\"" +
                                     std::string(result) + "\"} 1\n"));
}

TEST_F(ReportingObserverTest, CountsTheCostOfASummaryForTheModelThatWroteIt) {
  llm::ModelConfig other;
  other.name = "other";
  other.provider = "elsewhere";
  models_.models.push_back(other);
  SummaryRow row;
  row.state = SummaryState::Ready;
  row.model = "elsewhere/o-1";
  row.usage.input_tokens = 70;
  row.cost_micro_usd = 2'500'000;
  observer_.summary_ended(state_, "other", row);
  EXPECT_THAT(metrics(), HasSubstr("ba_model_cost_usd_total{model=\"other\","
                                   "provider=\"elsewhere\"} 2.5\n"));
  EXPECT_THAT(metrics(), Not(HasSubstr("ba_model_cost_usd_total{model=\"smart\"")));
  row.reused = true;
  observer_.summary_ended(state_, "other", row);
  EXPECT_THAT(metrics(), HasSubstr("provider=\"elsewhere\"} 2.5\n")) << "paid once";
}

TEST_F(ReportingObserverTest, LogsThatASkillWasToBeEndedThatIsNotTheNewest) {
  ToolSpec tool;
  tool.name = "deactivate_skill";
  state_.profile.tools = {tool};
  CallState call;
  call.call.name = tool.name;
  ToolResult result;
  result.state = ToolCallState::Failed;
  for (const char* code : {"SKILL_NOT_ACTIVE", "SKILL_NOT_NEWEST"}) {
    log_.errors = 0;
    result.error = ToolError{ToolErrorType::ValidationError, code, "end 'b' first"};
    observer_.tool_finished(state_, call, result);
    EXPECT_EQ(log_.errors, 1) << code;
  }
  result.error = ToolError{ToolErrorType::ValidationError, "MISSING", "no skill_name"};
  observer_.tool_finished(state_, call, result);
  EXPECT_EQ(log_.errors, 1) << "that says nothing of the stack";
}

TEST_F(ReportingObserverTest, LogsThatAToolFailedInAWayThatNeedsAPerson) {
  ToolResult result;
  result.state = ToolCallState::Failed;
  const auto warnings_for = [&](ToolErrorType type, const std::string& code = "SOME_CODE") {
    log_.warnings = 0;
    result.error = ToolError{type, code, "words of the tool"};
    observer_.tool_finished(state_, CallState{}, result);
    return log_.warnings;
  };
  for (const ToolErrorType type : {ToolErrorType::ExecutionError, ToolErrorType::InternalError,
                                   ToolErrorType::DependencyError})
    EXPECT_EQ(warnings_for(type), 1) << to_string(type);
  for (const ToolErrorType type : {ToolErrorType::Timeout, ToolErrorType::PermissionDenied,
                                   ToolErrorType::NotFound, ToolErrorType::ValidationError})
    EXPECT_EQ(warnings_for(type), 0) << to_string(type) << ": the model's business";
  EXPECT_EQ(warnings_for(ToolErrorType::ExecutionError, "MCP_TOOL_ERROR"), 0)
      << "a server may have been asked for what isn't there";
}

/// A redriven job's own words say when it was first asked; a job that is taken over waited once.
TEST_F(ReportingObserverTest, AJobWaitsFromWhenItWasMadeToWhenAWorkerHadIt) {
  const WallTime made = time_.wall() + std::chrono::hours(48);
  state_.job.created_at = made - std::chrono::hours(24);
  state_.round.number = state_.round.step = 0;
  state_.claim.created_at = made;
  state_.claim.first_claimed_at = made + std::chrono::seconds(3);
  time_.run_for(std::chrono::hours(72));
  observer_.job_started(state_);
  EXPECT_THAT(metrics(), HasSubstr("ba_job_queue_wait_seconds_sum{lane=\"normal\"} 3\n"));
  state_.claim.first_claimed_at = made - std::chrono::seconds(1);
  observer_.job_started(state_);
  state_.claim.created_at = {};
  state_.claim.first_claimed_at = made;
  observer_.job_started(state_);
  EXPECT_THAT(metrics(), HasSubstr("ba_job_queue_wait_seconds_sum{lane=\"normal\"} 3\n"))
      << "no less than nothing, and nothing of a time that nobody knew";
  EXPECT_THAT(metrics(), HasSubstr("ba_job_queue_wait_seconds_count{lane=\"normal\"} 3\n"));
  state_.round.step = 1;
  observer_.job_started(state_);
  state_.round.step = 0;
  state_.claim.attempt = 2;
  observer_.job_started(state_);
  EXPECT_THAT(metrics(), HasSubstr("ba_job_queue_wait_seconds_count{lane=\"normal\"} 3\n"))
      << "one that goes on has waited once";
}

TEST_F(ReportingObserverTest, ASubAgentIsNoJobInTheMetrics) {
  state_.claim.asked_by = AskingCall{LedgerJobId(1), {0, 1, 1}};
  observer_.job_started(state_);
  JobResult result;
  result.outcome = Outcome::StepLimit;
  observer_.job_finished(state_, result);
  observer_.job_handed_back(state_);
  EXPECT_THAT(metrics(), HasSubstr("ba_sub_agents_finished_total{outcome=\"step_limit\"} 1"));
  EXPECT_THAT(metrics(), Not(HasSubstr("ba_jobs_finished_total{")));
  EXPECT_THAT(metrics(), HasSubstr("ba_jobs_handed_back_total 0"));
}

TEST_F(ReportingObserverTest, ACostThatIsNotKnownIsNotLoggedAsNothing) {
  JobResult result;
  result.totals.cost_micro_usd = 250;
  const auto cost = [&] {
    observer_.job_finished(state_, result);
    return log_.fields.back();
  };
  EXPECT_EQ(cost(), "cost_micro_usd=250");
  result.totals.cost_known = false;
  EXPECT_EQ(cost(), "cost_micro_usd_at_least=250");
  result.totals.cost_micro_usd = 0;
  EXPECT_EQ(cost(), "cost=unknown");
}

TEST_F(ReportingObserverTest, NamesTheJobThatTheLedgerRefused) {
  observer_.ledger_failed(Error{}, {"append a step", LedgerJobId(7), "acme", "j", 2, 3});
  EXPECT_THAT(log_.fields, IsSupersetOf({"while=append a step", "tenant=acme", "job=j",
                                         "ledger_id=7", "round=2", "step=3"}));
}

}  // namespace
}  // namespace ba::runtime
