// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/result_id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ba {
namespace {

const TenantId kTenant("acme");

TEST(ResultId, IsTheHashOfLengthPrefixedParts) {
  // printf '\0\0\0\0\0\0\0\4acme\0\0\0\0\0\0\0\3j-1\0\0\0\0\0\0\0\6result' | sha256sum
  EXPECT_EQ(result_id(kTenant, JobId("j-1"), kResultKind).value,
            "8f417a0b840d99ccb0e5669b40c0e38d1dad59bf5d9c7068dce77d0ccfaf07f6");
}

TEST(ResultId, DiffersWhereAnyPartDoes) {
  const std::set<ResultId> ids = {result_id(kTenant, JobId("ab"), kResultKind),
                                  result_id(kTenant, JobId("ab"), kMetricsKind),
                                  result_id(TenantId("acm"), JobId("eab"), kResultKind),
                                  result_id(TenantId("acmea"), JobId("b"), kResultKind),
                                  dead_letter_id({"t", "", 0, 1, 2}),
                                  dead_letter_id({"t", "", 1, 0, 2}),
                                  dead_letter_id({"t", "x", 0, 1, 2})};
  EXPECT_EQ(ids.size(), 7U);
}

TEST(EffectKey, NamesOneCallAndStaysWithIt) {
  const Position at{0, 2, 1};
  const std::string key = effect_key(kTenant, JobId("j"), at, "write");
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key, effect_key(kTenant, JobId("j"), at, "write"));
  const std::set<std::string> keys = {key,
                                      effect_key(TenantId("acm"), JobId("ej"), at, "write"),
                                      effect_key(kTenant, JobId("k"), at, "write"),
                                      effect_key(kTenant, JobId("j"), {1, 2, 1}, "write"),
                                      effect_key(kTenant, JobId("j"), {0, 1, 1}, "write"),
                                      effect_key(kTenant, JobId("j"), {0, 2, 2}, "write"),
                                      effect_key(kTenant, JobId("j"), at, "other")};
  EXPECT_EQ(keys.size(), 7U);
}

TEST(ResultId, ShardsAreStableAndAllUsed) {
  std::set<int> seen;
  for (int i = 0; i < 1000; ++i) {
    const int shard = shard_of(kTenant, JobId(std::to_string(i)), 16);
    ASSERT_GE(shard, 0);
    ASSERT_LT(shard, 16);
    EXPECT_EQ(shard, shard_of(kTenant, JobId(std::to_string(i)), 16));
    seen.insert(shard);
  }
  EXPECT_EQ(seen.size(), 16U);
  EXPECT_EQ(shard_of(kTenant, JobId("x"), 1), 0);
}

TEST(ResultId, KeysNameTheConversationAndTheJob) {
  Job job;
  job.conversation_id = ConversationId("c");
  EXPECT_EQ(job_key(job), "c");
  EXPECT_EQ(result_key(kTenant, JobId("j")), "acme/j");
}

}  // namespace
}  // namespace ba
