// SPDX-License-Identifier: Apache-2.0
// The tables behind what is removed; which jobs go and when:
// tests/contract/ledger_retention_contract.cpp.
#include "pipeline/core/ledger/retention.hpp"

#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

constexpr Milliseconds kDay = std::chrono::hours(24);

class RetentionTest : public StorageTest {
 protected:
  /// A job with a round, a step and a tool call, which has ended.
  void end_job(IncarnationId self, const std::string& id) {
    const ClaimedJob job = running_job(self, id);
    for (const Delta& delta : {round_opened(job), step_replied(job), call_started(job),
                               call_finished(job), finished(job, id)})
      ASSERT_TRUE(append(self, delta));
    schema().execute("UPDATE outbox SET batch = 1, published_at = now() WHERE batch IS NULL");
  }

  std::string count(const std::string& table) {
    return schema().query("SELECT count(*) FROM " + table);
  }
};

TEST_F(RetentionTest, AnEndedJobGoesWithAllItsRows) {
  const auto self = enter();
  end_job(self, "old");
  rig().age(31 * kDay);
  end_job(self, "young");
  RetentionRules rules;
  rules.jobs = 30 * kDay;
  EXPECT_EQ(remove_batch(self, rules)->jobs, 1);
  for (const char* table : {"jobs", "rounds", "steps", "tool_calls", "attempts", "metrics"})
    EXPECT_EQ(count(table), "1") << table;
}

TEST_F(RetentionTest, WhatAnEndedJobReferredToGoesWithIt) {
  const auto self = enter();
  end_job(self, "old");
  rig().age(31 * kDay);
  end_job(self, "young");
  schema().execute(
      "INSERT INTO artifacts (tenant, id, data, data_bytes) VALUES ('acme', 'a', '1', 1);"
      "INSERT INTO artifact_references (conversation, artifact, job, round, step, idx, tenant)"
      " SELECT conversation, 'a', id, 0, 0, 1, tenant FROM jobs");
  RetentionRules rules;
  rules.jobs = 30 * kDay;
  EXPECT_EQ(remove_batch(self, rules)->jobs, 1);
  EXPECT_EQ(count("artifact_references"), "1");
  EXPECT_EQ(schema().query("SELECT job_id FROM artifact_references r JOIN jobs j ON j.id = r.job"),
            "young");
}

TEST_F(RetentionTest, ALongConversationWaitsForNoOtherAndHoldsUpNone) {
  const auto self = enter();
  for (const char* id : {"1", "2", "3"}) {
    ASSERT_TRUE(intake(self, batch_of({{.job_id = id, .conversation = "talk"}})));
    const auto job = claim(self, 1);
    ASSERT_TRUE(append(self, round_opened(job->jobs.at(0))));
    ASSERT_TRUE(append(self, finished(job->jobs.at(0), id)));
    end_job(self, std::string("beside-") + id);
  }
  rig().age(31 * kDay);
  RetentionRules rules;
  rules.jobs = 30 * kDay;
  rules.batch_rows_max = 2;
  for (int batch = 0; batch < 4 && count("jobs") != "0"; ++batch) {
    const auto removed = remove_batch(self, rules);
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_GT(removed->jobs, 0);
    const std::string talk = schema().query("SELECT count(*) FROM jobs WHERE job_id < 'a'");
    EXPECT_TRUE(talk == "0" || talk == "3") << talk << " of the conversation's jobs are left";
    EXPECT_TRUE(removed->more || count("jobs") == "0");
  }
  EXPECT_EQ(count("jobs"), "0");
}

}  // namespace
}  // namespace ba::storage
