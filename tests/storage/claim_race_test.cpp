// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/claim_rows.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

class ClaimRace : public StorageTest {};

using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ClaimRace, TheDatabaseItselfRefusesTwoRunningJobsOfOneConversation) {
  const auto self = enter();
  ASSERT_TRUE(intake(
      self,
      batch_of({{.job_id = "a", .conversation = "talk"}, {.job_id = "b", .conversation = "talk"}}),
      1));
  const auto forced = read_once(schema().access(), [](Transaction&) -> Result<int> { return 0; });
  ASSERT_TRUE(forced);
  const Stop stop;
  SessionOptions options;
  options.access = schema().access();
  const auto second = Session(options, stop).run([](Transaction& tx) -> Result<int> {
    tx.execute(
        "UPDATE jobs SET state = 'running', incarnation = 1, attempt = 1, "
        "first_claimed_at = now() WHERE job_id = 'b'");
    return 0;
  });
  ASSERT_FALSE(second);
  EXPECT_TRUE(is_claim_race(second.error())) << second.error().message;
}

TEST_F(ClaimRace, AClaimMeetingAnotherOneTakesWhatIsFree) {
  const auto one = enter("one");
  const auto two = enter("two");
  ASSERT_TRUE(intake(one, batch_of({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "c"}})));
  // The other claim has locked its row and not committed yet.
  const Stop stop;
  SessionOptions options;
  options.access = schema().access();
  const auto other = Session(options, stop).run([&](Transaction& tx) -> Result<int> {
    tx.execute("SELECT id FROM jobs WHERE job_id = 'a' FOR UPDATE");
    EXPECT_THAT(names(claim(two, 10)), testing::UnorderedElementsAre("acme/b", "acme/c"));
    return 0;
  });
  EXPECT_TRUE(other);
}

TEST_F(ClaimRace, AClaimTakesAHundredCancelledJobs) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 101; ++i) specs.push_back({.job_id = std::to_string(i)});
  ASSERT_TRUE(intake(self, batch_of(specs)));
  for (const JobSpec& spec : specs) ASSERT_TRUE(rig_->control(spec.job_id, JobAction::Cancel));
  const auto first = claim(self, 0);
  EXPECT_THAT(names(first), SizeIs(100));
  ClaimRequest next;
  for (const ClaimedJob& job : first->jobs) next.known.push_back(job.id);
  EXPECT_THAT(names(claim(self, next)), SizeIs(1));
}

TEST_F(ClaimRace, ManyClaimsAtOnceShareTheJobsWithoutOverlap) {
  constexpr int kWorkers = 6;
  std::vector<IncarnationId> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back(enter("w" + std::to_string(i)));
  std::vector<JobSpec> specs;
  for (int i = 0; i < 60; ++i)
    specs.push_back({.job_id = std::to_string(i),
                     .tenant = "tenant-" + std::to_string(i % 3),
                     .conversation = "talk-" + std::to_string(i % 30)});
  ASSERT_TRUE(intake(workers[0], batch_of(specs)));
  int answered = 0;
  std::vector<std::string> claimed;
  for (int round = 0; round < 4; ++round)
    for (const IncarnationId worker : workers) {
      ClaimRequest request;
      request.jobs_max = 3;
      ledger().claim(worker, request, [&](Result<ClaimAnswer> answer) {
        EXPECT_TRUE(answer) << answer.error().message;
        ++answered;
      });
    }
  ASSERT_TRUE(rig_->run_until([&] { return answered == 4 * kWorkers; }));
  // A claim passes over what another one is just taking; a last one takes what was left so.
  ASSERT_TRUE(claim(workers[0], 60));
  for (const IncarnationId worker : workers)
    for (const std::string& name : names(claim(worker, 0))) claimed.push_back(name);
  std::sort(claimed.begin(), claimed.end());
  EXPECT_EQ(std::adjacent_find(claimed.begin(), claimed.end()), claimed.end());
  EXPECT_EQ(schema().query("SELECT count(*) FROM jobs WHERE state = 'running'"),
            std::to_string(claimed.size()));
  EXPECT_THAT(claimed, SizeIs(30)) << "one of each of the 30 conversations";
}

TEST_F(ClaimRace, AClaimTakesAHundredOverdueJobs) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 2 * 101; ++i)
    specs.push_back(
        {.job_id = std::to_string(i), .conversation = "talk-" + std::to_string(i % 101)});
  ASSERT_TRUE(intake(self, batch_of(specs)));
  for (int i = 0; i < 101; ++i) ASSERT_TRUE(rig_->control(std::to_string(i), JobAction::Pause));
  rig_->age(std::chrono::seconds(60));
  ClaimRequest request;
  request.conversation_wait_max = std::chrono::seconds(60);
  EXPECT_THAT(claim(self, request)->jobs, SizeIs(100));
  EXPECT_THAT(claim(self, request)->jobs, SizeIs(101)) << "with those that it has";
}

TEST_F(ClaimRace, ManyClaimsAtOnceShareOverdueJobsWithoutOverlap) {
  constexpr int kWorkers = 6;
  constexpr int kConversations = 20;
  std::vector<IncarnationId> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back(enter("w" + std::to_string(i)));
  std::vector<JobSpec> specs;
  for (int i = 0; i < 2 * kConversations; ++i)
    specs.push_back({.job_id = std::to_string(i),
                     .conversation = "talk-" + std::to_string(i % kConversations)});
  ASSERT_TRUE(intake(workers[0], batch_of(specs)));
  for (int i = 0; i < kConversations; ++i)
    ASSERT_TRUE(rig_->control(std::to_string(i), JobAction::Pause));
  rig_->age(std::chrono::seconds(60));
  ClaimRequest request;
  request.conversation_wait_max = std::chrono::seconds(60);
  int answered = 0;
  for (const IncarnationId worker : workers)
    ledger().claim(worker, request, [&](Result<ClaimAnswer> answer) {
      EXPECT_TRUE(answer) << answer.error().message;
      ++answered;
    });
  ASSERT_TRUE(rig_->run_until([&] { return answered == kWorkers; }));
  ASSERT_TRUE(claim(workers[0], request));  // what a claim passed over
  EXPECT_EQ(schema().query("SELECT count(*) FROM jobs WHERE state = 'running'"), "20");
  EXPECT_EQ(schema().query("SELECT count(*) FROM attempts"), "20");
}

}  // namespace
}  // namespace ba::storage
