// SPDX-License-Identifier: Apache-2.0
// The state machine, tested as scripts: events in, actions out. No I/O and no time.

#include "pipeline/conversation/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "pipeline/conversation/endings.hpp"
#include "pipeline/conversation/resume.hpp"
#include "pipeline/tool/registry.hpp"

namespace ba {
namespace {

class NamedTool final : public Tool, public StatusSource {
 public:
  NamedTool(std::string name, EffectClass effect, bool in_turn = false) {
    descriptor_.name = std::move(name);
    descriptor_.description = "a tool";
    descriptor_.parameters_schema = R"({"type":"object","properties":{}})";
    descriptor_.effect = effect;
    descriptor_.in_turn = in_turn;
  }
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    return nullptr;
  }
  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? this : nullptr;
  }
  std::unique_ptr<ToolRun> status(ToolInvocation, std::function<void(EffectStatus)>) override {
    return nullptr;
  }

 private:
  ToolDescriptor descriptor_;
};

AiMessage reply_text(std::string text) {
  AiMessage message;
  message.text = std::move(text);
  return message;
}

AiMessage reply_calls(std::vector<std::pair<std::string, std::string>> calls) {
  AiMessage message;
  for (auto& [id, name] : calls) {
    ToolCall call;
    call.id = ToolCallId(id);
    call.name = name;
    message.tool_calls.push_back(call);
  }
  return message;
}

ToolResult succeeded(const std::string& id, std::string observation) {
  ToolResult result;
  result.tool_call_id = ToolCallId(id);
  result.observation = std::move(observation);
  return result;
}

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("look", EffectClass::Pure)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("send", EffectClass::Once)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("write", EffectClass::Keyed)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("book", EffectClass::Reconcilable)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("add", EffectClass::Keyed, true)));
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j1");
    state_.job.conversation_id = ConversationId("job:j1");
    state_.job.messages = {"how many?"};
    state_.id = LedgerJobId(7);
    state_.conversation = LedgerConversationId(3);
  }

  Actions on(Event event) { return advance(state_, std::move(event), moment_, context_); }

  Actions answer(AiMessage message, StopReason stop = StopReason::EndTurn, std::int64_t cost = 10) {
    ModelReply reply;
    reply.message = std::move(message);
    reply.message.usage.input_tokens = 100;
    reply.message.usage.output_tokens = 10;
    reply.stop = stop;
    reply.provider = "scripted";
    reply.model = "m";
    reply.cost_micro_usd = cost;
    return on(event::ModelAnswered{std::move(reply)});
  }

  static const Delta& committed(const Actions& actions) {
    for (const Action& action : actions)
      if (const auto* commit = std::get_if<action::Commit>(&action)) return commit->delta;
    throw std::runtime_error("no commit");
  }

  template <typename A>
  static int count(const Actions& actions) {
    return static_cast<int>(std::count_if(actions.begin(), actions.end(), [](const Action& a) {
      return std::holds_alternative<A>(a);
    }));
  }

  static Outcome outcome(const Actions& actions) {
    return committed(actions).finished.value().result.outcome;
  }

  static nlohmann::json report(const Actions& actions) {
    return nlohmann::json::parse(committed(actions).finished.value().metrics_json);
  }

  ToolRegistry registry_;
  Publication settings_;
  MachineContext context_{registry_, settings_};
  Moment moment_;
  ConversationState state_;
};

