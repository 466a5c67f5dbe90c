// SPDX-License-Identifier: Apache-2.0
// Dead letters, dead jobs, and new jobs made from old ones.
#include "storage/dead_letters.hpp"

#include "pipeline/tool/artifact_store.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CopyJob : public StorageTest {
 protected:
  const PgAccess& access() { return schema().access(); }

  /// A job that asked for one tool, and ended so.
  ClaimedJob ended_job(IncarnationId self, Outcome outcome, const JobSpec& spec) {
    ClaimedJob job;
    const auto answer = intake(self, batch_of({spec}), 10);
    for (const ClaimedJob& claimed : answer->jobs)
      if (claimed.payload == spec.tenant + "/" + spec.job_id) job = claimed;
    EXPECT_TRUE(append(self, round_opened(job)));
    EXPECT_TRUE(append(self, step_replied(job)));
    EXPECT_TRUE(append(self, call_started(job)));
    EXPECT_TRUE(append(self, call_finished(job)));
    Delta end = finished(job, spec.job_id);
    end.finished->result.outcome = outcome;
    if (outcome != Outcome::Completed) {
      end.rounds_closed[0].status = RoundStatus::Error;
      end.finished->result.error = JobError{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
    }
    EXPECT_TRUE(append(self, end));
    return job;
  }

  JobCopy copy_of(const std::string& source, const std::string& made,
                  std::optional<int> from_round) {
    JobCopy copy;
    copy.source = {TenantId("acme"), JobId(source)};
    copy.job = intake_job({.job_id = made});
    copy.from_round = from_round;
    copy.by = "tester";
    return copy;
  }

  static DeadFilter only(const std::string& id) {
    DeadFilter filter;
    filter.ids = {id};
    return filter;
  }

  static DeadFilter because(const std::string& reason) {
    DeadFilter filter;
    filter.reason = reason;
    return filter;
  }

  ClaimedJob claim_copy(IncarnationId self) {
    const auto answer = claim(self, 10);
    EXPECT_THAT(names(answer), SizeIs(1));
    return answer->jobs.at(0);
  }

  StoredJob claimed_copy(IncarnationId self) { return *load(claim_copy(self)); }

  /// Up to where the copy is one: "whole rounds/last step of the next".
  std::string copied_to(const ClaimedJob& copy) {
    const StoredTally tally = load(copy)->tally;
    EXPECT_EQ(load_remains(copy)->tally, tally);
    return std::to_string(tally.copied_rounds) + "/" + std::to_string(tally.copied_step);
  }
};

TEST_F(CopyJob, GoesOnFromWhereTheSourceHadStopped) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  const auto rows = copy_job(access(), copy_of("job-1", "again", std::nullopt));
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rounds, 0);
  EXPECT_TRUE(rows->goes_on);
  const StoredJob stored = claimed_copy(self);
  EXPECT_THAT(stored.history, IsEmpty());
  ASSERT_THAT(stored.messages, SizeIs(3)) << "question, reply, observation";
  ASSERT_THAT(stored.calls, SizeIs(1));
  EXPECT_EQ(stored.calls[0].state, ToolCallState::Succeeded);
  ASSERT_THAT(stored.rounds, SizeIs(1));
  EXPECT_EQ(stored.rounds[0].status, RoundStatus::InProgress);
  EXPECT_EQ(stored.rounds[0].steps, 1);
  EXPECT_EQ(stored.rounds[0].usage, Usage{}) << "it was paid for by the source";
  EXPECT_EQ(stored.rounds[0].cost_micro_usd, 0);
}

TEST_F(CopyJob, KeepsTheAnswersBeforeItsRound) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", 1)));
  const StoredJob stored = claimed_copy(self);
  ASSERT_THAT(stored.rounds, SizeIs(1));
  EXPECT_EQ(stored.rounds[0].status, RoundStatus::Completed);
  EXPECT_EQ(stored.rounds[0].final_answer, "42 flights");
  EXPECT_THAT(stored.messages, SizeIs(3));
}

TEST_F(CopyJob, OneFromARoundOnIsACopyUpToThatRound) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", 1)));
  const ClaimedJob copy = claim_copy(self);
  EXPECT_EQ(copied_to(copy), "1/-1");
  const StoredJob stored = *load(copy);
  EXPECT_EQ(stored.tally.messages, 0);
  EXPECT_THAT(stored.messages, SizeIs(3));
  ASSERT_THAT(stored.calls, SizeIs(1));
  EXPECT_TRUE(stored.calls[0].copied);
  EXPECT_EQ(stored.calls[0].retry_count, 1) << "what became of it is told as it was";
  ASSERT_TRUE(append(self, round_opened(copy, 1)));
  EXPECT_EQ(load(copy)->tally.messages, 1) << "its own question";
  EXPECT_EQ(copied_to(copy), "1/-1");
}

