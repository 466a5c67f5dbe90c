// SPDX-License-Identifier: Apache-2.0
// How a job ends: at its limits, with replies that are no answer, at its deadline; and its report.
#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "tests/pipeline/core/conversation/machine_fixture.hpp"

namespace ba {
namespace {

TEST_F(MachineTest, EndsAtTheStepLimitWithAValidHistory) {
  state_.profile.limits.steps_per_round_max = 1;
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(outcome(actions), Outcome::StepLimit);
  EXPECT_EQ(committed(actions).calls_finished.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 0);
}

TEST_F(MachineTest, EndsAtTheTokenLimit) {
  state_.profile.limits.tokens_max = 110;
  on(event::Begin{});
  EXPECT_EQ(outcome(answer(reply_calls({{"a", "look"}}), StopReason::ToolUse)),
            Outcome::TokenLimit);
}

TEST_F(MachineTest, EndsAtTheCostLimit) {
  state_.profile.limits.cost_micro_usd_max = 10;
  on(event::Begin{});
  EXPECT_EQ(outcome(answer(reply_calls({{"a", "look"}}), StopReason::ToolUse)), Outcome::CostLimit);
}

TEST_F(MachineTest, EndsWhenTheHistoryGrowsOverItsLimit) {
  state_.profile.limits.history_bytes_max = 5;
  const Actions actions = on(event::Begin{});
  EXPECT_EQ(count<action::AskModel>(actions), 1) << "the limit is looked at between steps";
  const Actions next = answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(outcome(next), Outcome::TokenLimit);
  EXPECT_EQ(committed(next).finished->result.error->code, "HISTORY_LIMIT");
}

TEST_F(MachineTest, AnAnswerThatReachesALimitIsStillAnAnswer) {
  state_.profile.limits.tokens_max = 110;
  on(event::Begin{});
  EXPECT_EQ(outcome(answer(reply_text("done"))), Outcome::Completed);
}

TEST_F(MachineTest, KeepsTheAnswersGivenBeforeALimit) {
  state_.job.messages = {"one", "two"};
  state_.profile.limits.tokens_max = 110;
  on(event::Begin{});
  const Actions actions = answer(reply_text("1"));
  EXPECT_EQ(outcome(actions), Outcome::TokenLimit);
  EXPECT_EQ(committed(actions).finished.value().result.answers.size(), 1u);
}

TEST_F(MachineTest, AnswersButNeverRunsTheCallsBeyondTheLimitOfAReply) {
  state_.profile.limits.tool_calls_per_step_max = 1;
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"a", "look"}, {"b", "look"}}), StopReason::ToolUse);
  ASSERT_EQ(committed(actions).calls_finished.size(), 1u);
  EXPECT_EQ(committed(actions).calls_finished[0].result.error->code, "TOO_MANY_CALLS");
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
}

TEST_F(MachineTest, EndsWithModelErrorWhenTheConversationFitsTheModelNoMore) {
  state_.profile.model = "small";
  state_.profile.context_window = 4096;
  on(event::Begin{});
  const Actions actions = answer(reply_text(""), StopReason::ContextExceeded);
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  const JobError& error = committed(actions).finished->result.error.value();
  EXPECT_EQ(error.code, "CONTEXT_EXCEEDED");
  EXPECT_THAT(error.message, testing::HasSubstr("model 'small', 4096 tokens"));
}