TEST_F(MachineTest, AnswersAJobWithoutToolsInOneCommit) {
  EXPECT_EQ(count<action::AskModel>(on(event::Begin{})), 1);
  const Actions actions = answer(reply_text("42"));
  const Delta& delta = committed(actions);
  ASSERT_EQ(delta.rounds_opened.size(), 1u);
  EXPECT_EQ(delta.rounds_opened[0].message.text, "how many?");
  ASSERT_EQ(delta.steps.size(), 1u);
  ASSERT_EQ(delta.rounds_closed.size(), 1u);
  EXPECT_EQ(delta.rounds_closed[0].final_answer, "42");
  ASSERT_TRUE(delta.finished);
  EXPECT_EQ(delta.finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(delta.finished->result.answers.at(0).text, "42");
  EXPECT_FALSE(delta.finished->outbox.empty());
  EXPECT_EQ(count<action::Done>(on(event::Committed{})), 1);
}

TEST_F(MachineTest, WordsOfAProviderCanBeStoredWhateverTheyAre) {
  on(event::Begin{});
  ModelReply reply;
  reply.message = reply_text("42");
  reply.raw_stop = std::string("end\0turn", 8);
  reply.model = std::string(100'000, 'm');
  reply.provider_request_id = "req_\xff";
  const Delta delta = committed(on(event::ModelAnswered{std::move(reply)}));
  ASSERT_EQ(delta.steps.size(), 1u);
  EXPECT_EQ(delta.steps[0].stop_reason, "end\uFFFDturn");
  EXPECT_EQ(delta.steps[0].model.size(), 256u);
  EXPECT_EQ(delta.steps[0].provider_request_id, "req_\uFFFD");
}

TEST_F(MachineTest, RunsNothingBeforeTheReplyIsDurable) {
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"c1", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(count<action::RunTool>(actions), 0);
  EXPECT_EQ(committed(actions).calls_intended.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
}

TEST_F(MachineTest, AsksAgainOnlyAfterEveryObservationIsDurable) {
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}, {"b", "look"}}), StopReason::ToolUse);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 2);
  const Actions first = on(event::ToolFinished{1, succeeded("b", "second")});
  EXPECT_EQ(committed(first).calls_finished.size(), 1u);
  EXPECT_TRUE(on(event::ToolFinished{0, succeeded("a", "first")}).empty());
  const Actions second = on(event::Committed{});
  EXPECT_EQ(committed(second).calls_finished.size(), 1u);
  EXPECT_EQ(count<action::AskModel>(second), 0);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  // Human, AI, then the observations in the order of the calls.
  ASSERT_EQ(state_.history.size(), 4u);
  EXPECT_EQ(std::get<ToolMessage>(state_.history[2]).content, "first");
  EXPECT_EQ(std::get<ToolMessage>(state_.history[3]).content, "second");
}

TEST_F(MachineTest, AFailedCallGoesToTheModelAsAnErrorAndEndsNoJob) {
  on(event::Begin{});
  answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  ToolResult failed = succeeded("a", "Operation failed.");
  failed.state = ToolCallState::Failed;
  failed.error = ToolError{ToolErrorType::DependencyError, "DOWN", "it is down"};
  EXPECT_FALSE(committed(on(event::ToolFinished{0, failed})).finished);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  const auto& told = std::get<ToolMessage>(state_.history.back());
  EXPECT_EQ(told.content, "Operation failed.");
  EXPECT_EQ(told.status, ToolStatus::Error);
}

TEST_F(MachineTest, RecordsACallWithAnEffectAsStartedBeforeItRuns) {
  on(event::Begin{});
  answer(reply_calls({{"a", "send"}}), StopReason::ToolUse);
  const Actions start = on(event::Committed{});
  EXPECT_EQ(committed(start).calls_started.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(start), 0);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
}

TEST_F(MachineTest, CallsInTurnWaitForThoseBeforeThemAndForNoOthers) {
  on(event::Begin{});
  answer(reply_calls({{"a", "add"}, {"b", "write"}, {"c", "add"}, {"d", "look"}}),
         StopReason::ToolUse);
  const Actions starts = on(event::Committed{});
  EXPECT_EQ(committed(starts).calls_started.size(), 2u);  // a and b
  EXPECT_EQ(count<action::RunTool>(starts), 1);           // d
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 2);
  on(event::ToolFinished{1, succeeded("b", "written")});
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 0);
  const Actions next = on(event::ToolFinished{0, succeeded("a", "added")});
  ASSERT_EQ(committed(next).calls_started.size(), 1u);
  EXPECT_EQ(committed(next).calls_started[0].index, 3);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
}