TEST_F(CopyJob, OneFromTheFirstRoundOnIsNoCopyAtAll) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", 0)));
  EXPECT_EQ(copied_to(claim_copy(self)), "0/-1");
}

TEST_F(CopyJob, OneThatGoesOnIsACopyUpToItsSourcesLastStep) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", std::nullopt)));
  const ClaimedJob copy = claim_copy(self);
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

TEST_F(CopyJob, OneThatGoesOnWithoutAReplyIsACopyOfTheQuestion) {
  const auto self = enter();
  const auto answer = intake(self, batch_of({{.job_id = "job-1"}}), 1);
  const ClaimedJob source = answer->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(source)));
  Delta end = finished(source);
  end.finished->result.outcome = Outcome::ModelError;
  end.finished->result.error = JobError{"model", "MODEL_UNAVAILABLE", "it is down"};
  end.rounds_closed[0].status = RoundStatus::Error;
  ASSERT_TRUE(append(self, end));
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", std::nullopt)));
  EXPECT_EQ(copied_to(claim_copy(self)), "0/0");
}

TEST_F(CopyJob, FromTheFirstRoundKeepsNothingOfItsOwn) {
  const auto self = enter();
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", 0)));
  const StoredJob stored = claimed_copy(self);
  EXPECT_THAT(stored.rounds, IsEmpty());
  EXPECT_THAT(stored.messages, IsEmpty());
}

TEST_F(CopyJob, InheritsWhatItsConversationHadBefore) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "first", .conversation = "talk"});
  ended_job(self, Outcome::Poisoned, {.job_id = "second", .conversation = "talk"});
  ended_job(self, Outcome::Completed, {.job_id = "third", .conversation = "talk"});
  ASSERT_TRUE(copy_job(access(), copy_of("second", "again", 0)));
  EXPECT_THAT(claimed_copy(self).history, SizeIs(3)) << "of the first; the third came later";
}

TEST_F(CopyJob, WaitsForWhatItsConversationHasBefore) {
  const auto self = enter();
  const IntakeBatch both = batch_of(
      {{.job_id = "first", .conversation = "talk"}, {.job_id = "second", .conversation = "talk"}});
  const auto taken = intake(self, both, 10);
  ASSERT_THAT(taken->jobs, SizeIs(1)) << "one after the other";
  const ClaimedJob first = taken->jobs[0];
  ASSERT_TRUE(append(self, round_opened(first)));
  ASSERT_TRUE(append(self, step_replied(first)));
  const std::string before = rig_->dump();
  const auto refused = copy_job(access(), copy_of("second", "again", 0));
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("a job before acme/second in its conversation"));
  EXPECT_EQ(rig_->dump(), before);
  ASSERT_TRUE(append(self, call_started(first)));
  ASSERT_TRUE(append(self, call_finished(first)));
  ASSERT_TRUE(append(self, finished(first, "first")));
  ASSERT_TRUE(copy_job(access(), copy_of("second", "again", 0)));
  EXPECT_EQ(schema().query("SELECT count(*) FROM inherited_messages"), "3");
}

