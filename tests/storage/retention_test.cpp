// SPDX-License-Identifier: Apache-2.0
// What is removed by age, and what stays.
#include "pipeline/port/retention.hpp"

#include "tests/storage/storage_fixture.hpp"

namespace ba {
namespace {

constexpr Milliseconds kDay = std::chrono::hours(24);

class RetentionTest : public StorageTest {
 protected:
  RemovedRows remove(IncarnationId self, const RetentionRules& rules) {
    const auto removed = ask(self, rules);
    EXPECT_TRUE(removed) << removed.error().message;
    return removed ? *removed : RemovedRows{};
  }

  Result<RemovedRows> ask(IncarnationId self, const RetentionRules& rules) {
    return await<RemovedRows>(
        [&](auto done) { rig().storage().retention().remove_batch(self, rules, done); });
  }

  /// A job with a round, a step and a tool call, which has ended.
  void end_job(IncarnationId self, const JobSpec& spec) {
    const std::string name = spec.tenant + "/" + spec.job_id;
    const auto answer = intake(self, batch_of({spec}), 10);
    for (const ClaimedJob& job : answer->jobs) {
      if (job.payload != name) continue;
      for (const Delta& delta : {round_opened(job), step_replied(job), call_started(job),
                                 call_finished(job), finished(job, spec.job_id)})
        ASSERT_TRUE(append(self, delta));
    }
  }

  /// Everything that has ended did so, and was published, that long ago.
  void age(Milliseconds age) {
    const std::string span = std::to_string(age.count()) + " * interval '1 millisecond'";
    schema().execute("UPDATE jobs SET finished_at = finished_at - " + span +
                     " WHERE state = 'finished'");
    schema().execute("UPDATE conversations SET updated_at = updated_at - " + span);
    schema().execute("UPDATE dead_letters SET created_at = created_at - " + span);
    schema().execute(
        "UPDATE outbox SET batch = coalesce(batch, 1),"
        " published_at = coalesce(published_at, now()) - " +
        span);
    schema().execute("UPDATE outbox_shards SET published_at = now()");
  }

  std::string count(const std::string& table) {
    return schema().query("SELECT count(*) FROM " + table);
  }

  std::string jobs() {
    return schema().query("SELECT coalesce(string_agg(job_id, ' ' ORDER BY id), '') FROM jobs");
  }
};

RetentionRules jobs_for(Milliseconds age) {
  RetentionRules rules;
  rules.jobs = age;
  return rules;
}

TEST_F(RetentionTest, RemovesAnEndedJobWithAllItsRows) {
  const auto self = enter();
  end_job(self, {.job_id = "old"});
  age(31 * kDay);
  end_job(self, {.job_id = "young"});
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).jobs, 1);
  EXPECT_EQ(jobs(), "young");
  for (const char* table : {"rounds", "steps", "tool_calls", "attempts", "metrics"})
    EXPECT_EQ(count(table), "1") << table;
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).total(), 0);
}

TEST_F(RetentionTest, KeepsTheHistoryOfAConversationThatGoesOn) {
  const auto self = enter();
  end_job(self, {.job_id = "first", .conversation = "talk"});
  age(31 * kDay);
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "second", .conversation = "talk"}})));
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).jobs, 0) << "an unfinished job needs it";
  const ClaimedJob second = claim(self, 10)->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(second)));
  ASSERT_TRUE(append(self, finished(second, "second")));
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).jobs, 0) << "its last job has just ended";
  age(31 * kDay);
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).jobs, 2);
}

TEST_F(RetentionTest, ATenantHasItsOwnAge) {
  const auto self = enter();
  end_job(self, {.job_id = "short", .tenant = "acme"});
  end_job(self, {.job_id = "usual", .tenant = "beta"});
  end_job(self, {.job_id = "ever", .tenant = "gamma"});
  age(31 * kDay);
  RetentionRules rules = jobs_for(60 * kDay);
  rules.tenants[TenantId("acme")] = 30 * kDay;
  rules.tenants[TenantId("gamma")] = std::nullopt;
  EXPECT_EQ(remove(self, rules).jobs, 1);
  EXPECT_EQ(jobs(), "usual ever");
  rules.jobs = 20 * kDay;
  EXPECT_EQ(remove(self, rules).jobs, 1);
  EXPECT_EQ(jobs(), "ever");
  rules.jobs.reset();
  rules.tenants = {{TenantId("gamma"), 20 * kDay}};
  EXPECT_EQ(remove(self, rules).jobs, 1) << "also where the others keep theirs for ever";
}

TEST_F(RetentionTest, RemovesNoMoreThanABatchAtOnceAndSaysSo) {
  const auto self = enter();
  for (const char* id : {"a", "b", "c"}) end_job(self, {.job_id = id});
  age(31 * kDay);
  RetentionRules rules = jobs_for(30 * kDay);
  rules.batch_rows_max = 2;
  RemovedRows removed = remove(self, rules);
  EXPECT_EQ(removed.jobs, 2);
  EXPECT_TRUE(removed.more);
  removed = remove(self, rules);
  EXPECT_EQ(removed.jobs, 1);
  EXPECT_FALSE(removed.more);
}

TEST_F(RetentionTest, KeepsAJobUntilItsResultIsPublished) {
  const auto self = enter();
  end_job(self, {.job_id = "a"});
  age(31 * kDay);
  schema().execute(
      "UPDATE outbox SET batch = NULL, published_at = NULL"
      " WHERE result_id = 'result-a'");
  EXPECT_EQ(remove(self, jobs_for(30 * kDay)).jobs, 0);
}

TEST_F(RetentionTest, RemovesPublishedRowsOfShardsThatAreNotStopped) {
  const auto self = enter();
  end_job(self, {.job_id = "a"});  // two records of shard 1
  RetentionRules rules;
  rules.outbox = 30 * kDay;
  schema().execute("UPDATE outbox_shards SET published_at = now()");
  EXPECT_EQ(remove(self, rules).outbox_rows, 0) << "not published";
  age(31 * kDay);
  schema().execute("UPDATE outbox_shards SET stopped_reason = 'test', stopped_at = now()");
  EXPECT_EQ(remove(self, rules).outbox_rows, 0) << "stopped";
  schema().execute(
      "UPDATE outbox_shards SET stopped_reason = NULL, stopped_at = NULL,"
      " published_at = now() - interval '31 days'");
  EXPECT_EQ(remove(self, rules).outbox_rows, 0) << "the shard's last batches";
  schema().execute("UPDATE outbox_shards SET published_at = now()");
  EXPECT_EQ(remove(self, rules).outbox_rows, 2);
  EXPECT_EQ(count("outbox"), "0");
  EXPECT_EQ(jobs(), "a") << "which are kept for ever here";
}

TEST_F(RetentionTest, RemovesOldDeadLetters) {
  const auto self = enter();
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7)};
  ASSERT_TRUE(intake(self, batch));
  RetentionRules rules;
  rules.dead_letters = 30 * kDay;
  EXPECT_EQ(remove(self, rules).dead_letters, 0);
  age(31 * kDay);
  EXPECT_EQ(remove(self, rules).dead_letters, 1);
  EXPECT_EQ(count("dead_letters"), "0");
}

TEST_F(RetentionTest, ADeadWorkerRemovesNothing) {
  const auto self = enter();
  end_job(self, {.job_id = "old"});
  age(31 * kDay);
  rig().expire(self);
  const auto refused = ask(self, jobs_for(30 * kDay));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Fenced);
  EXPECT_EQ(jobs(), "old");
}

}  // namespace
}  // namespace ba
