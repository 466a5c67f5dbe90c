// SPDX-License-Identifier: Apache-2.0
// A round step by step, tested as scripts: events in, actions out.
#include "pipeline/core/conversation/machine.hpp"

#include <random>

#include "tests/pipeline/core/conversation/machine_fixture.hpp"

namespace ba {
namespace {

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
  ASSERT_EQ(state_.history.messages.size(), 4u);
  EXPECT_EQ(std::get<ToolMessage>(state_.history.messages[2]).content, "first");
  EXPECT_EQ(std::get<ToolMessage>(state_.history.messages[3]).content, "second");
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
  const auto& told = std::get<ToolMessage>(state_.history.messages.back());
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
  EXPECT_EQ(committed(next).calls_started[0].position.index, 3);
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
    ASSERT_EQ(state_.history.messages.size(), 2 + ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto& told = std::get<ToolMessage>(state_.history.messages[2 + i]);
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
  EXPECT_EQ(state_.history.messages.size(), 3u);
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
  refocus_.every_steps = 1;
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
  for (const Message& message : state_.history.messages) {
    EXPECT_EQ(meta_of(message).user_id, "ann") << meta_of(message).message_id.value;
    seconds.push_back(meta_of(message).timestamp.time_since_epoch() / std::chrono::seconds(1));
  }
  EXPECT_THAT(seconds, testing::ElementsAre(1, 2, 4, 3, 5, 6, 7, 8)) << "in the history's order";
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

TEST_F(MachineTest, CountsTheCallThatACrashLostBeforeItAsksAgain) {
  state_.claim.attempt = 2;
  state_.claim.after_crash = true;
  const Actions first = on(event::Begin{});
  EXPECT_EQ(count<action::AskModel>(first), 0);
  EXPECT_EQ(committed(first).wasted_model_calls, 1);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
}

/// Each call that carries a result saves what it is shorter by, and so do all later ones.
TEST_F(MachineTest, EachCallSavesWhatTheResultsBeforeItAreShorterBy) {
  const InputPrices prices{3'000'000, 300'000, 3'750'000};
  const auto reply = [&](AiMessage message, StopReason stop, std::int64_t left_out) {
    event::ModelAnswered answered;
    answered.reply.message = std::move(message);
    answered.reply.message.usage.input_tokens = 100;
    answered.reply.message.usage.cache_read_tokens = 1'000;
    answered.reply.stop = stop;
    answered.reply.cost_micro_usd = 600;
    answered.reply.input_prices = prices;
    answered.left_out = left_out;
    return on(std::move(answered));
  };
  const auto look = [&](const std::string& id, std::int64_t saved) {
    ToolResult result = succeeded(id, "seen");
    result.saved_tokens = saved;
    on(event::Committed{});
    on(event::ToolFinished{0, std::move(result)});
    on(event::Committed{});
  };
  on(event::Begin{});
  const Actions first = reply(reply_calls({{"a", "look"}}), StopReason::ToolUse, 0);
  EXPECT_EQ(committed(first).steps.at(0).savings, (Savings{{1'000, 2'700}, {}, {}, {}}));
  EXPECT_TRUE(committed(first).steps.at(0).savings_priced);
  look("a", 500);
  const Actions second = reply(reply_calls({{"b", "look"}}), StopReason::ToolUse, 0);
  EXPECT_EQ(committed(second).steps.at(0).savings, (Savings{{1'000, 2'700}, {500, 1'500}, {}, {}}));
  look("b", -100);
  const Actions third = reply(reply_text("42"), StopReason::EndTurn, 2'000);
  EXPECT_EQ(committed(third).steps.at(0).savings,
            (Savings{{1'000, 2'700}, {400, 1'200}, {}, {2'000, 6'000}}));
  EXPECT_EQ(committed(third).finished->result.totals.savings,
            (Savings{{3'000, 8'100}, {900, 2'700}, {}, {2'000, 6'000}}));
}

}  // namespace
}  // namespace ba
