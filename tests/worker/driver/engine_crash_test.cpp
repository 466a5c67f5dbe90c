// SPDX-License-Identifier: Apache-2.0
// Jobs whose worker dies, once or until they count as poisoned.
#include <gmock/gmock.h>

#include "ba/v1/dead_letter.pb.h"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

TEST_F(EngineTest, AnotherLifeGoesOnWithTheJobsOfADeadOne) {
  auto first = begin();
  first->engine->take(records({"a"}));
  // Into the second model call of the job, then the worker is gone.
  ASSERT_TRUE(run_until_asked(2));
  auto second = taken_over_from(*first);
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.attempts, 2);
  EXPECT_EQ(result.totals.wasted_model_calls, 1);
  EXPECT_EQ(model_.asked, 3) << "paid = persisted (2) + recorded as wasted (1)";
}

TEST_F(EngineTest, WhatAToolSaidOfItsDataIsReadAfterACrashAsBefore) {
  tool_->note = "Only the first 2 rows.";
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  const std::string read = observation("a");
  EXPECT_EQ(read, look_at(OutputLevel::Standard) + "\nOnly the first 2 rows.");
  tool_->note = "";
  auto second = taken_over_from(*first);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 1u) << "it isn't run again";
  EXPECT_EQ(observation("a"), read);
  EXPECT_EQ(job("a").calls.begin()->second.note, "Only the first 2 rows.");
}

