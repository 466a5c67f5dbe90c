// SPDX-License-Identifier: Apache-2.0
// Dead letters and dead jobs, and what new jobs made from old ones may read; what these begin with
// is in the ledger's contract.
#include "storage/dead_letters.hpp"

#include <atomic>
#include <thread>

#include "pipeline/core/tool/artifact_store.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
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
};

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

TEST_F(CopyJob, OfManyAtOnceUnderOneNameOneIsMade) {
  const auto self = enter();
  ended_job(self, Outcome::Completed, {.job_id = "one"});
  ended_job(self, Outcome::Poisoned, {.job_id = "two"});
  for (int round = 0; round < 20; ++round) {
    const std::string name = "again-" + std::to_string(round);
    std::atomic<int> made{0};
    std::vector<std::thread> forks;
    for (int i = 0; i < 4; ++i)
      forks.emplace_back([&, i] {
        const auto from = i % 2 == 0 ? std::optional(1) : std::nullopt;
        const auto rows = copy_job(access(), copy_of(i % 2 == 0 ? "one" : "two", name, from));
        if (rows)
          ++made;
        else
          EXPECT_EQ(rows.error().message,
                    "there is a job acme/" + name + " already; name another with --as");
      });
    for (std::thread& fork : forks) fork.join();
    EXPECT_EQ(made, 1) << name;
  }
}

TEST_F(CopyJob, ReadsTheArtifactsThatItsHistoryNamesAndNoOtherTenantDoes) {
  const auto self = enter();
  const ClaimedJob source = ended_job(self, Outcome::Completed, {.job_id = "job-1"});
  ASSERT_TRUE(await<ArtifactKept>([&](auto done) {
    rig().storage().artifacts().keep({"artifact_x", TenantId("acme"), source.id, {0, 0, 1}, "[1]"},
                                     std::move(done));
  }));
  const auto read = [&](const char* tenant, LedgerJobId job) {
    return await<ArtifactData>([&](auto done) {
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
  EXPECT_EQ(read("acme", id_of("again")).value().data, "[1]");
  EXPECT_EQ(read("globex", id_of("theirs")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(read("acme", id_of("theirs")).error().code, ErrorCode::NotFound);
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
}  // namespace ba::storage
