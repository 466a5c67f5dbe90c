// SPDX-License-Identifier: Apache-2.0
// What is removed by age, and what stays.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

constexpr Milliseconds kDay = std::chrono::hours(24);

RetentionRules jobs_for(Milliseconds age) {
  RetentionRules rules;
  rules.jobs = age;
  return rules;
}

RetentionRules in_batches_of(int rows, Milliseconds age) {
  RetentionRules rules = jobs_for(age);
  rules.batch_rows_max = rows;
  return rules;
}

}  // namespace

class RetentionContract : public LedgerContract {
 protected:
  RemovedRows remove(const RetentionRules& rules) {
    const auto removed = remove_batch(self_, rules);
    EXPECT_TRUE(removed) << removed.error().message;
    return removed ? *removed : RemovedRows{};
  }

  /// A job with a round, which has ended; not published yet.
  void end_job(const JobSpec& spec) {
    const auto answer = intake(self_, batch_of({spec}), 10);
    ASSERT_TRUE(answer) << answer.error().message;
    for (const ClaimedJob& job : answer->jobs) {
      if (job.payload != spec.tenant + "/" + spec.job_id) continue;
      ASSERT_TRUE(append(self_, round_opened(job)));
      ASSERT_TRUE(append(self_, finished(job, spec.job_id)));
    }
  }

  /// Everything that waits, shard by shard.
  void publish() {
    const auto shards = own_shards(self_);
    ASSERT_TRUE(shards) << shards.error().message;
    for (const ShardState& shard : *shards) {
      const auto batch = next_batch(self_, shard.shard, 0, 1000);
      ASSERT_TRUE(batch) << batch.error().message;
      if (batch->number > 0) {
        ASSERT_TRUE(next_batch(self_, shard.shard, batch->number));
      }
    }
  }

  void end_and_publish(const std::vector<JobSpec>& specs) {
    for (const JobSpec& spec : specs) end_job(spec);
    publish();
  }

  const IncarnationId self_ = enter();
};

TEST_F(RetentionContract, NothingIsRemovedThatNoRuleNames) {
  end_and_publish({{.job_id = "a"}});
  rig_->age(1000 * kDay);
  EXPECT_EQ(remove({}).total(), 0);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("a"));
}

TEST_F(RetentionContract, AJobGoesOnceItEndedLongEnoughAgo) {
  end_and_publish({{.job_id = "old"}});
  rig_->age(20 * kDay);
  end_and_publish({{.job_id = "young"}});
  rig_->age(11 * kDay);
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 1);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("young"));
  EXPECT_EQ(remove(jobs_for(30 * kDay)).total(), 0);
}

TEST_F(RetentionContract, AnUnfinishedJobStaysHoweverOld) {
  ASSERT_TRUE(intake(self_, batch_of({{.job_id = "running"}}), 1));
  ASSERT_TRUE(intake(self_, batch_of({{.job_id = "ready"}})));
  rig_->age(1000 * kDay);
  EXPECT_EQ(remove(jobs_for(Milliseconds(0))).jobs, 0);
}

TEST_F(RetentionContract, TheHistoryOfAConversationThatGoesOnStays) {
  end_and_publish({{.job_id = "first", .conversation = "talk"}});
  rig_->age(31 * kDay);
  ASSERT_TRUE(intake(self_, batch_of({{.job_id = "second", .conversation = "talk"}})));
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 0) << "an unfinished job needs it";
  const auto second = claim(self_, 10);
  ASSERT_THAT(second->jobs, SizeIs(1));
  EXPECT_THAT(load(second->jobs[0])->history, SizeIs(1));
  ASSERT_TRUE(append(self_, round_opened(second->jobs[0])));
  ASSERT_TRUE(append(self_, finished(second->jobs[0], "second")));
  publish();
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 0) << "its last job has just ended";
  rig_->age(31 * kDay);
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 2);
}

TEST_F(RetentionContract, AJobThatComesAfterwardsBeginsAnewAndTheRoundsStayCounted) {
  end_and_publish({{.job_id = "first", .conversation = "talk"}});
  rig_->age(31 * kDay);
  ASSERT_EQ(remove(jobs_for(30 * kDay)).jobs, 1);
  const auto next = intake(self_, batch_of({{.job_id = "second", .conversation = "talk"}}), 1);
  ASSERT_THAT(next->jobs, SizeIs(1));
  const auto stored = load(next->jobs[0]);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_THAT(stored->history, IsEmpty());
  EXPECT_EQ(stored->conversation_rounds, 1);
}

TEST_F(RetentionContract, AConversationGoesWholeThoughABatchEndsInItsMiddle) {
  end_and_publish({{.job_id = "1", .conversation = "talk"},
                   {.job_id = "alone"},
                   {.job_id = "2", .conversation = "talk"},
                   {.job_id = "3", .conversation = "talk"}});
  rig_->age(31 * kDay);
  const RemovedRows removed = remove(in_batches_of(2, 30 * kDay));
  EXPECT_TRUE(removed.more);
  const auto left = rig_->job_ids();
  EXPECT_THAT(left, testing::AnyOf(ElementsAre("alone"), ElementsAre("1", "2", "3"), IsEmpty()));
  EXPECT_EQ(removed.jobs, 4 - static_cast<std::int64_t>(left.size()));
  while (remove(in_batches_of(2, 30 * kDay)).more) {
  }
  EXPECT_THAT(rig_->job_ids(), IsEmpty());
}