TEST_F(MachineTest, ObservationsStandInTheOrderOfTheCallsWhateverTheirClassesAndWhoEndsFirst) {
  const std::vector<std::string> tools{"add", "look", "send", "add", "write", "book", "look"};
  std::vector<std::pair<std::string, std::string>> calls;
  std::vector<std::string> ids;
  for (const std::string& tool : tools) {
    ids.push_back("id" + std::to_string(ids.size()));
    calls.emplace_back(ids.back(), tool);
  }
  std::mt19937 random(7);
  for (int nth = 0; nth < 200; ++nth) {
    ConversationState fresh = state_;
    std::swap(state_, fresh);
    std::vector<std::size_t> running;
    int writes = 0;
    const auto take = [&](const Actions& actions) {
      for (const Action& action : actions)
        if (const auto* run = std::get_if<action::RunTool>(&action)) running.push_back(run->call);
      writes += count<action::Commit>(actions);
      return count<action::AskModel>(actions) > 0;
    };
    on(event::Begin{});
    take(answer(reply_calls(calls), StopReason::ToolUse));
    bool asked = false;
    while (!asked) {
      ASSERT_TRUE(writes > 0 || !running.empty()) << "nothing is under way";
      if (writes > 0 && (running.empty() || random() % 2 == 0)) {
        --writes;
        asked = take(on(event::Committed{}));
        continue;
      }
      std::swap(running[random() % running.size()], running.back());
      const std::size_t ended = running.back();
      running.pop_back();
      take(on(event::ToolFinished{ended, succeeded(ids[ended], "of " + ids[ended])}));
    }
    ASSERT_EQ(state_.history.size(), 2 + ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto& told = std::get<ToolMessage>(state_.history[2 + i]);
      EXPECT_EQ(told.tool_call_id.value, ids[i]) << nth;
      EXPECT_EQ(told.content, "of " + ids[i]) << nth;
    }
    std::swap(state_, fresh);
  }
}

TEST_F(MachineTest, LeavesAnUnknownOutcomeToAPersonWhereThatIsAskedFor) {
  ToolResult lost = succeeded("a", "");
  lost.state = ToolCallState::Unknown;
  for (const auto& [tool, waits] :
       {std::pair{"send", 1}, std::pair{"write", 1}, std::pair{"look", 0}}) {
    ConversationState fresh = state_;
    fresh.profile.on_unknown = OnUnknown::WaitForPerson;
    std::swap(state_, fresh);
    on(event::Begin{});
    answer(reply_calls({{"a", tool}}), StopReason::ToolUse);
    on(event::Committed{});
    if (waits == 1) on(event::Committed{});  // its start
    const Actions actions = on(event::ToolFinished{0, lost});
    EXPECT_EQ(count<action::WaitForPerson>(actions), waits) << tool;
    EXPECT_EQ(count<action::Commit>(actions), 1 - waits) << tool;
    std::swap(state_, fresh);
  }
}

TEST_F(MachineTest, GoesOnWithTheNextMessageInTheSameConversation) {
  state_.job.messages = {"one", "two"};
  on(event::Begin{});
  const Actions first = answer(reply_text("1"));
  EXPECT_FALSE(committed(first).finished);
  EXPECT_EQ(committed(first).rounds_closed.size(), 1u);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  EXPECT_EQ(state_.history.size(), 3u);
  const Actions second = answer(reply_text("2"));
  EXPECT_EQ(committed(second).rounds_opened.at(0).message.text, "two");
  EXPECT_EQ(committed(second).finished.value().result.answers.size(), 2u);
}

