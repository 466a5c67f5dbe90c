// SPDX-License-Identifier: Apache-2.0
// New jobs that people make from old ones: what they begin with, and the mark up to where they are
// copies.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::IsEmpty;
using testing::SizeIs;

namespace {

CompressionRow compression_at(int round, int step) {
  CompressionRow row;
  row.at = {round, step, 0};
  row.mode = "extract";
  row.reason = "too much";
  row.tokens_before = 900;
  row.tokens_after = 400;
  return row;
}

Delta compressed(const ClaimedJob& job, int round, int step) {
  Delta delta = delta_for(job);
  delta.compressions.push_back(compression_at(round, step));
  return delta;
}

class LedgerCopyContract : public LedgerContract {
 protected:
  /// How a job ends: answered, or within its round.
  static Delta end_of(const ClaimedJob& job, const std::string& job_id, Outcome outcome) {
    Delta end = finished(job, job_id);
    end.finished->result.outcome = outcome;
    if (outcome == Outcome::Completed) return end;
    end.rounds_closed[0].status = RoundStatus::Error;
    end.finished->result.error = JobError{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
    return end;
  }

  /// A job that asked for one tool, and ended so.
  ClaimedJob ended_job(IncarnationId self, Outcome outcome, const JobSpec& spec) {
    const ClaimedJob job = job_in_step_two(self, spec);
    EXPECT_TRUE(append(self, end_of(job, spec.job_id, outcome)));
    return job;
  }

  Result<storage::CopiedRows> copy(const std::string& source, const std::string& made,
                                   std::optional<int> from_round) {
    storage::JobCopy copy;
    copy.source = {TenantId("acme"), JobId(source)};
    copy.job = intake_job({.job_id = made});
    copy.from_round = from_round;
    copy.by = "tester";
    return rig_->copy_job(copy);
  }

  ClaimedJob claimed_copy(IncarnationId self, const std::string& source, const std::string& made,
                          std::optional<int> from_round) {
    const auto rows = copy(source, made, from_round);
    EXPECT_TRUE(rows) << rows.error().message;
    const auto answer = claim(self, 10);
    for (const ClaimedJob& job : answer->jobs)
      if (job.payload == "acme/" + made) return job;
    ADD_FAILURE() << made << " was not claimed";
    return {};
  }

  /// Up to where the job is a copy: "whole rounds/last step of the next".
  std::string copied_to(const ClaimedJob& copy) {
    const StoredTally tally = load(copy)->tally;
    EXPECT_EQ(load_remains(copy)->tally, tally);
    return std::to_string(tally.copied_rounds) + "/" + std::to_string(tally.copied_step);
  }
};

}  // namespace

TEST_F(LedgerCopyContract, GoesOnFromWhereTheSourceHadStopped) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  const auto rows = copy("job-1", "again", std::nullopt);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rounds, 0);
  EXPECT_TRUE(rows->goes_on);
  const auto answer = claim(self, 10);
  ASSERT_THAT(names(answer), SizeIs(1));
  const StoredJob stored = *load(answer->jobs.at(0));
  EXPECT_THAT(stored.history, IsEmpty());
  ASSERT_THAT(stored.messages, SizeIs(3)) << "question, reply, observation";
  ASSERT_THAT(stored.calls, SizeIs(1));
  EXPECT_EQ(stored.calls[0].state, ToolCallState::Succeeded);
  ASSERT_THAT(stored.rounds, SizeIs(1));
  EXPECT_EQ(stored.rounds[0].status, RoundStatus::InProgress);
  EXPECT_EQ(stored.rounds[0].steps, 1);
  EXPECT_EQ(stored.rounds[0].usage, Usage{}) << "it was paid for by the source";
  EXPECT_EQ(stored.rounds[0].cost_micro_usd, 0);
  EXPECT_TRUE(stored.rounds[0].cost_known);
}

/// Its payload may say when the source was asked.
TEST_F(LedgerCopyContract, ACopyWaitsFromWhenItWasMade) {
  const auto self = enter();
  ended_job(self, Outcome::Failed, {.job_id = "job-1"});
  storage::JobCopy wanted;
  wanted.source = {TenantId("acme"), JobId("job-1")};
  wanted.job = intake_job({.job_id = "again"});
  wanted.job.job.created_at = *parse_rfc3339("2026-11-27T08:00:00.000001Z");
  wanted.by = "tester";
  ASSERT_TRUE(rig_->copy_job(wanted));
  const auto answer = claim(self, 10);
  ASSERT_THAT(names(answer), SizeIs(1));
  EXPECT_EQ(answer->jobs[0].created_at, wanted.job.job.created_at);
}