TEST_F(CopyJob, ReadsTheArtifactsThatItsHistoryNamesAndNoOtherTenantDoes) {
  const auto self = enter();
  const ClaimedJob source = ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(await<ArtifactKept>([&](auto done) {
    rig().storage().artifacts().keep({"artifact_x", TenantId("acme"), source.id, {0, 0, 1}, "[1]"},
                                     std::move(done));
  }));
  const auto read = [&](const char* tenant, LedgerJobId job) {
    return await<std::string>([&](auto done) {
      rig().storage().artifacts().read({"artifact_x", TenantId(tenant), job}, std::move(done));
    });
  };
  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", 1)));
  JobCopy theirs = copy_of("job-1", "theirs", 1);
  theirs.job = intake_job({.job_id = "theirs", .tenant = "globex"});
  ASSERT_TRUE(copy_job(access(), theirs));
  const auto id_of = [&](const char* job) {
    return LedgerJobId(std::stoll(
        schema().query("SELECT id FROM jobs WHERE job_id = '" + std::string(job) + "'")));
  };
  EXPECT_EQ(read("acme", id_of("again")).value(), "[1]");
  EXPECT_EQ(read("globex", id_of("theirs")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(read("acme", id_of("theirs")).error().code, ErrorCode::NotFound);
}

TEST_F(CopyJob, RefusesWhatDoesNotFitAndThenChangesNothing) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "waits"}})));
  const std::string before = rig_->dump();
  const auto code = [&](const JobCopy& copy) { return copy_job(access(), copy).error().code; };
  EXPECT_EQ(code(copy_of("job-1", "waits", 1)), ErrorCode::Conflict) << "there is such a job";
  EXPECT_EQ(code(copy_of("job-1", "again", 2)), ErrorCode::Conflict) << "one round was answered";
  EXPECT_EQ(code(copy_of("waits", "again", std::nullopt)), ErrorCode::Conflict) << "not ended";
  EXPECT_EQ(code(copy_of("nobody", "again", 0)), ErrorCode::NotFound);
  JobCopy same_talk = copy_of("job-1", "again", 1);
  same_talk.job.job.conversation_id = ConversationId("job:waits");
  EXPECT_EQ(code(same_talk), ErrorCode::Conflict) << "there is such a conversation";
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(CopyJob, DeadThingsAreRecordsAndJobsWithWhatWasDoneAboutThem) {
  const auto self = enter();
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7)};
  ASSERT_TRUE(intake(self, batch));
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  ended_job(self, Outcome::Completed, {.job_id = "fine"});
  auto things = list_dead(access(), {});
  ASSERT_TRUE(things) << things.error().message;
  ASSERT_THAT(*things, SizeIs(2));
  EXPECT_EQ(things->at(0).id(), "acme/job-1");
  EXPECT_EQ(things->at(0).reason, "ATTEMPTS_EXHAUSTED");
  const std::string letter = things->at(1).id();
  EXPECT_EQ(things->at(1).reason, "BAD_JSON");
  EXPECT_EQ(things->at(1).source.offset, 7);

  const auto record = find_dead_record(access(), things->at(1).letter);
  ASSERT_TRUE(record) << record.error().message;
  const DeadLetter wanted = dead_letter(7);
  EXPECT_EQ(record->source, wanted.source);
  EXPECT_EQ(record->reason, wanted.reason);
  EXPECT_EQ(record->field, wanted.field);
  EXPECT_EQ(record->message, wanted.message);
  EXPECT_EQ(record->key, std::nullopt);
  EXPECT_EQ(record->value, wanted.value);
  EXPECT_EQ(record->headers, wanted.headers);
  EXPECT_EQ(record->record.result_id, wanted.record.result_id);
  EXPECT_EQ(find_outbox_record(access(), wanted.record.result_id)->value(), wanted.record);
  EXPECT_EQ(find_outbox_record(access(), ResultId("none"))->has_value(), false);
  const auto note = begin_redrive(access(), things->at(1).letter, true, "ann");
  ASSERT_TRUE(note);
  EXPECT_FALSE(list_dead(access(), only(letter))->at(0).redrives.at(0).sent);
  ASSERT_TRUE(end_redrive(access(), *note));
  EXPECT_TRUE(list_dead(access(), only(letter))->at(0).redrives.at(0).sent);

  ASSERT_TRUE(copy_job(access(), copy_of("job-1", "again", std::nullopt)));
  const auto job = list_dead(access(), only("acme/job-1"));
  ASSERT_THAT(job->at(0).redrives, SizeIs(1));
  EXPECT_EQ(job->at(0).redrives[0].new_job, "acme/again");
  EXPECT_EQ(job->at(0).redrives[0].by, "tester");

  EXPECT_THAT(*list_dead(access(), because("BAD_JSON")), SizeIs(1));
  DeadFilter named;
  named.ids = {letter, "acme/job-1"};
  named.rows_max = 1;
  EXPECT_THAT(list_dead(access(), named).value(), SizeIs(2))
      << "who names things means all of them";
  named.ids.clear();
  EXPECT_THAT(list_dead(access(), named).value(), SizeIs(1));
  EXPECT_EQ(list_dead(access(), only("999")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(list_dead(access(), only("acme/fine")).error().code, ErrorCode::NotFound);
}

TEST_F(CopyJob, DeadThingsOfATenantAreItsJobsAndNoRecords) {
  const auto self = enter();
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7)};
  ASSERT_TRUE(intake(self, batch));
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1"});
  ended_job(self, Outcome::Poisoned, {.job_id = "job-1", .tenant = "other"});
  const auto ids_of = [&](const std::string& tenant, const std::string& reason) {
    DeadFilter filter;
    filter.tenant = tenant;
    filter.reason = reason;
    std::vector<std::string> ids;
    for (const DeadThing& thing : list_dead(access(), filter).value()) ids.push_back(thing.id());
    return ids;
  };
  EXPECT_THAT(ids_of("other", ""), ElementsAre("other/job-1"));
  EXPECT_THAT(ids_of("acme", "ATTEMPTS_EXHAUSTED"), ElementsAre("acme/job-1"));
  EXPECT_THAT(ids_of("acme", "BAD_JSON"), IsEmpty());
  EXPECT_THAT(ids_of("", ""), SizeIs(3));
}

}  // namespace
}  // namespace ba
