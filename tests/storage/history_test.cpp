// SPDX-License-Identifier: Apache-2.0
// What of the history of a database is PostgreSQL's alone; the rest is in the ledger's contract.
#include <algorithm>

#include "storage/ledger/fence.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

class History : public StorageTest {
 protected:
  std::string marks() {
    return schema().query(
        "SELECT coalesce(sum(mark), 0) || ' in ' || count(*) "
        "FROM incarnation_marks");
  }
};

TEST_F(History, CutConnectionsOfADatabaseThatLostNothingEndNoLife) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(own_shards(self));
  rig().cut_connections();
  EXPECT_TRUE(renew(self));
  EXPECT_TRUE(append(self, round_opened(job)));
  EXPECT_TRUE(load(job));
  EXPECT_TRUE(own_shards(self));
}

TEST_F(History, ADatabaseThatWentBackIsSeenOnNewConnections) {
  const auto self = enter();
  const auto job = running_job(self);
  rig().lose_newest(self);
  rig().cut_connections();
  const auto refused = append(self, round_opened(job));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Fenced);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("went back in time"));
}

// What another session was told counts as much.
TEST_F(History, WhatOneSessionKnowsBindsAllOthers) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));  // a publisher's session
  rig().lose_newest(self);
  EXPECT_FALSE(claim(self, 1));  // a committer's
}

TEST_F(History, EachTransactionRaisesOneMark) {
  const auto self = enter();
  EXPECT_EQ(marks(), "0 in 0");
  const auto job = running_job(self);  // intake and claim
  EXPECT_EQ(marks().substr(0, 1), "1");
  ASSERT_TRUE(append(self, round_opened(job)));
  EXPECT_EQ(marks().substr(0, 1), "2");
  ASSERT_TRUE(renew(self));
  ASSERT_TRUE(load(job));
  EXPECT_EQ(marks().substr(0, 1), "2");
}

TEST_F(History, ARefusedTransactionRaisesNone) {
  const auto self = enter();
  const auto job = running_job(self);
  const std::string before = marks();
  rig().expire(self);
  EXPECT_FALSE(append(self, round_opened(job)));
  EXPECT_EQ(marks(), before);
}

TEST_F(History, MarksGoWithTheirIncarnation) {
  const auto left = enter("left");
  ASSERT_TRUE(claim(left, 1));
  ASSERT_TRUE(leave(left));
  const auto reaped = enter("reaped");
  ASSERT_TRUE(claim(reaped, 1));
  rig().expire(reaped);
  const auto reaper = enter("reaper");
  ASSERT_EQ(*reap(reaper), 1);
  EXPECT_EQ(schema().query("SELECT count(*) FROM incarnation_marks WHERE incarnation <> " +
                           std::to_string(reaper.value)),
            "0");
}

TEST_F(History, TheReasonOfADeathThatIsNoneOfHistoryIsTold) {
  const auto self = enter();
  ASSERT_TRUE(claim(self, 1));
  rig().expire(self);
  EXPECT_THAT(claim(self, 1).error().message, testing::HasSubstr("its lease ran out"));
  ASSERT_TRUE(reap(enter("reaper")));
  EXPECT_THAT(claim(self, 1).error().message, testing::HasSubstr("it was reaped"));
}

TEST_F(History, IdsOfIncarnationsAreLargeAndJsonCanHoldThem) {
  std::int64_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t id = enter("worker-" + std::to_string(i)).value;
    EXPECT_GT(id, 0);
    EXPECT_LE(id, std::int64_t{1} << 52);
    largest = std::max(largest, id);
  }
  // The chance that eight random ones of 52 bits are all below 2^40 is 2^-96.
  EXPECT_GT(largest, std::int64_t{1} << 40);
}

}  // namespace
}  // namespace ba::storage