/// Its history has the same results; what their calls saved is the source's.
TEST_F(LedgerCopyContract, KeepsHowShortItsResultsAreAndNoSavings) {
  const auto self = enter();
  const auto work = [&](const std::string& id) {
    const auto answer = intake(self, batch_of({{.job_id = id, .conversation = "talk"}}), 10);
    const ClaimedJob job = answer->jobs.at(0);
    EXPECT_TRUE(append(self, round_opened(job)));
    Delta replied = step_replied(job, 1, 1);
    replied.steps[0].savings = {{1, 2}, {3, 4}, {}, {5, 6}};
    replied.steps[0].savings_priced = true;
    EXPECT_TRUE(append(self, replied));
    Delta outcome = call_finished(job, 1, 0);
    outcome.calls_finished[0].result.saved_tokens = 40;
    EXPECT_TRUE(append(self, outcome));
    EXPECT_TRUE(append(self, end_of(job, id, Outcome::Poisoned)));
  };
  for (const char* id : {"one", "two", "three"}) work(id);
  const StoredJob stored = *load(claimed_copy(self, "two", "again", std::nullopt));
  EXPECT_EQ(stored.earlier_saved_tokens, 40) << "of job one alone";
  EXPECT_EQ(stored.calls.at(0).saved_tokens, 40);
  EXPECT_EQ(stored.rounds.at(0).savings, Savings{});
}

TEST_F(LedgerCopyContract, WaitsForWhatItsConversationHasBefore) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "first", .conversation = "talk"},
                                     {.job_id = "second", .conversation = "talk"}})));
  const auto refused = copy("second", "again", 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("in its conversation has not ended"));
  const auto taken = claim(self, 10);
  ASSERT_THAT(names(taken), SizeIs(1));
  ASSERT_TRUE(append(self, round_opened(taken->jobs[0])));
  ASSERT_TRUE(append(self, end_of(taken->jobs[0], "first", Outcome::Completed)));
  EXPECT_TRUE(copy("second", "again", 0));
}

TEST_F(LedgerCopyContract, AnAnswerThatEndedNothingIsGivenAgain) {
  const auto self = enter();
  const auto source = job_in_step_two(self);
  ASSERT_TRUE(append(self, step_replied(source, 2, 0)));
  ASSERT_TRUE(append(self, end_of(source, "job-1", Outcome::Poisoned)));
  const auto copy = claimed_copy(self, "job-1", "again", std::nullopt);
  EXPECT_THAT(load(copy)->messages, SizeIs(3));
  EXPECT_EQ(load(copy)->rounds.at(0).steps, 1);
  EXPECT_EQ(copied_to(copy), "0/1");
}

TEST_F(LedgerCopyContract, KeepsTheAnswersBeforeItsRound) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  const StoredJob stored = *load(claimed_copy(self, "job-1", "again", 1));
  ASSERT_THAT(stored.rounds, SizeIs(1));
  EXPECT_EQ(stored.rounds[0].status, RoundStatus::Completed);
  EXPECT_EQ(stored.rounds[0].final_answer, "42 flights");
  EXPECT_EQ(stored.rounds[0].usage, Usage{});
  EXPECT_THAT(stored.messages, SizeIs(3));
}

TEST_F(LedgerCopyContract, FromTheFirstRoundKeepsNothingOfItsOwn) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  const StoredJob stored = *load(claimed_copy(self, "job-1", "again", 0));
  EXPECT_THAT(stored.rounds, IsEmpty());
  EXPECT_THAT(stored.messages, IsEmpty());
}

TEST_F(LedgerCopyContract, InheritsWhatItsConversationHadBefore) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "first", .conversation = "talk"});
  ended_job(self, Outcome::Poisoned, {.job_id = "second", .conversation = "talk"});
  ended_job(self, Outcome::Completed, {.job_id = "third", .conversation = "talk"});
  const auto copy = claimed_copy(self, "second", "again", 0);
  EXPECT_THAT(load(copy)->history, SizeIs(3)) << "of the first; the third came later";
  EXPECT_EQ(load(copy)->tally.messages, 0);
  EXPECT_THAT(load_remains(copy)->conversation.messages, SizeIs(3));
  ASSERT_TRUE(append(self, round_opened(copy)));
  ASSERT_TRUE(append(self, end_of(copy, "again", Outcome::Poisoned)));
  EXPECT_THAT(load(claimed_copy(self, "again", "anew", 0))->history, SizeIs(3))
      << "also of a copy's copy";
}

