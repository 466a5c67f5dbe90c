// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LedgerContract, WhatWasAppendedIsLoaded) {
  const auto self = enter();
  const auto job = running_job(self);
  Delta opened = round_opened(job);
  opened.rounds_opened[0].idle_before = Milliseconds(300);
  const Delta replied = step_replied(job, 1, 2);
  ASSERT_TRUE(append(self, opened));
  ASSERT_TRUE(append(self, replied));
  ASSERT_TRUE(append(self, call_started(job, 1, 0)));
  ASSERT_TRUE(append(self, call_finished(job, 1, 0)));
  const auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;

  ASSERT_THAT(stored->messages, SizeIs(3));
  EXPECT_EQ(stored->messages[0].position, (Position{0, 0, 0}));
  EXPECT_EQ(stored->messages[0].message, Message(opened.rounds_opened[0].message));
  EXPECT_EQ(stored->messages[1].message, Message(replied.steps[0].message));
  EXPECT_EQ(stored->messages[2].position, (Position{0, 1, 1}));

  ASSERT_THAT(stored->rounds, SizeIs(1));
  EXPECT_EQ(stored->rounds[0].status, RoundStatus::InProgress);
  EXPECT_EQ(stored->rounds[0].steps, 1);
  EXPECT_EQ(stored->rounds[0].usage.input_tokens, 100);
  EXPECT_EQ(stored->rounds[0].cost_micro_usd, 250);
  EXPECT_TRUE(stored->rounds[0].cost_known);
  EXPECT_EQ(stored->rounds[0].last_model, "scripted/scripted-1");
  EXPECT_EQ(stored->rounds[0].idle_before, Milliseconds(300));

  ASSERT_THAT(stored->calls, SizeIs(2));
  EXPECT_EQ(stored->calls[0].state, ToolCallState::Succeeded);
  EXPECT_EQ(stored->calls[0].retry_count, 1);
  EXPECT_EQ(stored->calls[0].duration, Milliseconds(5));
  EXPECT_EQ(stored->calls[1].state, ToolCallState::Intended);
  EXPECT_EQ(stored->calls[1].tool_call_id.value, "call-1-1");
  EXPECT_EQ(stored->calls[1].parameters, replied.calls_intended[1].parameters);
  EXPECT_EQ(stored->calls[1].effect, EffectClass::Pure);
  EXPECT_EQ(stored->calls[1].tool_version, "1.0.0");
  EXPECT_THAT(stored->history, IsEmpty());
}

/// A call that one worker intended may be started by another, with other settings.
TEST_F(LedgerContract, ACallHasTheVersionOfTheToolThatItWasStartedWith) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  Delta started = call_started(job, 1, 0);
  started.calls_started[0].tool_version = "1.0.0+other";
  ASSERT_TRUE(append(self, started));
  started.calls_started[0].tool_version = "1.0.0+later";
  ASSERT_TRUE(append(self, started));
  ASSERT_TRUE(append(self, call_started(job, 1, 1)));
  const auto stored = load(job);
  ASSERT_THAT(stored->calls, SizeIs(2));
  EXPECT_EQ(stored->calls[0].tool_version, "1.0.0+other") << "once";
  EXPECT_EQ(stored->calls[1].tool_version, "1.0.0") << "nothing else was said";
}

TEST_F(LedgerContract, ARequestForABetterAnswerStandsBehindItsReply) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  Delta replied = step_replied(job, 1, 0);
  HumanMessage request;
  request.meta = replied.steps[0].message.meta;
  request.meta.message_id = MessageId("job-1/0/1.1");
  request.meta.additional_kwargs = {{"isMeta", "true"}};
  request.text = "n: \"many\" is there";
  replied.steps[0].answer_repair = request;
  ASSERT_TRUE(append(self, replied));
  ASSERT_TRUE(append(self, replied)) << "the first answer may have been lost";
  ASSERT_TRUE(append(self, step_replied(job, 2, 0)));
  const auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_THAT(stored->messages, SizeIs(4));
  EXPECT_EQ(stored->messages[2].position, (Position{0, 1, 1}));
  EXPECT_EQ(stored->messages[2].message, Message(request));
  EXPECT_EQ(stored->messages[3].position, (Position{0, 2, 0}));
  EXPECT_THAT(load_remains(job)->conversation.messages, SizeIs(4));
}