TEST_F(MachineTest, ARoundTookTheTimeFromItsMessageToItsEnd) {
  state_.job.messages = {"one", "two"};
  const auto at = [this](int milliseconds) {
    moment_.now = SteadyTime(Milliseconds(milliseconds));
  };
  at(10'000);
  on(event::Begin{});
  at(10'400);
  answer(reply_calls({{"a", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  at(11'000);
  on(event::ToolFinished{0, succeeded("a", "seen")});
  on(event::Committed{});
  at(12'345);
  EXPECT_EQ(committed(answer(reply_text("1"))).rounds_closed.at(0).latency, Milliseconds(2'345));
  at(20'000);
  on(event::Committed{});
  at(20'007);
  const Delta last = committed(answer(reply_text("no"), StopReason::Refusal));
  EXPECT_EQ(last.rounds_closed.at(0).status, RoundStatus::Error);
  EXPECT_EQ(last.rounds_closed.at(0).latency, Milliseconds(7));
}

TEST_F(MachineTest, EveryMessageHasItsUserAndTheTimeAtWhichItCame) {
  state_.job.user_id = "ann";
  state_.job.messages = {"one", "two"};
  context_.refocus.every_steps = 1;
  const auto at = [this](int seconds) { moment_.wall = WallTime(std::chrono::seconds(seconds)); };
  at(1);
  on(event::Begin{});
  at(2);
  answer(reply_calls({{"a", "look"}, {"b", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  at(3);
  on(event::ToolFinished{1, succeeded("b", "second")});
  at(4);
  on(event::ToolFinished{0, succeeded("a", "first")});
  on(event::Committed{});
  at(5);
  on(event::Committed{});  // and a reminder
  at(6);
  answer(reply_text("1"));
  at(7);
  on(event::Committed{});
  at(8);
  answer(reply_text("2"));
  std::vector<std::int64_t> seconds;
  for (const Message& message : state_.history) {
    EXPECT_EQ(meta_of(message).user_id, "ann") << meta_of(message).message_id.value;
    seconds.push_back(meta_of(message).timestamp.time_since_epoch() / std::chrono::seconds(1));
  }
  EXPECT_THAT(seconds, testing::ElementsAre(1, 2, 4, 3, 5, 6, 7, 8)) << "in the history's order";
}

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

TEST_F(MachineTest, NeverRunsACallOfATruncatedReply) {
  on(event::Begin{});
  const Actions actions = answer(reply_calls({{"a", "send"}}), StopReason::MaxTokens);
  ASSERT_EQ(committed(actions).calls_finished.size(), 1u);
  EXPECT_THAT(committed(actions).calls_finished[0].message.content,
              testing::HasSubstr("REPLY_TRUNCATED"));
  const Actions next = on(event::Committed{});
  EXPECT_EQ(count<action::RunTool>(next), 0);
  EXPECT_EQ(count<action::AskModel>(next), 1);
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
  message.tool_calls[0].args_json = R"({"n":1e400})";
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

TEST_F(MachineTest, ALostTryIsDurableBeforeTheCallGoesOn) {
  on(event::Begin{});
  const Actions lost = on(event::ModelTryLost{});
  EXPECT_EQ(count<action::GoOnAsking>(lost), 0);
  EXPECT_EQ(committed(lost).wasted_model_calls, 1);
  EXPECT_TRUE(committed(lost).rounds_opened.empty()) << "the round begins with its first reply";
  const Actions durable = on(event::Committed{});
  EXPECT_EQ(count<action::GoOnAsking>(durable), 1);
  EXPECT_EQ(count<action::AskModel>(durable), 0);
  const Actions answered = answer(reply_text("42"));
  EXPECT_EQ(committed(answered).wasted_model_calls, 1);
  EXPECT_EQ(committed(answered).finished->result.totals.wasted_model_calls, 1);
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

TEST_F(MachineTest, CountsTheCallThatACrashLostBeforeItAsksAgain) {
  state_.attempt = 2;
  state_.after_crash = true;
  const Actions first = on(event::Begin{});
  EXPECT_EQ(count<action::AskModel>(first), 0);
  EXPECT_EQ(committed(first).wasted_model_calls, 1);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
}

// ---- the report --------------------------------------------------------------------------------

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
  state_.history = {asked, reply_text("something"), asked, reply_text("else")};
  state_.earlier_messages = state_.history.size();
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

// ---- resuming ----------------------------------------------------------------------------------

class ResumeTest : public MachineTest {
 protected:
  /// The rows of a job whose first reply asked for these calls.
  StoredJob stored(std::vector<std::pair<std::string, ToolCallState>> calls, EffectClass effect,
                   const std::string& tool) {
    StoredJob rows;
    HumanMessage human;
    human.text = "how many?";
    rows.messages.push_back({{0, 0, 0}, human});
    AiMessage reply;
    for (auto& [id, call_state] : calls) {
      ToolCall call;
      call.id = ToolCallId(id);
      call.name = tool;
      reply.tool_calls.push_back(call);
    }
    rows.messages.push_back({{0, 1, 0}, reply});
    for (std::size_t i = 0; i < calls.size(); ++i) {
      StoredToolCall row;
      row.position = {0, 1, static_cast<int>(i) + 1};
      row.tool_call_id = ToolCallId(calls[i].first);
      row.tool_name = tool;
      row.effect = effect;
      row.state = calls[i].second;
      rows.calls.push_back(row);
      if (row.state == ToolCallState::Intended || row.state == ToolCallState::Running) continue;
      ToolMessage message;
      message.tool_call_id = row.tool_call_id;
      message.content = "seen " + calls[i].first;
      rows.messages.push_back({row.position, message});
    }
    StoredRound round;
    round.usage.input_tokens = 100;
    round.steps = 1;
    rows.rounds.push_back(round);
    return rows;
  }

  Actions resume_with(StoredJob rows) {
    ResumeInput input;
    input.claimed.id = LedgerJobId(7);
    input.claimed.attempt = 2;
    input.claimed.after_crash = true;
    input.job = state_.job;
    input.profile = profile_;
    input.stored = std::move(rows);
    auto resumed = resume(std::move(input), moment_);
    EXPECT_TRUE(resumed) << resumed.error().message;
    state_ = std::move(resumed.value());
    return on(event::Begin{});
  }

  RunProfile profile_;
};

TEST_F(ResumeTest, RunsAPureCallAgain) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Pure, "look"));
  EXPECT_EQ(count<action::RunTool>(actions), 1);
  EXPECT_EQ(state_.wasted_here, 0);
  EXPECT_FALSE(state_.calls.at(0).maybe_done);
}

TEST_F(ResumeTest, RunsAKeyedOrReconcilableCallAgainAsOneThatMayHaveHappened) {
  for (const auto& [effect, tool] :
       {std::pair{EffectClass::Keyed, "write"}, std::pair{EffectClass::Reconcilable, "book"}}) {
    const Actions actions = resume_with(stored({{"a", ToolCallState::Running}}, effect, tool));
    EXPECT_EQ(count<action::RunTool>(actions), 1);
    EXPECT_TRUE(state_.calls.at(0).maybe_done);
  }
}

TEST_F(ResumeTest, RunsAnIntendedCallAsOneThatNeverRan) {
  resume_with(stored({{"a", ToolCallState::Intended}}, EffectClass::Reconcilable, "book"));
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
  EXPECT_FALSE(state_.calls.at(0).maybe_done);
}

TEST_F(ResumeTest, DoesNotKnowWhatAStartedCallDidWhenTheJobEndsBeforeAnybodyLooked) {
  for (const EffectClass effect : {EffectClass::Keyed, EffectClass::Reconcilable}) {
    ResumeInput input;
    input.job = state_.job;
    input.stored = stored({{"a", ToolCallState::Running}}, effect, "write");
    state_ = resume(std::move(input), moment_).value();
    const Actions actions = on(event::Stop{endings::invalid_job("no such agent")});
    EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
  }
}

TEST_F(ResumeTest, NeverRunsAStartedOnceCallAgain) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send"));
  EXPECT_EQ(count<action::RunTool>(actions), 0);
  EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
}

TEST_F(ResumeTest, LeavesAStartedOnceCallToAPersonWhereThatIsAskedFor) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send"));
  EXPECT_EQ(actions.size(), 1u);
  EXPECT_EQ(count<action::WaitForPerson>(actions), 1);
}

TEST_F(ResumeTest, FinishesTheOtherCallsOfTheStepBeforeItWaitsForAPerson) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  const Actions actions = resume_with(stored(
      {{"a", ToolCallState::Running}, {"b", ToolCallState::Intended}}, EffectClass::Once, "send"));
  EXPECT_EQ(committed(actions).calls_started.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
  const Actions finished = on(event::ToolFinished{1, succeeded("b", "sent")});
  EXPECT_EQ(committed(finished).calls_finished.size(), 1u);
  EXPECT_EQ(count<action::WaitForPerson>(finished), 0);
  EXPECT_EQ(count<action::WaitForPerson>(on(event::Committed{})), 1);
}

TEST_F(ResumeTest, ACancelledJobEndsWithoutAPersonsAnswer) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  ResumeInput input;
  input.job = state_.job;
  input.profile = profile_;
  input.stored = stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send");
  state_ = resume(std::move(input), moment_).value();
  const Actions actions = on(event::Begin{endings::cancelled()});
  EXPECT_EQ(outcome(actions), Outcome::Cancelled);
  EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
}

TEST_F(ResumeTest, ReportsCacheHitsAndTokensOfTheRowsAndOfWhatFollows) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded},
                           {"b", ToolCallState::Succeeded},
                           {"c", ToolCallState::Intended}},
                          EffectClass::Pure, "look");
  rows.calls[0].cache_hit = true;
  rows.calls[0].observation_tokens = 7;
  rows.calls[0].duration = Milliseconds(3);
  rows.calls[1].retry_count = 2;
  rows.calls[1].duration = Milliseconds(8);
  resume_with(std::move(rows));
  ToolResult last = succeeded("c", "seen c");
  last.telemetry.cache_hit = true;
  last.telemetry.output_tokens = 9;
  last.duration = Milliseconds(4);
  on(event::ToolFinished{2, std::move(last)});
  ASSERT_EQ(state_.tool_uses.size(), 3U);
  EXPECT_TRUE(state_.tool_uses[0].cache_hit);
  EXPECT_FALSE(state_.tool_uses[1].cache_hit);
  EXPECT_TRUE(state_.tool_uses[2].cache_hit);
  EXPECT_EQ(state_.tool_uses[0].tokens, 7);
  EXPECT_EQ(state_.tool_uses[1].tokens, 0);
  EXPECT_EQ(state_.tool_uses[2].tokens, 9);
  on(event::Committed{});
  const nlohmann::json json = report(answer(reply_text("42")));
  EXPECT_EQ(json.at("successful_calls"), 3);
  EXPECT_EQ(json.at("retried_calls"), 1);
  EXPECT_EQ(json.at("tools").at(0).at("call_count"), 3);
  EXPECT_EQ(json.at("tools").at(0).at("cache_hits"), 2);
  EXPECT_EQ(json.at("tools").at(0).at("avg_duration_ms"), 5.0);
  EXPECT_EQ(json.at("tools").at(0).at("p95_duration_ms"), "8");
}

TEST_F(ResumeTest, ReportsFailuresAndUnknownOutcomesOfTheRows) {
  resume_with(stored({{"a", ToolCallState::Failed},
                      {"b", ToolCallState::Unknown},
                      {"c", ToolCallState::Succeeded}},
                     EffectClass::Pure, "look"));
  on(event::Committed{});
  const Actions actions = answer(reply_text("42"));
  EXPECT_EQ(report(actions).at("successful_calls"), 1);
  EXPECT_EQ(report(actions).at("failed_calls"), 2);
  EXPECT_EQ(committed(actions).finished->result.totals.tool_calls_failed, 2);
}

TEST_F(ResumeTest, CopiedCallsAndMessagesAreInTheReportOfTheJobTheyWereMadeIn) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Failed}},
                          EffectClass::Pure, "look");
  for (StoredToolCall& call : rows.calls) call.copied = true;
  rows.tally.copied_step = 1;
  resume_with(std::move(rows));
  on(event::Committed{});
  answer(reply_calls({{"c", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  on(event::ToolFinished{0, succeeded("c", "seen c")});
  on(event::Committed{});
  const Actions actions = answer(reply_text("42"));
  const nlohmann::json json = report(actions);
  EXPECT_EQ(json.at("successful_calls"), 1) << "c alone";
  EXPECT_FALSE(json.contains("failed_calls"));
  EXPECT_EQ(json.at("tools").at(0).at("call_count"), 1);
  EXPECT_EQ(json.at("messages_count"), 3) << "reply, observation, answer";
  const JobTotals& totals = committed(actions).finished->result.totals;
  EXPECT_EQ(totals.tool_calls, 3);
  EXPECT_EQ(totals.tool_calls_failed, 1);
}

TEST_F(ResumeTest, WithoutACopyAllMessagesOfTheRowsAreTheJobsOwn) {
  resume_with(stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look"));
  on(event::Committed{});
  EXPECT_EQ(report(answer(reply_text("42"))).at("messages_count"), 4);
}

TEST_F(ResumeTest, ReportsTheCompressionsOfTheRowsWhenNoReplyFollows) {
  ResumeInput input;
  input.job = state_.job;
  input.stored = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  input.stored.tally.compressions = 3;
  state_ = resume(std::move(input), moment_).value();
  EXPECT_EQ(report(on(event::Begin{endings::cancelled()})).at("compression_events"), 3);
}

TEST_F(ResumeTest, OneThatIsOnlyEndedReportsWhatIsDurableOfIt) {
  SalvageInput input;
  input.job = state_.job;
  const StoredJob rows = stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Running}},
                                EffectClass::Once, "send");
  input.remains.rounds = rows.rounds;
  input.remains.calls = rows.calls;
  input.remains.calls[0].retry_count = 1;
  input.remains.tally.messages = 3;
  input.remains.tally.compressions = 2;
  state_ = salvage(std::move(input), moment_);
  const Actions actions = on(event::Stop{endings::cancelled()});
  const nlohmann::json json = report(actions);
  EXPECT_EQ(json.at("messages_count"), 4) << "with the observation that its end writes";
  EXPECT_EQ(json.at("compression_events"), 2);
  EXPECT_EQ(json.at("successful_calls"), 1);
  EXPECT_EQ(json.at("failed_calls"), 1);
  EXPECT_EQ(json.at("retried_calls"), 1);
}

TEST_F(ResumeTest, StartsAnIntendedOnceCallThatNeverRan) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Intended}}, EffectClass::Once, "send"));
  EXPECT_EQ(committed(actions).calls_started.size(), 1u);
}

TEST_F(ResumeTest, RunsOnlyTheCallsWithoutAResult) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Intended}},
                         EffectClass::Pure, "look"));
  EXPECT_EQ(count<action::RunTool>(actions), 1);
  on(event::ToolFinished{1, succeeded("b", "new")});
  on(event::Committed{});
  ASSERT_EQ(state_.history.size(), 4u);
  EXPECT_EQ(std::get<ToolMessage>(state_.history[2]).content, "seen a");
  EXPECT_EQ(std::get<ToolMessage>(state_.history[3]).content, "new");
}

