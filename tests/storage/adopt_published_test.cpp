// SPDX-License-Identifier: Apache-2.0
// Taking over what was published without the ledger's knowledge.
#include "storage/outbox_audit.hpp"
#include "storage/query.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::Contains;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kShard = 1;
constexpr std::int64_t kReceipt = 7;

class AdoptPublished : public StorageTest {
 protected:
  const PgAccess& access() { return schema().access(); }

  AdoptedRecord published(const std::string& job_id) {
    AdoptedRecord adopted;
    adopted.record = outbox_record("result-" + job_id, kShard);
    adopted.record.value = "published bytes of " + job_id;
    JobResult result;
    result.result_id = adopted.record.result_id;
    result.tenant = TenantId("acme");
    result.job_id = JobId(job_id);
    result.conversation_id = ConversationId("job:" + job_id);
    result.outcome = Outcome::Completed;
    result.totals.steps = 3;
    adopted.result = result;
    adopted.payload = "acme/" + job_id;
    return adopted;
  }

  Result<AdoptionReport> adopt(std::vector<AdoptedRecord> records) {
    ShardAdoption shard;
    shard.shard = kShard;
    shard.receipt = kReceipt;
    shard.records = std::move(records);
    return adopt_published(access(), {shard});
  }

  JobTimeline job(const std::string& id) {
    return find_job(access(), TenantId("acme"), JobId(id))->value();
  }

  /// An incarnation that stopped the shard.
  IncarnationId enter_and_stop() {
    const auto self = enter();
    EXPECT_TRUE(own_shards(self));
    EXPECT_TRUE(stop_shard(self, kShard, "receipt 7 is newer than batch 0"));
    return self;
  }
};

TEST_F(AdoptPublished, EndsAnUnfinishedJobWithItsPublishedResult) {
  const auto self = enter_and_stop();
  const auto running = running_job(self);
  ASSERT_TRUE(append(self, round_opened(running)));
  ASSERT_TRUE(append(self, step_replied(running)));
  rig_->expire(self);
  const auto report = adopt({published("job-1")});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records_added, 1);
  EXPECT_EQ(report->jobs_ended, 1);
  const JobTimeline ended = job("job-1");
  EXPECT_EQ(ended.job.outcome, "completed");
  EXPECT_EQ(ended.result, "published bytes of job-1");
  EXPECT_THAT(ended.messages, IsEmpty()) << "no call is left without an observation";
  EXPECT_THAT(stopped_shards(access()).value(), IsEmpty());
  const auto next = enter("next");
  ASSERT_EQ(*reap(next), 1);
  EXPECT_THAT(names(claim(next, 10)), IsEmpty());
  const auto shards = own_shards(next);
  EXPECT_THAT(*shards, Contains(Field(&ShardState::published_batch, kReceipt)));
}

TEST_F(AdoptPublished, ReplacesAnotherResultOfTheSameJob) {
  const auto self = enter_and_stop();
  const auto running = running_job(self);
  ASSERT_TRUE(append(self, round_opened(running)));
  ASSERT_TRUE(append(self, finished(running)));
  rig_->expire(self);
  const auto report = adopt({published("job-1")});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records_marked, 1);
  EXPECT_EQ(report->jobs_replaced, 1);
  EXPECT_EQ(job("job-1").result, "published bytes of job-1");
  const auto entries = find_outbox_entries(access(), {ResultId("result-job-1")});
  EXPECT_TRUE(entries->at(ResultId("result-job-1")).marked);
}

TEST_F(AdoptPublished, AJobTheLedgerDoesNotKnowIsNotRunWhenItsRecordComesAgain) {
  const auto self = enter_and_stop();
  rig_->expire(self);
  const auto report = adopt({published("lost")});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->jobs_added, 1);
  const auto next = enter("next");
  EXPECT_THAT(names(intake(next, batch_of({{.job_id = "lost"}}), 10)), IsEmpty());
  EXPECT_EQ(job("lost").result, "published bytes of lost");
}

TEST_F(AdoptPublished, ChangesNothingWhileAWorkerLives) {
  enter_and_stop();
  const std::string before = rig_->dump();
  const auto refused = adopt({published("lost")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(AdoptPublished, ChangesNothingWhenTheShardGoesOn) {
  const auto self = enter();
  rig_->expire(self);
  const std::string before = rig_->dump();
  EXPECT_EQ(adopt({published("lost")}).error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(AdoptPublished, TheShardsRowsAreToldFromOthers) {
  const auto self = enter_and_stop();
  const auto running = running_job(self);
  ASSERT_TRUE(append(self, round_opened(running)));
  ASSERT_TRUE(append(self, finished(running)));
  ASSERT_THAT(*stopped_shards(access()), SizeIs(1));
  EXPECT_EQ(stopped_shards(access())->at(0).shard, kShard);
  EXPECT_EQ(*count_shards(access()), LedgerRig::kShards);
  const auto entries = outbox_entries(access(), {kShard}, std::nullopt);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_THAT(*entries, SizeIs(2));
  EXPECT_FALSE(entries->at(ResultId("result-job-1")).marked);
  EXPECT_THAT(*outbox_entries(access(), {0, 2}, WallTime{}), IsEmpty());
}

}  // namespace
}  // namespace ba::storage
