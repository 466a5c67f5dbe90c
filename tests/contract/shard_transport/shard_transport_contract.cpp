// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/shard_transport/shard_transport_contract.hpp"

namespace ba {

using Values = std::vector<std::string>;

TEST_P(ShardTransportContract, AnUnusedShardHasNoReceipt) {
  const auto transport = make();
  const auto receipt = open(*transport);
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_EQ(*receipt, std::nullopt);
}

TEST_P(ShardTransportContract, CommitsTheRecordsTogetherWithTheirReceipt) {
  const auto transport = make();
  ASSERT_TRUE(open(*transport));
  publish(*transport, batch(1, {"a", "b"}));
  publish(*transport, batch(2, {"c"}));
  EXPECT_EQ(committed(), (Values{"a", "b", "c"}));
  EXPECT_EQ(open_receipt(*transport), 2);
}

TEST_P(ShardTransportContract, ShardsHaveReceiptsOfTheirOwn) {
  const auto zero = make(0);
  const auto one = make(1);
  ASSERT_TRUE(open(*zero));
  ASSERT_TRUE(open(*one));
  publish(*zero, batch(1, {"a"}, 0));
  publish(*one, batch(1, {"b"}, 1));
  publish(*one, batch(2, {"c"}, 1));
  EXPECT_EQ(open_receipt(*zero), 1);
  EXPECT_EQ(open_receipt(*one), 2);
}

TEST_P(ShardTransportContract, ANewOwnerFencesTheOldOne) {
  const auto zombie = make();
  ASSERT_TRUE(open(*zombie));
  publish(*zombie, batch(1, {"a"}));
  const auto owner = make();
  EXPECT_EQ(open_receipt(*owner), 1);
  const auto fenced = send(*zombie, batch(2, {"zombie"}));
  ASSERT_FALSE(fenced);
  EXPECT_EQ(fenced.error().code, ErrorCode::Fenced) << fenced.error().message;
  publish(*owner, batch(2, {"b"}));
  EXPECT_EQ(committed(), (Values{"a", "b"}));
}

TEST_P(ShardTransportContract, AnOwnerThatWasFencedMayOpenAgain) {
  const auto first = make();
  ASSERT_TRUE(open(*first));
  const auto second = make();
  ASSERT_TRUE(open(*second));
  publish(*second, batch(1, {"a"}));
  EXPECT_FALSE(send(*first, batch(1, {"lost"})));
  EXPECT_EQ(open_receipt(*first), 1);
  publish(*first, batch(2, {"b"}));
  EXPECT_EQ(committed(), (Values{"a", "b"}));
}

TEST_P(ShardTransportContract, ASendUnderWayWhenANewOwnerOpensIsDecidedByThen) {
  const auto old_owner = make();
  ASSERT_TRUE(open(*old_owner));
  ASSERT_TRUE(send(*old_owner, batch(1, {"a"})));
  std::optional<Result<bool>> sent;
  old_owner->send(batch(2, {"b"}), [&](Result<bool> result) { sent = result; });
  const auto new_owner = make();
  const auto receipt = open(*new_owner);
  ASSERT_TRUE(receipt) << receipt.error().message;
  const Values then = committed();
  ASSERT_TRUE(world_->run_until([&] { return sent.has_value(); }));
  EXPECT_EQ(committed(), then) << "something was committed after the new owner had opened";
  EXPECT_EQ(then, *receipt == 2 ? (Values{"a", "b"}) : (Values{"a"}));
}

TEST_P(ShardTransportContract, AFencedOwnersSendsFailForGood) {
  const auto zombie = make();
  ASSERT_TRUE(open(*zombie));
  const auto owner = make();
  ASSERT_TRUE(open(*owner));
  for (int time = 0; time < 3; ++time) {
    const auto fenced = send(*zombie, batch(1, {"zombie"}));
    ASSERT_FALSE(fenced) << time;
    EXPECT_EQ(fenced.error().code, ErrorCode::Fenced) << time << ": " << fenced.error().message;
  }
  publish(*owner, batch(1, {"a"}));
  EXPECT_EQ(committed(), (Values{"a"}));
}

TEST_P(ShardTransportContract, ATransactionLeftOpenIsAbortedByTheNextOwner) {
  const auto killed = left_open(batch(1, {"lost"}));
  const auto owner = make();
  EXPECT_EQ(open_receipt(*owner), 0);
  EXPECT_EQ(committed(), Values{});
  publish(*owner, batch(1, {"a"}));
  EXPECT_EQ(committed(), (Values{"a"}));
  EXPECT_EQ(open_receipt(*owner), 1);
}

TEST_P(ShardTransportContract, TheEndOfATransactionThatComesAfterTheNextOwnerIsRefused) {
  const auto zombie = left_open(batch(1, {"zombie"}));
  const auto owner = make();
  EXPECT_EQ(open_receipt(*owner), 0);
  const auto late = zombie->commit();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Fenced) << late.error().message;
  publish(*owner, batch(1, {"a"}));
  EXPECT_FALSE(zombie->commit()) << "for good";
  EXPECT_EQ(committed(), (Values{"a"}));
}

TEST_P(ShardTransportContract, TheReceiptTellsWhatWasCommittedFromWhatWasAborted) {
  const auto lucky = left_open(batch(1, {"a"}));
  ASSERT_TRUE(lucky->commit());
  const auto owner = make();
  EXPECT_EQ(open_receipt(*owner), 1) << "it committed and nobody was told";
  const auto killed = left_open(batch(2, {"lost"}));
  EXPECT_EQ(open_receipt(*owner), 1) << "it was killed before the end";
  publish(*owner, batch(2, {"b"}));
  EXPECT_EQ(committed(), (Values{"a", "b"}));
}

TEST_P(ShardTransportContract, AnOpenTransactionDisturbsNoOtherShard) {
  const auto held_up = left_open(batch(1, {"a"}, 0));
  const auto other = make(1);
  EXPECT_EQ(open_receipt(*other), 0);
  publish(*other, batch(1, {"b"}, 1));
  EXPECT_EQ(open_receipt(*other), 1);
  ASSERT_TRUE(held_up->commit()) << "fenced by another shard's owner";
  EXPECT_EQ(committed(), (Values{"a", "b"}));
  const auto next = make(0);
  EXPECT_EQ(open_receipt(*next), 1);
}

TEST_P(ShardTransportContract, SendingBeforeOpenIsAnError) {
  const auto transport = make();
  EXPECT_FALSE(send(*transport, batch(1, {"a"})));
  EXPECT_EQ(committed(), Values{});
}

TEST_P(ShardTransportContract, ADestroyedTransportAnswersNothingMore) {
  bool answered = false;
  auto gone = make();
  ASSERT_TRUE(open(*gone));
  gone->send(batch(1, {"a"}), [&](Result<bool>) { answered = true; });
  gone.reset();
  const auto next = make();
  const auto receipt = open(*next);
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_FALSE(answered);
  const std::int64_t number = receipt->value_or(0);
  publish(*next, batch(number + 1, {"b"}));
  EXPECT_EQ(committed(), number == 1 ? (Values{"a", "b"}) : (Values{"b"}));
}

TEST_P(ShardTransportContract, FindsTheReceiptAfterManyBatches) {
  const auto transport = make();
  ASSERT_TRUE(open(*transport));
  for (std::int64_t number = 1; number <= 120; ++number) {
    publish(*transport, batch(number, {"v"}));
  }
  EXPECT_EQ(open_receipt(*transport), 120);
}

}  // namespace ba
