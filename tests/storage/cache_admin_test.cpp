// SPDX-License-Identifier: Apache-2.0
#include "storage/cache_admin.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "pipeline/core/cache/cache_store.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::SizeIs;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

class CacheAdmin : public StorageTest {
 protected:
  void keep(const std::string& key, std::int64_t bytes, std::int64_t hits) {
    schema().execute(
        "INSERT INTO tool_results (key, tenant, tool, tool_version, caller, data_source, data,"
        " data_bytes, job, round, step, idx, expires_at, hits) VALUES ('" +
        key + "', 'acme', 'query_database', '1', '', '', '1', " + std::to_string(bytes) +
        ", 1, 0, 1, 0, now() + interval '1 hour', " + std::to_string(hits) + ")");
  }

  CacheToolStatistics statistics() {
    const auto all = cache_statistics(schema().access(), {});
    EXPECT_TRUE(all) << all.error().message;
    EXPECT_THAT(*all, SizeIs(1));
    return all->at(0);
  }
};

TEST_F(CacheAdmin, CountsByTenantAndTool) {
  keep("a", 10, 3);
  keep("b", 20, 4);
  EXPECT_EQ(statistics().entries, 2);
  EXPECT_EQ(statistics().bytes, 30);
  EXPECT_EQ(statistics().hits, 7);
}

TEST_F(CacheAdmin, SumsBeyondTheLargestNumberAreThatNumber) {
  keep("a", kMost, kMost);
  EXPECT_EQ(statistics().hits, kMost);
  keep("b", 1, 1);
  EXPECT_EQ(statistics().hits, kMost);
  EXPECT_EQ(statistics().bytes, kMost);
}

TEST_F(CacheAdmin, AFullCountOfHitsStaysFullAndItsResultIsFoundAllTheSame) {
  keep("a", 1, kMost);
  CacheStore& store = rig().storage().cache();
  EXPECT_TRUE(await<void>([&](auto done) { store.count_hits({{"a", 2}}, std::move(done)); }));
  CacheQuestion question;
  question.key = "a";
  question.time_to_live = Milliseconds(60'000);
  const auto found = await<StoreAnswer>(
      [&](auto done) { store.ask(question, CacheOwner{1}, Milliseconds(1000), std::move(done)); });
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(std::holds_alternative<StoredResult>(*found));
  EXPECT_EQ(schema().query("SELECT hits FROM tool_results"), std::to_string(kMost));
}

}  // namespace
}  // namespace ba::storage