TEST_F(LedgerCopyContract, RefusesWhatDoesNotFitAndThenChangesNothing) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "waits"}})));
  const std::string before = rig_->dump();
  const auto code = [&](const char* source, const char* made, std::optional<int> from_round) {
    return copy(source, made, from_round).error().code;
  };
  EXPECT_EQ(code("job-1", "waits", 1), ErrorCode::Conflict) << "there is such a job";
  EXPECT_EQ(code("job-1", "again", 2), ErrorCode::Conflict) << "one round was answered";
  EXPECT_EQ(code("waits", "again", std::nullopt), ErrorCode::Conflict) << "not ended";
  EXPECT_EQ(code("nobody", "again", 0), ErrorCode::NotFound);
  storage::JobCopy same_talk;
  same_talk.source = {TenantId("acme"), JobId("job-1")};
  same_talk.job = intake_job({.job_id = "again", .conversation = "job:waits"});
  same_talk.from_round = 1;
  EXPECT_EQ(rig_->copy_job(same_talk).error().code, ErrorCode::Conflict)
      << "there is such a conversation";
  EXPECT_EQ(rig_->dump(), before);
}

// ---- the mark ----------------------------------------------------------------------------------

TEST_F(LedgerCopyContract, AJobThatWasMadeFromNoneIsNoCopy) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  EXPECT_EQ(copied_to(job), "0/-1");
  EXPECT_EQ(load(job)->tally.messages, 3);
  EXPECT_FALSE(load(job)->calls.at(0).copied);
}

TEST_F(LedgerCopyContract, OneFromARoundOnIsACopyUpToThatRound) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  const auto copy = claimed_copy(self, "job-1", "again", 1);
  EXPECT_EQ(copied_to(copy), "1/-1");
  const StoredJob stored = *load(copy);
  EXPECT_EQ(stored.tally.messages, 0);
  ASSERT_THAT(stored.calls, SizeIs(1));
  EXPECT_TRUE(stored.calls[0].copied);
  EXPECT_EQ(stored.calls[0].retry_count, 1) << "what became of it is told as it was";
  ASSERT_TRUE(append(self, round_opened(copy, 1)));
  EXPECT_EQ(load(copy)->tally.messages, 1) << "its own question";
  EXPECT_EQ(copied_to(copy), "1/-1");
}

TEST_F(LedgerCopyContract, OneFromTheFirstRoundOnIsNoCopyAtAll) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  EXPECT_EQ(copied_to(claimed_copy(self, "job-1", "again", 0)), "0/-1");
}

TEST_F(LedgerCopyContract, OneThatGoesOnIsACopyUpToItsSourcesLastStep) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  const auto copy = claimed_copy(self, "job-1", "again", std::nullopt);
  EXPECT_EQ(copied_to(copy), "0/1");
  EXPECT_EQ(load(copy)->tally.messages, 0);
  EXPECT_TRUE(load(copy)->calls.at(0).copied);
  ASSERT_TRUE(append(self, step_replied(copy, 2)));
  ASSERT_TRUE(append(self, call_finished(copy, 2)));
  const StoredJob stored = *load(copy);
  EXPECT_EQ(stored.tally.messages, 2) << "reply and observation";
  ASSERT_THAT(stored.calls, SizeIs(2));
  EXPECT_FALSE(stored.calls[1].copied);
  EXPECT_EQ(copied_to(copy), "0/1") << "whatever it has done since";
}

TEST_F(LedgerCopyContract, OneThatGoesOnWithoutAReplyIsACopyOfTheQuestion) {
  const auto self = enter();
  const auto source = running_job(self);
  ASSERT_TRUE(append(self, round_opened(source)));
  ASSERT_TRUE(append(self, end_of(source, "job-1", Outcome::ModelError)));
  EXPECT_EQ(copied_to(claimed_copy(self, "job-1", "again", std::nullopt)), "0/0");
}

TEST_F(LedgerCopyContract, ACopysCopyIsOneOfAllThatItsSourceHad) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  const auto copy = claimed_copy(self, "job-1", "again", std::nullopt);
  ASSERT_TRUE(append(self, step_replied(copy, 2)));
  ASSERT_TRUE(append(self, call_finished(copy, 2)));
  ASSERT_TRUE(append(self, end_of(copy, "again", Outcome::Completed)));
  const auto anew = claimed_copy(self, "again", "anew", std::nullopt);
  EXPECT_EQ(copied_to(anew), "1/-1") << "its answered round";
  EXPECT_EQ(load(anew)->tally.messages, 0);
  ASSERT_TRUE(append(self, round_opened(anew, 1)));
  ASSERT_TRUE(append(self, in_round(1, step_replied(anew))));
  ASSERT_TRUE(append(self, in_round(1, call_finished(anew))));
  ASSERT_TRUE(append(self, in_round(1, end_of(anew, "anew", Outcome::Poisoned))));
  const auto last = claimed_copy(self, "anew", "last", std::nullopt);
  EXPECT_EQ(copied_to(last), "1/1");
  const auto stored = load(last);
  EXPECT_EQ(stored->tally.messages, 0);
  for (const StoredToolCall& call : stored->calls) EXPECT_TRUE(call.copied);
}

