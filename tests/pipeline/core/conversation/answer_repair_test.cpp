// SPDX-License-Identifier: Apache-2.0
// Answers that must fit a schema: taken, asked for again, given up; also after a crash.
#include "pipeline/core/conversation/answer_repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/conversation/machine.hpp"
#include "pipeline/core/conversation/resume.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* kSchema =
    R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})";

class AnswerRepairTest : public testing::Test {
 protected:
  AnswerRepairTest() {
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j1");
    state_.job.conversation_id = ConversationId("job:j1");
    state_.job.user_id = "ann";
    state_.job.messages = {"how many?"};
    state_.job.answer_schema = kSchema;
    state_.claim.id = LedgerJobId(7);
  }

  Actions on(Event event) { return advance(state_, std::move(event), moment_, context_); }

  Delta reply(const std::string& text, StopReason stop = StopReason::EndTurn) {
    ModelReply reply;
    reply.message.text = text;
    reply.message.usage = {100, 0, 0, 10, 0};
    reply.stop = stop;
    reply.cost_micro_usd = 5;
    return committed(on(event::ModelAnswered{std::move(reply)}));
  }

  static Delta committed(const Actions& actions) {
    for (const Action& action : actions)
      if (const auto* commit = std::get_if<action::Commit>(&action)) return commit->delta;
    ADD_FAILURE() << "no commit";
    return {};
  }

  static bool asks(const Actions& actions) {
    return std::any_of(actions.begin(), actions.end(), [](const Action& action) {
      return std::holds_alternative<action::AskModel>(action);
    });
  }

  void expect_history_is_valid() {
    const auto valid = validate_history(state_.history.messages, HistoryEnd::Answered);
    EXPECT_TRUE(valid) << valid.error().message;
  }

  /// What the ledger would have of these deltas.
  static StoredJob rows_of(const std::vector<Delta>& deltas) {
    StoredJob rows;
    for (const Delta& delta : deltas) {
      for (const RoundOpened& opened : delta.rounds_opened) {
        rows.messages.push_back({{opened.round, 0, 0}, opened.message});
        StoredRound round;
        round.round = opened.round;
        rows.rounds.push_back(round);
      }
      for (const StepReplied& step : delta.steps) {
        ++rows.rounds.back().steps;
        rows.rounds.back().usage += step.message.usage;
        rows.rounds.back().cost_micro_usd += *step.cost_micro_usd;
        rows.messages.push_back({{step.round, step.step, 0}, step.message});
        if (step.answer_repair)
          rows.messages.push_back(
              {{step.round, step.step, kAnswerRepairIndex}, *step.answer_repair});
      }
      for (const RoundClosed& closed : delta.rounds_closed) {
        rows.rounds.back().status = closed.status;
        rows.rounds.back().final_answer = closed.final_answer;
      }
    }
    return rows;
  }

  /// The worker dies; another one goes on from the rows.
  Actions crash(const std::vector<Delta>& deltas) {
    ResumeInput input;
    input.claimed.id = LedgerJobId(7);
    input.claimed.attempt = 2;
    input.claimed.after_crash = true;
    input.job = state_.job;
    input.profile = state_.profile;
    input.stored = rows_of(deltas);
    auto resumed = resume(std::move(input), moment_);
    EXPECT_TRUE(resumed) << resumed.error().message;
    state_ = std::move(resumed.value());
    committed(on(event::Begin{}));  // the call that the crash lost
    return on(event::Committed{});
  }

  ToolRegistry registry_;
  Publication publication_;
  RefocusRules refocus_ = kNoReminders;
  MachineContext context_{registry_, publication_, refocus_};
  Moment moment_;
  ConversationState state_;
};