TEST_F(LedgerContract, ACallThatTheCacheAnsweredIsLoadedAndLeftAsOne) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  Delta hit = call_finished(job, 1, 0);
  ToolTelemetry& telemetry = hit.calls_finished[0].result.telemetry;
  telemetry.cache_hit = true;
  telemetry.origin_job = job.id;
  telemetry.origin = {0, 1, 1};
  telemetry.execution_id = "run-1";
  telemetry.input_tokens = 4;
  telemetry.output_tokens = 30;
  hit.calls_finished[0].result.note = "Only the first é.";
  ASSERT_TRUE(append(self, hit));
  ASSERT_TRUE(append(self, call_finished(job, 1, 1)));
  const auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_TRUE(stored->calls.at(0).cache_hit);
  EXPECT_FALSE(stored->calls.at(1).cache_hit);
  EXPECT_EQ(stored->calls.at(0).tokens, 34);
  EXPECT_EQ(stored->calls.at(1).tokens, 0);
  EXPECT_EQ(stored->calls.at(0).note, "Only the first é.");
  EXPECT_EQ(stored->calls.at(1).note, "");
  const auto remains = load_remains(job);
  ASSERT_TRUE(remains) << remains.error().message;
  EXPECT_TRUE(remains->calls.at(0).cache_hit);
  EXPECT_FALSE(remains->calls.at(1).cache_hit);
  EXPECT_EQ(remains->calls.at(0).tokens, 34);
}

TEST_F(LedgerContract, APriceThatIsNotKnownMakesTheCostUnknown) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  Delta replied = step_replied(job, 1, 0);
  replied.steps[0].cost_micro_usd.reset();
  ASSERT_TRUE(append(self, replied));
  EXPECT_FALSE(load(job)->rounds.at(0).cost_known);
}

TEST_F(LedgerContract, WhatStepsAndCallsSavedIsLoadedAgain) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  Delta first = step_replied(job, 1, 1);
  first.steps[0].savings = {{1, -2}, {-3, 4}, {}, {5, 6}};
  first.steps[0].savings_priced = true;
  ASSERT_TRUE(append(self, first));
  ASSERT_TRUE(append(self, first)) << "the first answer may have been lost";
  Delta outcome = call_finished(job, 1, 0);
  outcome.calls_finished[0].result.saved_tokens = -7;
  ASSERT_TRUE(append(self, outcome));
  EXPECT_EQ(load(job)->rounds.at(0).savings, first.steps[0].savings);
  Delta second = step_replied(job, 2, 0);
  second.steps[0].savings = {{10, 0}, {30, 0}, {}, {50, 0}};
  ASSERT_TRUE(append(self, second));
  const Savings sum{{11, -2}, {27, 4}, {}, {55, 6}};
  EXPECT_EQ(load(job)->rounds.at(0).savings, sum) << "without prices: tokens alone";
  EXPECT_EQ(load_remains(job)->rounds.at(0).savings, sum);
  EXPECT_EQ(load(job)->calls.at(0).saved_tokens, -7);
  EXPECT_EQ(load_remains(job)->calls.at(0).saved_tokens, -7);
  EXPECT_EQ(load(job)->earlier_saved_tokens, 0) << "they are the job's own";
}

/// Their results are sent again with each call of the next job.
TEST_F(LedgerContract, AJobLearnsWhatTheResultsOfEarlierJobsSaved) {
  const auto self = enter();
  const auto begun = [&](const std::string& id, const std::string& conversation) {
    const JobSpec spec{.job_id = id, .conversation = conversation};
    const auto answer = intake(self, batch_of({spec}), 10);
    for (const ClaimedJob& job : answer->jobs)
      if (job.payload == spec.tenant + "/" + id) return job;
    ADD_FAILURE() << id;
    return ClaimedJob{};
  };
  const ClaimedJob first = begun("a", "talk");
  ASSERT_TRUE(append(self, round_opened(first)));
  ASSERT_TRUE(append(self, step_replied(first, 1, 2)));
  for (const int call : {0, 1}) {
    Delta outcome = call_finished(first, 1, call);
    outcome.calls_finished[0].result.saved_tokens = 100 + call;
    ASSERT_TRUE(append(self, outcome));
  }
  ASSERT_TRUE(append(self, finished(first, "a")));
  EXPECT_EQ(load(begun("b", "talk"))->earlier_saved_tokens, 201);
  EXPECT_EQ(load(begun("c", "elsewhere"))->earlier_saved_tokens, 0);
}

TEST_F(LedgerContract, RepeatingADeltaChangesNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  const std::vector<Delta> deltas{round_opened(job), step_replied(job), call_started(job),
                                  call_finished(job)};
  for (const Delta& delta : deltas) {
    ASSERT_TRUE(append(self, delta));
    const std::string before = rig_->dump();
    ASSERT_TRUE(append(self, delta));
    EXPECT_EQ(rig_->dump(), before);
  }
  const std::string before = rig_->dump();
  for (const Delta& delta : deltas) ASSERT_TRUE(append(self, delta));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, TheFirstOutcomeOfACallStays) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job)));
  ASSERT_TRUE(append(self, call_finished(job)));
  Delta other = call_finished(job);
  other.calls_finished[0].result.state = ToolCallState::Unknown;
  other.calls_finished[0].message.content = "not known";
  const std::string before = rig_->dump();
  ASSERT_TRUE(append(self, other));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, WastedModelCallsAreTheGreatestCountOfEachIncarnation) {
  const auto one = enter("one");
  const auto job = running_job(one);
  Delta delta = delta_for(job);
  for (const int calls : {1, 2, 2}) {
    delta.wasted_model_calls = calls;
    ASSERT_TRUE(append(one, delta));
  }
  EXPECT_EQ(load(job)->wasted_model_calls, 2);
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_TRUE(reap(two));
  ASSERT_THAT(names(claim(two, 1)), SizeIs(1));
  delta.wasted_model_calls = 1;
  ASSERT_TRUE(append(two, delta));
  EXPECT_EQ(load(job)->wasted_model_calls, 3);
}