TEST_F(LedgerCopyContract, CompressionsOfTheSourceAreNotAmongItsOwn) {
  const auto self = enter();
  const auto source = job_in_step_two(self);
  ASSERT_TRUE(append(self, compressed(source, 0, 1)));
  ASSERT_TRUE(append(self, compressed(source, 0, 2)));
  ASSERT_TRUE(append(self, end_of(source, "job-1", Outcome::Poisoned)));
  const auto copy = claimed_copy(self, "job-1", "again", std::nullopt);
  EXPECT_EQ(load(copy)->tally.compressions, 0);
  EXPECT_EQ(load_remains(copy)->tally.compressions, 0);
  ASSERT_TRUE(append(self, compressed(copy, 0, 2))) << "at the reply that it asks for anew";
  EXPECT_EQ(load(copy)->tally.compressions, 1);
  EXPECT_EQ(load_remains(copy)->tally.compressions, 1);
  EXPECT_EQ(load(source)->tally.compressions, 2);
}

TEST_F(LedgerCopyContract, HasWhatWasCountedForTheRepliesThatCameAlong) {
  const auto self = enter();
  const auto source = job_in_step_two(self, {.job_id = "job-1"});
  Delta delta = delta_for(source);
  for (const int step : {1, 2}) {
    ExactCountRow row;
    row.at = {0, step, 0};
    row.model = "main";
    row.estimated = 1'000;
    row.tokens = 900 + step;
    delta.exact_counts.push_back(row);
  }
  ASSERT_TRUE(append(self, delta));
  ASSERT_TRUE(append(self, end_of(source, "job-1", Outcome::Poisoned)));
  const auto copy = claimed_copy(self, "job-1", "again", std::nullopt);
  EXPECT_EQ(load(copy)->exact_counts, (std::vector<ExactCountRow>{delta.exact_counts[0]}))
      << "the second reply never came";
  Delta own = delta_for(copy);
  own.exact_counts = {delta.exact_counts[1]};
  own.exact_counts[0].tokens = 950;
  ASSERT_TRUE(append(self, own));
  EXPECT_EQ(load(copy)->exact_counts.back(), own.exact_counts[0]) << "its own";
}

TEST_F(LedgerCopyContract, KnowsWhatWasRefusedInTheConversationOfItsSource) {
  const auto self = enter();
  const auto row_at = [](int round, int step, int refusal, std::int64_t window) {
    RefusedContextRow row;
    row.at = {round, step, refusal};
    row.model = "main";
    row.window = window;
    row.of_window = 1'000;
    return row;
  };
  const JobSpec talk{.job_id = "job-1", .conversation = "talk"};
  const auto earlier = job_in_step_two(self, talk);
  Delta delta = delta_for(earlier);
  delta.refused_contexts = {row_at(0, 2, 1, 900), row_at(0, 2, 2, 800)};
  ASSERT_TRUE(append(self, delta));
  ASSERT_TRUE(append(self, end_of(earlier, "job-1", Outcome::Completed)));
  const JobSpec next{.job_id = "job-2", .conversation = "talk"};
  const auto source = job_in_step_two(self, next);
  delta = delta_for(source);
  delta.refused_contexts = {row_at(0, 1, 1, 750), row_at(0, 2, 1, 700)};
  ASSERT_TRUE(append(self, delta));
  ASSERT_TRUE(append(self, end_of(source, "job-2", Outcome::Poisoned)));
  const auto copy = claimed_copy(self, "job-2", "again", std::nullopt);
  const std::vector<RefusedContextRow> expected{row_at(-1, 0, 0, 900), row_at(-1, 0, 0, 800),
                                                row_at(-1, 0, 0, 700), row_at(0, 1, 1, 750)};
  EXPECT_EQ(load(copy)->refused_contexts, expected) << "the reply of the 700 never came";
  delta = delta_for(copy);
  delta.refused_contexts = {row_at(0, 2, 1, 600)};
  ASSERT_TRUE(append(self, delta));
  EXPECT_EQ(load(copy)->refused_contexts.back(), row_at(0, 2, 1, 600)) << "its own";
  ASSERT_TRUE(append(self, end_of(copy, "again", Outcome::Poisoned)));
  const auto anew = claimed_copy(self, "again", "anew", 0);
  EXPECT_EQ(load(anew)->refused_contexts,
            (std::vector<RefusedContextRow>{row_at(-1, 0, 0, 900), row_at(-1, 0, 0, 800),
                                            row_at(-1, 0, 0, 700)}));
}

}  // namespace ba