TEST_F(EngineTest, TheJobsDateIsTheSameAfterACrashOnALaterDay) {
  RunProfile profile = agents_.profiles().at("default");
  profile.limits.deadline = 1000h;
  agents_ = AgentDirectory({profile}, {{"two-step", kContextWindow}});
  std::vector<std::string> asked;
  model_.script = [&](const ModelRequest& request) -> std::optional<AiMessage> {
    asked.push_back(text_for_model(std::get<HumanMessage>(*request.messages.front())));
    return std::nullopt;
  };
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  const std::string line = job_time_line(
      std::chrono::floor<std::chrono::days>(*job("a").first_claimed_at), TimeZone().name());
  auto second = taken_over_from(*first);  // before the question is durable
  ASSERT_TRUE(run_until_asked(3));
  second->engine->drop();
  executor_.run_for(36h);
  ledger_.expire(second->id);
  auto third = begin();
  ledger_.reap(third->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(asked.size(), 4u);
  for (const std::string& text : asked) EXPECT_EQ(text, line + "\n\nhow many?");
}

TEST_F(EngineTest, AQuestionThatBeganWithoutTheDateStaysWithoutItAndOneThatBeganWithItKeepsIt) {
  for (const bool told : {false, true}) {
    const auto set = [this](bool tell) {
      RunProfile profile = agents_.profiles().at("default");
      profile.tell_time = tell;
      agents_ = AgentDirectory({profile}, {{"two-step", kContextWindow}});
    };
    std::vector<bool> asked;
    model_.asked = 0;
    model_.script = [&](const ModelRequest& request) -> std::optional<AiMessage> {
      const auto& question = std::get<HumanMessage>(*request.messages.front());
      asked.push_back(text_for_model(question) != question.text);
      return std::nullopt;
    };
    set(told);
    auto first = begin();
    first->engine->take(records({told ? "with" : "without"}));
    ASSERT_TRUE(run_until_asked(2));
    set(!told);
    auto second = taken_over_from(*first);
    ASSERT_TRUE(run_until_finished(told ? 2 : 1));
    EXPECT_EQ(asked, std::vector<bool>(3, told));
    second->engine->drop();
    ledger_.expire(second->id);
  }
}

TEST_F(EngineTest, EachJobOfAConversationTellsItsOwnDateAndKeepsThoseBefore) {
  std::vector<std::string> read;
  model_.script = [&](const ModelRequest& request) -> std::optional<AiMessage> {
    read.clear();
    for (const Message* message : request.messages)
      if (const auto* human = std::get_if<HumanMessage>(message))
        read.push_back(text_for_model(*human));
    return std::nullopt;
  };
  auto life = begin(10, 1000h);
  life->engine->take(records({"a"}, "talk"));
  ASSERT_TRUE(run_until_finished(1));
  const std::vector<std::string> before = read;
  executor_.run_for(48h);
  life->engine->take(records({"b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0], before.at(0));
  const auto line = [&](const char* id) {
    return job_time_line(std::chrono::floor<std::chrono::days>(*job(id).first_claimed_at), "UTC");
  };
  ASSERT_NE(line("a"), line("b"));
  EXPECT_EQ(read[0], line("a") + "\n\nhow many?");
  EXPECT_EQ(read[1], line("b") + "\n\nhow many?");
}

TEST_F(EngineTest, ATryThatWasLostStaysCountedWhenTheNextOneIsLostInACrash) {
  model_.losses = 1;
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  EXPECT_EQ(job("a").wasted_model_calls.at(first->id), 1) << "before the next one was sent";
  auto second = taken_over_from(*first);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 2);
  EXPECT_EQ(model_.asked, 4) << "paid = persisted (2) + recorded as wasted (2)";
}

/// The value of the one record for the dead-letter topic.
v1::DeadLetter dead_letter_in(const FakeLedger& ledger) {
  v1::DeadLetter letter;
  int found = 0;
  for (const FakeOutboxRow& row : ledger.outbox()) {
    if (row.record.topic != "ba.dead-letters") continue;
    ++found;
    EXPECT_FALSE(read_proto_value(row.record.value, "", letter));
  }
  EXPECT_EQ(found, 1);
  return letter;
}

TEST_F(EngineTest, PoisonsAJobWhoseLoadCrashesItsWorkers) {
  for (int i = 0; i < 10'000; ++i)
    ledger_.fail_next(LedgerCall::Load, ledger_is_down());  // as if it crashed
  auto life = begin();
  life->engine->take(records({"first"}, "talk"));
  ASSERT_TRUE(run_until_finished(1));
  life->engine->take(records({"a"}, "talk"));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    executor_.run_for(1s);
    ASSERT_EQ(job("a").attempt, attempt);
    life = taken_over_from(*life);
  }
  ASSERT_TRUE(run_until_finished(2));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Poisoned);
  EXPECT_EQ(result.error->code, "ATTEMPTS_EXHAUSTED");
  const v1::DeadLetter letter = dead_letter_in(ledger_);
  EXPECT_EQ(letter.tenant(), "acme");
  EXPECT_EQ(letter.job_id(), "a");
  EXPECT_EQ(letter.conversation_id(), "talk");
  EXPECT_EQ(letter.attempts(), 4);
  EXPECT_EQ(letter.code(), "ATTEMPTS_EXHAUSTED");
  EXPECT_EQ(letter.value(), job("a").intake.payload) << "can be sent again";
}

TEST_F(EngineTest, APoisonedJobsDeadLetterCarriesItsConversationAndLeavesAValidHistory) {
  auto life = begin();
  life->engine->take(records({"a"}, "talk"));
  // Up to the first reply, with its call intended and no result of it.
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").calls.size() == 1; }, 10s));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    life->engine->drop();
    ledger_.expire(life->id);
    for (int i = 0; i < 4 && attempt < 3; ++i) {
      Error never;
      never.code = ErrorCode::Unavailable;
      never.retry = Retry::Later;
      ledger_.fail_next(LedgerCall::Load, ledger_is_down());
    }
    life = begin();
    ledger_.reap(life->id, [](auto) {});
    executor_.run_for(1s);
  }
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Poisoned);
  const v1::DeadLetter letter = dead_letter_in(ledger_);
  ASSERT_EQ(letter.conversation().messages_size(), 2) << "the question and the reply";
  EXPECT_NE(letter.conversation().messages(0).json().find("how many?"), std::string::npos);
  EXPECT_EQ(letter.conversation().unreadable(), "");
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Failed);
  EXPECT_EQ(job("a").rounds.at(0).status, RoundStatus::Error);
  EXPECT_EQ(job("a").messages.size(), 3U) << "with the observation of the call";
  EXPECT_THAT(job("a").finished->metrics_json, testing::HasSubstr("\"messages_count\":3,"));
  EXPECT_THAT(job("a").finished->metrics_json, testing::HasSubstr("\"failed_calls\":1,"));
  // The next job of the conversation finds every call answered.
  life->engine->take(records({"b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineTest, AJobsReportCountsItsMessagesAndNoneOfEarlierJobsAlsoAfterATakeOver) {
  auto life = begin();
  life->engine->take(records({"a"}, "talk"));
  ASSERT_TRUE(run_until_finished(1));
  life->engine->take(records({"b"}, "talk"));
  ASSERT_TRUE(executor_.run_until(
      [&] {
        const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId("b"));
        return found != nullptr && found->messages.size() == 3;
      },
      10s));
  life = taken_over_from(*life);
  ASSERT_TRUE(run_until_finished(2));
  for (const char* id : {"a", "b"}) {
    EXPECT_EQ(job(id).messages.size(), 4U) << "question, call, observation, answer";
    EXPECT_THAT(job(id).finished->metrics_json, testing::HasSubstr("\"messages_count\":4,")) << id;
  }
}

TEST_F(EngineTest, APoisonedJobsDeadLetterGoesOutAlsoWhenItsConversationCannotBeRead) {
  auto life = begin();
  for (int i = 0; i < 10'000; ++i) ledger_.fail_next(LedgerCall::Load, ledger_is_down());
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  unreadable.message = "invalid page in block 7";
  ledger_.fail_next(LedgerCall::LoadRemains, unreadable);
  life->engine->take(records({"first"}, "talk"));
  ASSERT_TRUE(run_until_finished(1));
  life->engine->take(records({"a"}, "talk"));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    executor_.run_for(1s);
    life = taken_over_from(*life);
  }
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Poisoned);
  EXPECT_EQ(dead_letter_in(ledger_).conversation().unreadable(), "invalid page in block 7");
}