TEST_F(RetentionContract, ATenantHasItsOwnAge) {
  end_and_publish({{.job_id = "short", .tenant = "acme"},
                   {.job_id = "usual", .tenant = "beta"},
                   {.job_id = "ever", .tenant = "gamma"}});
  rig_->age(31 * kDay);
  RetentionRules rules = jobs_for(60 * kDay);
  rules.tenants[TenantId("acme")] = 30 * kDay;
  rules.tenants[TenantId("gamma")] = std::nullopt;
  EXPECT_EQ(remove(rules).jobs, 1);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("ever", "usual"));
  rules.jobs = 20 * kDay;
  EXPECT_EQ(remove(rules).jobs, 1);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("ever"));
  rules.jobs.reset();
  rules.tenants = {{TenantId("gamma"), 20 * kDay}};
  EXPECT_EQ(remove(rules).jobs, 1) << "also where the others keep theirs for ever";
}

TEST_F(RetentionContract, NoMoreThanABatchGoesAtOnce) {
  end_and_publish({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "c"}});
  rig_->age(31 * kDay);
  RemovedRows removed = remove(in_batches_of(2, 30 * kDay));
  EXPECT_EQ(removed.jobs, 2);
  EXPECT_TRUE(removed.more);
  removed = remove(in_batches_of(2, 30 * kDay));
  EXPECT_EQ(removed.jobs, 1);
  EXPECT_FALSE(removed.more);
}

TEST_F(RetentionContract, AConversationStaysUntilAllItsResultsArePublished) {
  end_and_publish({{.job_id = "sent", .conversation = "talk"}});
  end_job({.job_id = "waiting", .conversation = "talk"});
  rig_->age(31 * kDay);
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 0);
  publish();
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 2);
}

TEST_F(RetentionContract, OutboxRowsGoOnceTheyWerePublishedLongEnoughAgo) {
  RetentionRules rules;
  rules.outbox = 30 * kDay;
  end_job({.job_id = "a"});  // two records of shard 1
  rig_->age(31 * kDay);
  EXPECT_EQ(remove(rules).outbox_rows, 0) << "not published";
  publish();
  rig_->age(31 * kDay);
  EXPECT_EQ(remove(rules).outbox_rows, 0) << "the shard's last batch";
  end_and_publish({{.job_id = "b"}});
  EXPECT_EQ(remove(rules).outbox_rows, 2);
  EXPECT_EQ(remove(rules).outbox_rows, 0);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("a", "b")) << "which are kept for ever here";
}

TEST_F(RetentionContract, OutboxRowsOfAStoppedShardStay) {
  RetentionRules rules;
  rules.outbox = 30 * kDay;
  end_and_publish({{.job_id = "a"}});
  rig_->age(31 * kDay);
  end_and_publish({{.job_id = "b"}});
  ASSERT_TRUE(stop_shard(self_, 1, "test"));
  EXPECT_EQ(remove(rules).outbox_rows, 0);
}

TEST_F(RetentionContract, ABatchThatIsUnderWayKeepsItsRecords) {
  RetentionRules rules;
  rules.outbox = 30 * kDay;
  end_and_publish({{.job_id = "a"}});
  rig_->age(31 * kDay);
  end_and_publish({{.job_id = "b"}});
  end_job({.job_id = "c"});
  const auto under_way = next_batch(self_, 1, 2, 1);
  ASSERT_EQ(under_way->number, 3);
  EXPECT_EQ(remove(rules).outbox_rows, 2);
  const auto again = next_batch(self_, 1, 2, 1);
  ASSERT_THAT(again->records, SizeIs(1));
  EXPECT_EQ(again->records[0].result_id, under_way->records[0].result_id);
  EXPECT_EQ(next_batch(self_, 1, 3, 10)->records.size(), 1u);
}

TEST_F(RetentionContract, DeadLettersGoOnceTheyAreOldAndPublished) {
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7)};
  ASSERT_TRUE(intake(self_, batch));
  RetentionRules rules;
  rules.dead_letters = 30 * kDay;
  rig_->age(31 * kDay);
  EXPECT_EQ(remove(rules).dead_letters, 0) << "not published";
  publish();
  EXPECT_EQ(remove(rules).dead_letters, 1);
  EXPECT_EQ(remove(rules).dead_letters, 0);
}

TEST_F(RetentionContract, WhileAnotherWorkerRemovesNothingIsRemoved) {
  end_and_publish({{.job_id = "a"}});
  rig_->age(31 * kDay);
  rig_->another_removes(true);
  EXPECT_EQ(remove(jobs_for(30 * kDay)).total(), 0);
  rig_->another_removes(false);
  EXPECT_EQ(remove(jobs_for(30 * kDay)).jobs, 1);
}

TEST_F(RetentionContract, ADeadWorkerRemovesNothing) {
  end_and_publish({{.job_id = "old"}});
  rig_->age(31 * kDay);
  rig_->expire(self_);
  const auto refused = remove_batch(self_, jobs_for(30 * kDay));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Fenced);
  EXPECT_THAT(rig_->job_ids(), ElementsAre("old"));
}

}  // namespace ba