TEST_F(ResumeTest, AsksTheModelWhenEveryResultIsThereAndCountsTheLostCall) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look"));
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  EXPECT_EQ(state_.step, 1);
  EXPECT_EQ(state_.history.size(), 3u);
}

TEST_F(ResumeTest, GoesOnWithTheRoundAfterTheLastClosedOne) {
  state_.job.messages = {"one", "two"};
  StoredJob rows;
  HumanMessage human;
  human.text = "one";
  rows.messages.push_back({{0, 0, 0}, human});
  rows.messages.push_back({{0, 1, 0}, reply_text("1")});
  StoredRound round;
  round.status = RoundStatus::Completed;
  round.final_answer = "1";
  round.steps = 1;
  rows.rounds.push_back(round);
  resume_with(rows);
  on(event::Committed{});
  EXPECT_EQ(state_.round, 1);
  const Actions last = answer(reply_text("2"));
  EXPECT_EQ(committed(last).finished.value().result.answers.size(), 2u);
  EXPECT_EQ(committed(last).finished->result.totals.steps, 2);
}

TEST_F(ResumeTest, RefusesRowsThatContradictEachOther) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  rows.calls.clear();
  ResumeInput input;
  input.job = state_.job;
  input.stored = rows;
  const auto resumed = resume(std::move(input), moment_);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace ba