TEST_F(EngineTest, EndsAJobWhoseStoredFormCannotBeRead) {
  auto life = begin();
  IntakeBatch batch;
  IntakeJob broken;
  broken.job.tenant = TenantId("acme");
  broken.job.job_id = JobId("x");
  broken.job.conversation_id = ConversationId("talk");
  broken.payload = "\xff\xff no protobuf";
  batch.jobs.push_back(broken);
  ledger_.intake(life->id, std::move(batch), ClaimRequest{}, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("x").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Failed);
  EXPECT_EQ(result.job_id.value, "x");
  EXPECT_EQ(result.error->code, "UNREADABLE_JOB");
  EXPECT_NE(result.error->message.find("acme/x"), std::string::npos);
  EXPECT_EQ(dead_letter_in(ledger_).value(), broken.payload);
  life->engine->take(records({"y"}, "talk"));
  ASSERT_TRUE(run_until_finished(2)) << "its conversation goes on";
}

TEST_F(EngineTest, JobsAfterACrashRunAFewAtATimeAndShareNoTransaction) {
  auto life = begin();
  life->engine->take(records({"a", "b", "c", "d"}));
  ASSERT_TRUE(run_until_asked(4));
  life = taken_over_from(*life);
  executor_.run_for(600ms);
  EXPECT_EQ(life->engine->running(), 2) << "retried_max";
  ASSERT_TRUE(run_until_finished(4));
  EXPECT_EQ(ledger_.deltas_alone(), 4 * 4) << "lost call, two steps and a tool's outcome each";
}

TEST_F(EngineTest, ADeadIncarnationDropsEverything) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ledger_.expire(life->id);
  EXPECT_TRUE(executor_.run_until([&] { return life->fenced; }, 10s));
  executor_.run_for(10s);
  EXPECT_EQ(model_.asked, 1);
  EXPECT_TRUE(job("a").steps.empty());
}

TEST_F(EngineTest, ACancelledJobOfADeadLifeRecordsTheCallThatWasLost) {
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  first->engine->drop();
  ledger_.expire(first->id);
  ASSERT_TRUE(control("a", JobAction::Cancel));
  auto second = begin();
  ledger_.reap(second->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
  EXPECT_EQ(model_.asked, 1);
}

}  // namespace
}  // namespace ba::driver