TEST_F(MachineTest, AsksAgainOnceTheSmallerWindowOfARefusedContextIsDurable) {
  state_.profile.model = "small";
  state_.profile.context_window = 4096;
  on(event::Begin{});
  const Actions actions = on(event::ContextRefused{{2'000, 4'000, false}, 3'000});
  const Delta& delta = committed(actions);
  EXPECT_EQ(count<action::AskModel>(actions), 0);
  ASSERT_THAT(delta.refused_contexts, testing::SizeIs(1));
  EXPECT_EQ(delta.refused_contexts[0].at, (Position{0, 1, 1}));
  EXPECT_EQ(delta.refused_contexts[0].window, 1'500);
  EXPECT_EQ(delta.refused_contexts[0].of_window, 4096);
  EXPECT_THAT(delta.rounds_opened, testing::SizeIs(1)) << "a row of the job's round";
  EXPECT_THAT(delta.steps, testing::IsEmpty());
  EXPECT_EQ(delta.wasted_model_calls, 0);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  EXPECT_EQ(committed(on(event::ContextRefused{{}, 1'000})).refused_contexts.at(0).at.index, 2);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  const Actions answered = answer(reply_text("42"));
  EXPECT_EQ(outcome(answered), Outcome::Completed);
  EXPECT_EQ(committed(answered).finished->result.totals.steps, 1);
}

/// That a provider counts is free, and no call of a model: stopped meanwhile, none was lost.
TEST_F(MachineTest, WhatAProviderCountedIsDurableBeforeTheModelIsAsked) {
  on(event::Begin{});
  EXPECT_THAT(on(event::ContextCounting{}), testing::IsEmpty());
  EXPECT_FALSE(state_.flow.model_in_flight);
  const ExactCountRow row{{0, 1, 0}, "small", 1'000, 900};
  const Actions actions = on(event::ContextCounted{row});
  const Delta& delta = committed(actions);
  EXPECT_EQ(count<action::AskModel>(actions), 0);
  EXPECT_EQ(delta.exact_counts, std::vector<ExactCountRow>{row});
  EXPECT_THAT(delta.rounds_opened, testing::SizeIs(1)) << "a row of the job's round";
  EXPECT_EQ(state_.context.counts, std::vector<ExactCountRow>{row});
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  on(event::ContextCounting{});
  const Actions stopped = on(event::Stop{endings::cancelled()});
  EXPECT_EQ(outcome(stopped), Outcome::Cancelled);
  EXPECT_EQ(committed(stopped).finished->result.totals.wasted_model_calls, 0);
}

/// What was counted was without it.
TEST_F(MachineTest, ASummaryThatEndsWhileAProviderCountsIsForTheReplyAfterThat) {
  on(event::Begin{});
  on(event::ContextCounting{});
  SummaryRow summary;
  summary.state = SummaryState::Ready;
  summary.text = "short";
  on(event::SummaryEnded{summary});
  const Actions actions = on(event::ContextCounted{{{0, 1, 0}, "small", 1'000, 900}});
  ASSERT_THAT(committed(actions).summaries, testing::SizeIs(1));
  EXPECT_EQ(committed(actions).summaries[0].after, (Position{0, 1, 0}));
}

/// It was paid: a step like any other.
TEST_F(MachineTest, AReplyThatFoundNoRoomGoesOnWithASmallerWindow) {
  on(event::Begin{});
  ModelReply reply;
  reply.stop = StopReason::ContextExceeded;
  const Delta delta = committed(on(event::ModelAnswered{reply, 3'000}));
  EXPECT_FALSE(delta.finished);
  EXPECT_THAT(delta.steps, testing::SizeIs(1));
  ASSERT_THAT(delta.refused_contexts, testing::SizeIs(1));
  EXPECT_EQ(delta.refused_contexts[0].at, (Position{0, 2, 1}));
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  EXPECT_EQ(outcome(answer(reply_text("42"))), Outcome::Completed);
}

TEST_F(MachineTest, WhatIsToldOfAReplyThatFoundNoRoomCounts) {
  on(event::Begin{});
  ModelReply reply;
  reply.stop = StopReason::ContextExceeded;
  reply.told = {2'000, 4'000, false};
  const Delta delta = committed(on(event::ModelAnswered{reply, 3'000}));
  ASSERT_THAT(delta.refused_contexts, testing::SizeIs(1));
  EXPECT_EQ(delta.refused_contexts[0].told_limit, 2'000);
  EXPECT_EQ(delta.refused_contexts[0].told_tokens, 4'000);
  EXPECT_EQ(delta.refused_contexts[0].window, 1'500) << "by the ratio of its count to ours";
}

TEST_F(MachineTest, RepliesThatFindNoRoomAgainAndAgainEndTheJob) {
  on(event::Begin{});
  ModelReply reply;
  reply.stop = StopReason::ContextExceeded;
  for (int i = 0; i < state_.profile.limits.answer_repairs_max; ++i) {
    EXPECT_FALSE(committed(on(event::ModelAnswered{reply, 3'000})).finished);
    on(event::Committed{});
  }
  const Actions actions = on(event::ModelAnswered{reply, 3'000});
  EXPECT_EQ(committed(actions).finished->result.error->code, "CONTEXT_EXCEEDED");
}

TEST_F(MachineTest, EndsAtTheFourthRefusalOfAReplyAndKeepsItsWindow) {
  on(event::Begin{});
  for (int i = 1; i < kRefusalsOfReplyMax; ++i) {
    EXPECT_FALSE(committed(on(event::ContextRefused{{}, 8'000 / i})).finished);
    ASSERT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  }
  const Actions actions = on(event::ContextRefused{{}, 1'500});
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  EXPECT_EQ(committed(actions).finished->result.error->code, "CONTEXT_EXCEEDED");
  EXPECT_EQ(committed(actions).refused_contexts.at(0).at.index, kRefusalsOfReplyMax);
}

TEST_F(MachineTest, EndsWhereARefusedContextCanNotBeMadeShorter) {
  on(event::Begin{});
  on(event::ContextRefused{{}, 8'000});
  on(event::Committed{});
  const Actions stuck = on(event::ContextStuck{});
  EXPECT_EQ(committed(stuck).finished->result.error->code, "CONTEXT_EXCEEDED");
}

TEST_F(MachineTest, EndsAtARefusedContextThatNobodyCounted) {
  on(event::Begin{});
  const Actions actions = on(event::ContextRefused{{2'000, 4'000, false}, {}});
  EXPECT_EQ(committed(actions).finished->result.error->code, "CONTEXT_EXCEEDED");
  EXPECT_THAT(committed(actions).refused_contexts, testing::IsEmpty());
}

/// Of a job that goes on with another model, or with the window that was mended.
TEST_F(MachineTest, RefusalsByAnotherWindowOrModelSayNothingOfThisOne) {
  on(event::Begin{});
  for (int i = 1; i <= 4; ++i) {
    RefusedContextRow row;
    row.at = {0, 1, i};
    row.model = i % 2 == 0 ? "another" : state_.profile.model;
    row.of_window = 12'345;
    state_.context.refused.push_back(row);
  }
  const Actions actions = on(event::ContextRefused{{2'000, 4'000, false}, 8'000});
  EXPECT_FALSE(committed(actions).finished);
  ASSERT_THAT(committed(actions).refused_contexts, testing::SizeIs(1));
  EXPECT_EQ(committed(actions).refused_contexts[0].at, (Position{0, 1, 5}));
}

/// Written meanwhile, it must not change what is asked again.
TEST_F(MachineTest, ASummaryThatEndsAfterARefusalIsUsedAfterTheReplyThatWasRefused) {
  on(event::Begin{});
  SummaryRow row;
  row.at = {0, 1, 0};
  row.state = SummaryState::Ready;
  row.text = "all";
  on(event::SummaryEnded{row});
  const Delta delta = committed(on(event::ContextRefused{{}, 8'000}));
  ASSERT_THAT(delta.summaries, testing::SizeIs(1));
  EXPECT_EQ(delta.summaries[0].after, (Position{0, 1, 0}));
}

TEST_F(MachineTest, EndsTruncatedWithTheCutTextKept) {
  on(event::Begin{});
  const Actions actions = answer(reply_text("half an ans"), StopReason::MaxTokens);
  EXPECT_EQ(outcome(actions), Outcome::Truncated);
  EXPECT_EQ(committed(actions).finished->result.answers.at(0).text, "half an ans");
}

TEST_F(MachineTest, EndsRefused) {
  on(event::Begin{});
  EXPECT_EQ(outcome(answer(reply_text("no"), StopReason::Refusal)), Outcome::Refused);
}

TEST_F(MachineTest, EndsWithModelErrorOnAnEmptyReply) {
  state_.profile.limits.answer_repairs_max = 0;
  on(event::Begin{});
  const Actions actions = answer(reply_text(""));
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  EXPECT_EQ(committed(actions).finished->result.error->code, "EMPTY_REPLY");
}

TEST_F(MachineTest, StoresNoReplyWithDuplicateIdsAndCountsItAsLost) {
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"a", "look"}, {"a", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  EXPECT_TRUE(committed(actions).steps.empty());
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
  EXPECT_EQ(committed(actions).finished->result.error->code, "DUPLICATE_TOOL_CALL_ID");
}

TEST_F(MachineTest, StoresNoReplyThatCouldNotBeReadBack) {
  on(event::Begin{});
  AiMessage message = reply_calls({{"a", "look"}});
  message.tool_calls[0].args_json = R"({"n":1e4000})";
  const Actions actions = answer(message, StopReason::ToolUse);
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  EXPECT_TRUE(committed(actions).steps.empty());
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
  EXPECT_EQ(committed(actions).finished->result.error->code, "INVALID_REPLY");
  EXPECT_THAT(committed(actions).finished->result.error->message,
              testing::HasSubstr("tool_calls[0].args"));
}

TEST_F(MachineTest, EndsWithModelErrorWhenTheModelCannotBeReached) {
  on(event::Begin{});
  ModelFailure failure;
  failure.error.code = ErrorCode::Unavailable;
  failure.error.message = "connection refused";
  failure.wasted_calls = 1;
  const Actions actions = on(event::ModelFailed{failure});
  EXPECT_EQ(outcome(actions), Outcome::ModelError);
  EXPECT_EQ(committed(actions).rounds_opened.size(), 1u);
  EXPECT_EQ(committed(actions).rounds_closed.at(0).status, RoundStatus::Error);
  EXPECT_EQ(committed(actions).wasted_model_calls, 0) << "what was lost was announced before";
  EXPECT_EQ(committed(actions).finished->result.error->code, "MODEL_UNAVAILABLE");
}

TEST_F(MachineTest, ADeadlineWhileALostTryIsWrittenCountsNoSecondOne) {
  on(event::Begin{});
  on(event::ModelTryLost{});
  EXPECT_EQ(count<action::AbortAll>(on(event::Stop{endings::deadline(state_)})), 1);
  const Actions actions = on(event::Committed{});
  EXPECT_EQ(outcome(actions), Outcome::DeadlineExceeded);
  EXPECT_EQ(count<action::GoOnAsking>(actions), 0);
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
}

TEST_F(MachineTest, ADeadlineDuringAModelCallAbortsAndCountsIt) {
  on(event::Begin{});
  const Actions actions = on(event::Stop{endings::deadline(state_)});
  EXPECT_EQ(count<action::AbortAll>(actions), 1);
  EXPECT_EQ(outcome(actions), Outcome::DeadlineExceeded);
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
}

TEST_F(MachineTest, ADeadlineDuringACommitWaitsForIt) {
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(count<action::Commit>(on(event::Stop{endings::deadline(state_)})), 0);
  const Actions actions = on(event::Committed{});
  EXPECT_EQ(outcome(actions), Outcome::DeadlineExceeded);
  EXPECT_EQ(committed(actions).calls_finished.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(actions), 0);
}

TEST_F(MachineTest, ADeadlineLeavesARunningEffectUnknown) {
  on(event::Begin{});
  answer(reply_calls({{"a", "send"}}), StopReason::ToolUse);
  on(event::Committed{});
  on(event::Committed{});
  const Actions actions = on(event::Stop{endings::deadline(state_)});
  EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
}

TEST_F(MachineTest, AStopAfterTheFinalCommitChangesNothing) {
  on(event::Begin{});
  answer(reply_text("42"));
  EXPECT_TRUE(on(event::Stop{endings::cancelled()}).empty());
}

// ---- the report --------------------------------------------------------------------------------

TEST_F(MachineTest, AToolsTokensAreThoseOfArgumentsAndObservation) {
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  ToolResult seen = succeeded("a", "seen");
  seen.telemetry.input_tokens = 30;
  seen.telemetry.output_tokens = 12;
  on(event::ToolFinished{0, std::move(seen)});
  on(event::Committed{});
  const nlohmann::json json = report(answer(reply_text("42")));
  EXPECT_EQ(json.at("tools").at(0).at("avg_tokens"), 42);
}

TEST_F(MachineTest, TheReportHasEachCallAsItWent) {
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}, {"b", "look"}, {"c", "invented"}}), StopReason::ToolUse);
  on(event::Committed{});
  ToolResult retried = succeeded("a", "seen");
  retried.retry_count = 2;
  retried.duration = Milliseconds(7);
  on(event::ToolFinished{0, std::move(retried)});
  on(event::Committed{});
  ToolResult failed = succeeded("b", "Operation failed.");
  failed.state = ToolCallState::Failed;
  failed.error = ToolError{ToolErrorType::DependencyError, "DOWN", "it is down"};
  failed.duration = Milliseconds(4);
  on(event::ToolFinished{1, std::move(failed)});
  on(event::Committed{});
  ToolResult lost = succeeded("c", "");
  lost.state = ToolCallState::Unknown;
  on(event::ToolFinished{2, std::move(lost)});
  on(event::Committed{});
  const nlohmann::json json = report(answer(reply_text("42")));
  EXPECT_EQ(json.at("successful_calls"), 1);
  EXPECT_EQ(json.at("failed_calls"), 2) << "one whose outcome isn't known is none that succeeded";
  EXPECT_EQ(json.at("retried_calls"), 1);
  ASSERT_EQ(json.at("tools").size(), 2U);
  const nlohmann::json& look = json.at("tools").at(0);
  EXPECT_EQ(look.at("tool_name"), "look");
  EXPECT_EQ(look.at("call_count"), 2);
  EXPECT_EQ(look.at("avg_duration_ms"), 5.5);
  EXPECT_EQ(look.at("p95_duration_ms"), "7");
  EXPECT_EQ(look.at("success_rate"), 0.5);
  EXPECT_EQ(look.at("error_rate"), 0.5);
}

TEST_F(MachineTest, TheReportCountsTheMessagesThatTheJobAdded) {
  HumanMessage asked;
  asked.text = "what was before?";
  state_.history.messages = {asked, reply_text("something"), asked, reply_text("else")};
  state_.history.earlier = state_.history.messages.size();
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}, {"b", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  on(event::ToolFinished{0, succeeded("a", "seen a")});
  on(event::ToolFinished{1, succeeded("b", "seen b")});
  on(event::Committed{});
  on(event::Committed{});
  EXPECT_EQ(report(answer(reply_text("42"))).at("messages_count"), 5)
      << "question, reply, two observations, answer";
}

TEST_F(MachineTest, TheReportCountsTheObservationsOfAStepThatTheJobEndsIn) {
  state_.profile.limits.steps_per_round_max = 1;
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"a", "look"}, {"b", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(outcome(actions), Outcome::StepLimit);
  EXPECT_EQ(report(actions).at("messages_count"), 4);
}

}  // namespace
}  // namespace ba