TEST_F(LedgerContract, TriesLostInsideAnAnsweredCallAreNotCountedTwice) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  Delta replied = step_replied(job);
  replied.steps[0].wasted_calls = 2;
  replied.wasted_model_calls = 3;
  ASSERT_TRUE(append(self, replied));
  EXPECT_EQ(load(job)->wasted_model_calls, 3);
}

TEST_F(LedgerContract, AJobFinishesOnceWithItsOutboxRecords) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 0)));
  EXPECT_THAT(*pending_shards(self), IsEmpty());
  ASSERT_TRUE(append(self, finished(job)));
  const std::string before = rig_->dump();
  EXPECT_TRUE(append(self, finished(job))) << "the first answer may have been lost";
  EXPECT_EQ(rig_->dump(), before);

  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
  const auto stored = load(job);
  EXPECT_EQ(stored->rounds.at(0).status, RoundStatus::Completed);
  EXPECT_EQ(stored->rounds.at(0).final_answer, "42 flights");
  EXPECT_THAT(*pending_shards(self), ElementsAre(1));
  EXPECT_THAT(next_batch(self, 1, 0)->records,
              ElementsAre(outbox_record("result-job-1", 1), outbox_record("metrics-job-1", 1)));
}

TEST_F(LedgerContract, AFinishedJobTakesNothingMore) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  const std::string before = rig_->dump();
  const auto late = append(self, step_replied(job));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Fenced);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, TheNextJobSeesTheConversationSoFar) {
  const auto self = enter();
  const auto answer = intake(self,
                             batch_of({{.job_id = "first", .conversation = "talk"},
                                       {.job_id = "second", .conversation = "talk"},
                                       {.job_id = "apart"}}),
                             10);
  for (const ClaimedJob& job : answer->jobs) {
    ASSERT_TRUE(append(self, round_opened(job)));
    ASSERT_TRUE(append(self, step_replied(job, 1, 0)));
    ASSERT_TRUE(append(self, finished(job, job.payload)));
  }
  const auto second = claim(self, 1);
  ASSERT_THAT(names(second), ElementsAre("acme/second"));
  const auto stored = load(second->jobs[0]);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_THAT(stored->history, SizeIs(2));
  EXPECT_EQ(stored->conversation_rounds, 1);
  EXPECT_THAT(stored->messages, IsEmpty());
  EXPECT_THAT(stored->rounds, IsEmpty());
}

TEST_F(LedgerContract, ManyJobsAppendAtOnce) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 50; ++i) specs.push_back({.job_id = "job-" + std::to_string(i)});
  const auto claimed = intake(self, batch_of(specs), 50);
  ASSERT_THAT(names(claimed), SizeIs(50));
  int answered = 0;
  for (const ClaimedJob& job : claimed->jobs) {
    Delta all = round_opened(job);
    all.steps = step_replied(job).steps;
    all.calls_intended = step_replied(job).calls_intended;
    all.calls_finished = call_finished(job).calls_finished;
    ledger().append(self, share(all), [&](Result<void> result) {
      EXPECT_TRUE(result) << result.error().message;
      ++answered;
    });
  }
  ASSERT_TRUE(rig_->run_until([&] { return answered == 50; }));
  for (const ClaimedJob& job : claimed->jobs) {
    const auto stored = load(job);
    EXPECT_THAT(stored->messages, SizeIs(3));
    EXPECT_EQ(stored->calls.at(0).state, ToolCallState::Succeeded);
  }
}

TEST_F(LedgerContract, OneForeignJobDoesNotStopTheOthersDeltas) {
  const auto self = enter("self");
  const auto other = enter("other");
  const auto foreign = running_job(other, "foreign");
  const auto own = running_job(self, "own");
  std::optional<Result<void>> foreign_answer;
  std::optional<Result<void>> own_answer;
  ledger().append(self, share(round_opened(foreign)), [&](Result<void> r) { foreign_answer = r; });
  ledger().append(self, share(round_opened(own)), [&](Result<void> r) { own_answer = r; });
  ASSERT_TRUE(rig_->run_until([&] { return foreign_answer && own_answer; }));
  ASSERT_FALSE(*foreign_answer);
  EXPECT_EQ(foreign_answer->error().code, ErrorCode::Fenced);
  EXPECT_TRUE(*own_answer);
  EXPECT_THAT(load(foreign)->rounds, IsEmpty());
  EXPECT_THAT(load(own)->rounds, SizeIs(1));
}

}  // namespace ba