TEST_F(AnswerRepairTest, AnAnswerThatFitsIsPublishedAsCompactJson) {
  on(event::Begin{});
  const Delta delta = reply("```json\n{\"n\": 42}\n```");
  ASSERT_TRUE(delta.finished);
  EXPECT_EQ(delta.finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(delta.finished->result.answers.at(0).text, R"({"n":42})");
  EXPECT_EQ(delta.rounds_closed.at(0).final_answer, R"({"n":42})");
  EXPECT_EQ(delta.steps.at(0).message.text, "```json\n{\"n\": 42}\n```")
      << "the history has it all";
  EXPECT_FALSE(delta.steps.at(0).answer_repair);
}

TEST_F(AnswerRepairTest, AJobWithoutASchemaIsAnsweredInAnyText) {
  state_.job.answer_schema.clear();
  on(event::Begin{});
  EXPECT_EQ(reply("42 flights").finished.value().result.answers.at(0).text, "42 flights");
}

TEST_F(AnswerRepairTest, AnEmptyReplyIsAskedToGoOn) {
  state_.job.answer_schema.clear();
  on(event::Begin{});
  const Delta empty = reply(" \n");
  EXPECT_FALSE(empty.finished);
  const HumanMessage& request = empty.steps.at(0).answer_repair.value();
  EXPECT_EQ(request.meta.additional_kwargs.at("isMeta"), "true");
  EXPECT_THAT(request.text, HasSubstr("Your last reply was empty."));
  EXPECT_TRUE(asks(on(event::Committed{})));
  expect_history_is_valid();
  const Delta good = reply("42");
  EXPECT_EQ(good.finished.value().result.answers.at(0).text, "42");
  EXPECT_EQ(good.finished->result.totals.steps, 2);
}

TEST_F(AnswerRepairTest, EmptyRepliesAreAskedToGoOnOnlySoOften) {
  state_.job.answer_schema.clear();
  on(event::Begin{});
  for (int i = 0; i < state_.profile.limits.answer_repairs_max; ++i) {
    EXPECT_FALSE(reply("").finished) << i;
    on(event::Committed{});
  }
  EXPECT_EQ(reply("").finished.value().result.error->code, "EMPTY_REPLY");
}

TEST_F(AnswerRepairTest, ATurnThatWasPausedGoesOnAlsoAfterACrash) {
  state_.job.answer_schema.clear();
  on(event::Begin{});
  std::vector<Delta> deltas{reply("Revenue in ", StopReason::Other)};
  EXPECT_FALSE(deltas[0].finished) << "half a text is no answer";
  EXPECT_THAT(deltas[0].steps.at(0).answer_repair.value().text, HasSubstr("was paused"));
  EXPECT_TRUE(asks(on(event::Committed{})));
  deltas.push_back(reply("March was ", StopReason::Other));
  EXPECT_FALSE(deltas[1].finished);
  EXPECT_TRUE(asks(crash(deltas)));
  expect_history_is_valid();
  const Delta last = reply("12 million.");
  EXPECT_EQ(last.finished.value().result.answers.at(0).text, "Revenue in March was 12 million.");
  EXPECT_EQ(last.finished->result.totals.steps, 3);
}

TEST_F(AnswerRepairTest, NothingOfAPausedTurnIsLostWhateverStandsBetween) {
  state_.job.answer_schema.clear();
  refocus_.every_steps = 1;  // a reminder stands behind each request to go on
  on(event::Begin{});
  reply("A", StopReason::Other);
  EXPECT_TRUE(asks(on(event::Committed{})));
  EXPECT_GT(state_.history.messages.size(), 3U) << "the reminder";
  reply("B", StopReason::Other);
  on(event::Committed{});
  EXPECT_EQ(reply("C").finished.value().result.answers.at(0).text, "ABC");
}

TEST_F(AnswerRepairTest, APausedTurnMayEndWithoutAWordOrBeCut) {
  state_.job.answer_schema.clear();
  on(event::Begin{});
  reply("A", StopReason::Other);
  on(event::Committed{});
  EXPECT_EQ(reply("").finished.value().result.answers.at(0).text, "A");
  const Job job = state_.job;
  state_ = ConversationState();
  state_.job = job;
  state_.claim.id = LedgerJobId(7);
  on(event::Begin{});
  reply("A", StopReason::Other);
  on(event::Committed{});
  const Delta cut = reply("B", StopReason::MaxTokens);
  EXPECT_EQ(cut.finished.value().result.outcome, Outcome::Truncated);
  EXPECT_EQ(cut.finished->result.answers.at(0).text, "AB");
}

TEST_F(AnswerRepairTest, ATurnIsPausedOnlySoOften) {
  state_.job.answer_schema.clear();
  state_.profile.limits.answer_repairs_max = 0;
  on(event::Begin{});
  const auto finished = reply("Revenue in ", StopReason::Other).finished;
  EXPECT_EQ(finished.value().result.error->code, "TURN_UNFINISHED");
  EXPECT_TRUE(finished->result.answers.empty());
}

TEST_F(AnswerRepairTest, AnEarlierAnswerIsNoPartOfTheNext) {
  state_.job.answer_schema.clear();
  state_.job.messages = {"a?", "b?"};
  on(event::Begin{});
  reply("one");
  on(event::Committed{});
  EXPECT_EQ(reply("two").finished.value().result.answers.at(1).text, "two");
}

TEST_F(AnswerRepairTest, WhatDoesNotFitIsAskedForAgainByAHiddenMessageThatIsDurableFirst) {
  on(event::Begin{});
  const Delta delta = reply(R"({"n":"many"})");
  EXPECT_FALSE(delta.finished);
  EXPECT_TRUE(delta.rounds_closed.empty());
  const HumanMessage& repair = delta.steps.at(0).answer_repair.value();
  EXPECT_EQ(repair.meta.message_id.value, "j1/0/1.1");
  EXPECT_EQ(repair.meta.round_id, "j1/0");
  EXPECT_EQ(repair.meta.user_id, "ann");
  EXPECT_EQ(repair.meta.additional_kwargs.at("isMeta"), "true");
  EXPECT_THAT(repair.text, HasSubstr("n: \"many\" is there; it must be of type integer"));
  EXPECT_TRUE(asks(on(event::Committed{})));
  ASSERT_EQ(state_.history.messages.size(), 3u);
  EXPECT_EQ(std::get<HumanMessage>(state_.history.messages.back()), repair);
  expect_history_is_valid();

  const Delta good = reply(R"({"n":42})");
  EXPECT_EQ(good.finished.value().result.answers.at(0).text, R"({"n":42})");
  EXPECT_EQ(good.finished->result.totals.steps, 2);
  EXPECT_EQ(good.finished->result.totals.cost_micro_usd, 10);
  EXPECT_TRUE(good.rounds_opened.empty());
}

TEST_F(AnswerRepairTest, EndsWhenNoAnswerFits) {
  on(event::Begin{});
  reply("no");
  on(event::Committed{});
  reply("nor this");
  on(event::Committed{});
  const Delta last = reply(R"({"n":1.5})");
  ASSERT_TRUE(last.finished);
  const JobResult& result = last.finished->result;
  EXPECT_EQ(result.outcome, Outcome::ModelError);
  EXPECT_EQ(result.error->code, "ANSWER_INVALID");
  EXPECT_THAT(result.error->message,
              HasSubstr("after 2 requests for a better one (answer_repairs_max); the last one: n: "
                        "1.5 is there; it must be of type integer"));
  EXPECT_THAT(result.error->message, EndsWith("; it began: {\"n\":1.5}"));
  EXPECT_TRUE(result.answers.empty());
  EXPECT_EQ(result.totals.steps, 3);
  EXPECT_EQ(last.steps.at(0).message.text, R"({"n":1.5})") << "the ledger keeps it";
  EXPECT_FALSE(last.steps.at(0).answer_repair) << "nobody is asked";
  EXPECT_EQ(last.rounds_closed.at(0).status, RoundStatus::Error);
}

TEST_F(AnswerRepairTest, TheErrorHasTheFirstCharactersOfTheLastAnswerOnOneLine) {
  state_.profile.limits.answer_repairs_max = 0;
  on(event::Begin{});
  std::string text = "I looked:\n";
  for (int i = 0; i < 1000; ++i) text += "\u00e9";
  const std::string message = reply(text).finished.value().result.error->message;
  std::string begun = "; it began: I looked: ";
  for (int i = 0; i < 180; ++i) begun += "\u00e9";
  EXPECT_THAT(message, HasSubstr(begun));
  EXPECT_LT(message.size(), 1000U);
}

TEST_F(AnswerRepairTest, MayBeToldNotToAskAgain) {
  state_.profile.limits.answer_repairs_max = 0;
  on(event::Begin{});
  EXPECT_EQ(reply("no").finished.value().result.error->code, "ANSWER_INVALID");
}

TEST_F(AnswerRepairTest, CountsAnewInEachRound) {
  state_.job.messages = {"one", "two"};
  state_.profile.limits.answer_repairs_max = 1;
  on(event::Begin{});
  for (const int round : {0, 1}) {
    EXPECT_TRUE(reply("no").steps.at(0).answer_repair) << round;
    on(event::Committed{});
    const Delta good = reply(R"({"n":1})");
    EXPECT_EQ(good.rounds_closed.at(0).final_answer, R"({"n":1})");
    EXPECT_EQ(good.finished.has_value(), round == 1);
    on(event::Committed{});
  }
}

TEST_F(AnswerRepairTest, AsksOnlyWithinTheLimitsOfAllSteps) {
  state_.profile.limits.steps_per_round_max = 2;
  on(event::Begin{});
  EXPECT_TRUE(reply("no").steps.at(0).answer_repair);
  on(event::Committed{});
  const Delta steps = reply("no");
  EXPECT_EQ(steps.finished.value().result.outcome, Outcome::StepLimit);
  EXPECT_FALSE(steps.steps.at(0).answer_repair);
}

TEST_F(AnswerRepairTest, AnAnswerAtTheStepLimitThatFitsIsAnAnswer) {
  state_.job.messages = {"one", "two"};
  state_.profile.limits.steps_per_round_max = 2;
  on(event::Begin{});
  reply("no");
  on(event::Committed{});
  EXPECT_FALSE(reply(R"({"n":1})").finished) << "the next round has steps of its own";
  EXPECT_TRUE(asks(on(event::Committed{})));
}

TEST_F(AnswerRepairTest, AsksForNothingBeyondTheJobsTokensAndCost) {
  for (const bool tokens : {true, false}) {
    ConversationState fresh = state_;
    if (tokens) fresh.profile.limits.tokens_max = 110;
    if (!tokens) fresh.profile.limits.cost_micro_usd_max = 5;
    std::swap(state_, fresh);
    on(event::Begin{});
    EXPECT_EQ(reply("no").finished.value().result.outcome,
              tokens ? Outcome::TokenLimit : Outcome::CostLimit);
    std::swap(state_, fresh);
  }
}

TEST_F(AnswerRepairTest, PublishesNoPartOfAnAnswerThatWasCut) {
  on(event::Begin{});
  const Delta delta = reply(R"({"n":4)", StopReason::MaxTokens);
  EXPECT_EQ(delta.finished.value().result.outcome, Outcome::Truncated);
  EXPECT_TRUE(delta.finished->result.answers.empty());
  EXPECT_EQ(delta.steps.at(0).message.text, R"({"n":4)");
}

TEST_F(AnswerRepairTest, AfterACrashBehindTheRequestItIsNotMadeAgain) {
  on(event::Begin{});
  const Delta first = reply("no");
  EXPECT_TRUE(asks(crash({first})));
  ASSERT_EQ(state_.history.messages.size(), 3u);
  EXPECT_EQ(std::get<HumanMessage>(state_.history.messages.back()),
            first.steps[0].answer_repair.value());
  expect_history_is_valid();
  const Delta second = reply("no");
  EXPECT_EQ(second.steps.at(0).step, 2);
  EXPECT_EQ(second.steps.at(0).answer_repair->meta.message_id.value, "j1/0/2.1");
  const Delta last = [&] {
    crash({first, second});
    return reply("no");
  }();
  EXPECT_EQ(last.finished.value().result.error->code, "ANSWER_INVALID") << "two requests are all";
  EXPECT_EQ(last.finished->result.totals.steps, 3);
}

TEST_F(AnswerRepairTest, AfterACrashBeforeTheReplyWasDurableTheSameIsAskedAgain) {
  on(event::Begin{});
  const Delta first = reply("no");
  on(event::Committed{});
  reply("never written");
  EXPECT_TRUE(asks(crash({first})));
  EXPECT_EQ(state_.round.step, 1);
  EXPECT_EQ(state_.round.answer_repairs, 1);
  EXPECT_TRUE(reply(R"({"n":1})").finished);
}

TEST_F(AnswerRepairTest, AfterACrashAtTheStepLimitNothingMoreIsPaid) {
  state_.profile.limits.steps_per_round_max = 2;
  on(event::Begin{});
  const Delta first = reply("no");
  state_.profile.limits.steps_per_round_max = 1;  // the configuration was changed meanwhile
  ResumeInput input;
  input.job = state_.job;
  input.profile = state_.profile;
  input.stored = rows_of({first});
  state_ = resume(std::move(input), moment_).value();
  EXPECT_EQ(committed(on(event::Begin{})).finished.value().result.outcome, Outcome::StepLimit);
}

TEST_F(AnswerRepairTest, RequestsOfEarlierRoundsAreNotCounted) {
  state_.job.messages = {"one", "two"};
  on(event::Begin{});
  const Delta first = reply("no");
  on(event::Committed{});
  const Delta good = reply(R"({"n":1})");
  EXPECT_TRUE(asks(crash({first, good})));
  EXPECT_EQ(state_.round.number, 1);
  EXPECT_EQ(state_.round.answer_repairs, 0);
  EXPECT_EQ(state_.answers.at(0).text, R"({"n":1})");
}

}  // namespace
}  // namespace ba
