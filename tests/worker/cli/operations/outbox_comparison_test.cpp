// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/operations/outbox_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/contract/make_outbox_records.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba::cli {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr int kShards = 4;

/// The records of a finished job, as a reader of the topics gets them: result, metrics report.
std::vector<RawRecord> records_of(const std::string& tenant, const std::string& job_id) {
  Job job;
  job.tenant = TenantId(tenant);
  job.job_id = JobId(job_id);
  job.conversation_id = ConversationId("job:" + job_id);
  JobResult result;
  result.result_id = result_id(job.tenant, job.job_id, kResultKind);
  result.tenant = job.tenant;
  result.job_id = job.job_id;
  result.conversation_id = job.conversation_id;
  result.schema_version = 1;
  Publication publication;
  publication.outbox_shards = kShards;
  std::vector<RawRecord> records;
  for (OutboxRecord& made : make_outbox_records(job, result, {}, publication).outbox) {
    RawRecord record;
    record.source.topic = made.topic;
    record.key = made.key;
    record.value = made.value;
    record.headers = made.headers;
    records.push_back(std::move(record));
  }
  return records;
}

int shard_of_job(const std::string& tenant, const std::string& job_id) {
  return shard_of(TenantId(tenant), JobId(job_id), kShards);
}

OutboxComparison comparison(int shard, storage::OutboxEntries entries) {
  ShardComparison stopped;
  stopped.state.shard = shard;
  return OutboxComparison({stopped}, kShards, std::move(entries));
}

TEST(OutboxComparison, TellsWhatIsMarkedFromWhatIsNot) {
  const auto one = records_of("acme", "one");
  const int shard = shard_of_job("acme", "one");
  storage::OutboxEntries entries{{published_id(one[0]), {shard, true}},
                                 {published_id(one[1]), {shard, false}},
                                 {ResultId("waits"), {shard, false}},
                                 {ResultId("gone"), {shard, true}}};
  auto compared = comparison(shard, entries);
  EXPECT_THAT(compared.unfamiliar(one), IsEmpty());
  compared.add(one, {});
  compared.add(one, {});  // the same again is no news
  const auto shards = compared.take();
  ASSERT_THAT(shards, SizeIs(1));
  EXPECT_EQ(shards[0].agreed, 1);
  EXPECT_THAT(shards[0].unmarked, SizeIs(1));
  EXPECT_THAT(shards[0].unknown, IsEmpty());
  EXPECT_EQ(shards[0].unpublished, 1);
  EXPECT_THAT(shards[0].missing, testing::ElementsAre(ResultId("gone")));
}

TEST(OutboxComparison, ARecordNobodyKnowsBelongsToTheShardOfItsJob) {
  // A slash in the tenant's or the job's name must not lead astray.
  const auto lost = records_of("a/b", "c/d");
  const int shard = shard_of_job("a/b", "c/d");
  auto compared = comparison(shard, {});
  EXPECT_THAT(compared.unfamiliar(lost), SizeIs(2));
  compared.add(lost, {});
  auto other = comparison((shard + 1) % kShards, {});
  other.add(lost, {});
  const auto shards = compared.take();
  ASSERT_THAT(shards[0].unknown, SizeIs(2));
  ASSERT_TRUE(shards[0].unknown[0].result);
  EXPECT_EQ(shards[0].unknown[0].result->job_id.value, "c/d");
  EXPECT_FALSE(shards[0].unknown[0].payload.empty());
  EXPECT_FALSE(shards[0].unknown[1].result) << "a metrics report ends no job";
  EXPECT_THAT(other.take()[0].unknown, IsEmpty());
}

TEST(OutboxComparison, WhatWasMarkedLongAgoIsNotAdopted) {
  const auto old = records_of("acme", "old");
  const int shard = shard_of_job("acme", "old");
  auto compared = comparison(shard, {});
  compared.add(old, {{published_id(old[0]), {shard, true}}, {published_id(old[1]), {shard, true}}});
  EXPECT_THAT(compared.take()[0].unknown, IsEmpty());
}

}  // namespace
}  // namespace ba::cli
