// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/shard_protocol.hpp"

#include <gtest/gtest.h>

namespace ba::shard {
namespace {

Error error(ErrorCode code) { return {code, Retry::Later, "x", "", {}, false}; }

State owned(std::int64_t assigned, std::int64_t published) {
  State state;
  state.ledger = {3, assigned, published};
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, Owned{})));
  return state;
}

/// A shard whose transport is open and whose ledger was just asked for the batch after `published`.
State fetching(std::int64_t published) {
  State state = owned(published, published);
  const std::optional<std::int64_t> receipt =
      published == 0 ? std::nullopt : std::optional(published);
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{receipt})).published, published);
  return state;
}

State sending(std::int64_t batch) {
  State state = fetching(batch - 1);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{batch})));
  return state;
}

struct ReceiptRow {
  const char* what;
  std::int64_t assigned;
  std::int64_t published;
  std::optional<std::int64_t> receipt;
  std::optional<std::int64_t> goes_on_after;  ///< none: stops
  const char* reason;
};

class ShardProtocolReceipt : public testing::TestWithParam<ReceiptRow> {};

TEST_P(ShardProtocolReceipt, DecidesWhatBecomesOfTheAssignedBatch) {
  const ReceiptRow& row = GetParam();
  State state = owned(row.assigned, row.published);
  const Action action = advance(state, Opened{row.receipt});
  if (row.goes_on_after) {
    ASSERT_TRUE(std::holds_alternative<Fetch>(action));
    EXPECT_EQ(std::get<Fetch>(action).published, *row.goes_on_after);
  } else {
    ASSERT_TRUE(std::holds_alternative<Stop>(action));
    EXPECT_NE(std::get<Stop>(action).reason.find(row.reason), std::string::npos)
        << std::get<Stop>(action).reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ShardProtocolReceipt,
    testing::Values(ReceiptRow{"new shard", 0, 0, std::nullopt, 0, ""},
                    ReceiptRow{"first batch never sent", 1, 0, std::nullopt, 0, ""},
                    ReceiptRow{"first batch sent", 1, 0, 1, 1, ""},
                    ReceiptRow{"nothing in flight", 7, 7, 7, 7, ""},
                    ReceiptRow{"assigned and not sent", 8, 7, 7, 7, ""},
                    ReceiptRow{"assigned and sent", 8, 7, 8, 8, ""},
                    ReceiptRow{"older than marked", 8, 7, 6, std::nullopt, "deleted, recreated"},
                    ReceiptRow{"missing, some marked", 8, 7, std::nullopt, std::nullopt, "missing"},
                    ReceiptRow{"missing, first marked", 1, 1, std::nullopt, std::nullopt,
                               "missing"},
                    ReceiptRow{"newer than assigned", 8, 7, 9, std::nullopt, "restored"},
                    ReceiptRow{"newer, nothing assigned", 0, 0, 1, std::nullopt, "restored"}),
    [](const auto& info) {
      std::string name = info.param.what;
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

TEST(ShardProtocol, SendsTheBatchThatTheLedgerAssigned) {
  State state = fetching(4);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{5})));
}

TEST(ShardProtocol, WaitsForRowsWhenNothingIsPending) {
  State state = fetching(4);
  EXPECT_TRUE(std::holds_alternative<AwaitRows>(advance(state, Fetched{0})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Due{})).published, 4);
}

TEST(ShardProtocol, StopsWhenTheLedgerSkipsABatch) {
  State state = fetching(4);
  EXPECT_TRUE(std::holds_alternative<Stop>(advance(state, Fetched{6})));
}

TEST(ShardProtocol, MarksACleanCommitWithTheNextFetch) {
  State state = sending(5);
  EXPECT_TRUE(std::holds_alternative<AwaitLinger>(advance(state, Committed{true})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Due{})).published, 5);
}

TEST(ShardProtocol, OpensAgainAfterATaintedCommitAndExpectsItsReceipt) {
  State state = sending(5);
  ASSERT_TRUE(std::holds_alternative<Open>(advance(state, Committed{false})));
  State lost = state;
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{5})).published, 5);
  EXPECT_TRUE(std::holds_alternative<Stop>(advance(lost, Opened{4})));
}

TEST(ShardProtocol, LetsTheReceiptDecideAfterAFailedSend) {
  State committed = sending(5);
  ASSERT_TRUE(
      std::holds_alternative<Open>(advance(committed, SendFailed{error(ErrorCode::Timeout)})));
  State aborted = committed;
  EXPECT_EQ(std::get<Fetch>(advance(committed, Opened{5})).published, 5);
  EXPECT_EQ(std::get<Fetch>(advance(aborted, Opened{4})).published, 4);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(aborted, Fetched{5})));
}

TEST(ShardProtocol, AProducerThatWasFencedIsOpenedAgainAndEndsNothingElse) {
  State state = sending(5);
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, SendFailed{error(ErrorCode::Fenced)})));
}

TEST(ShardProtocol, WaitsBetweenSendsThatFailInARow) {
  State state = sending(5);
  ASSERT_TRUE(
      std::holds_alternative<Open>(advance(state, SendFailed{error(ErrorCode::Unavailable)})));
  advance(state, Opened{4});
  advance(state, Fetched{5});
  const Action action = advance(state, SendFailed{error(ErrorCode::Unavailable)});
  ASSERT_TRUE(std::holds_alternative<RetryLater>(action));
  EXPECT_EQ(std::get<RetryLater>(action).failures, 2);
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, RetryDue{})));
}

TEST(ShardProtocol, RepeatsAFailedOpenAndNeverSkipsIt) {
  State state = owned(0, 0);
  ASSERT_TRUE(
      std::holds_alternative<RetryLater>(advance(state, OpenFailed{error(ErrorCode::Fenced)})));
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, RetryDue{})));
}

TEST(ShardProtocol, RepeatsAFetchWhoseAnswerWasLost) {
  State state = fetching(4);
  ASSERT_TRUE(
      std::holds_alternative<RetryLater>(advance(state, FetchFailed{error(ErrorCode::Timeout)})));
  EXPECT_EQ(std::get<Fetch>(advance(state, RetryDue{})).published, 4);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{5})));
}

TEST(ShardProtocol, HaltsEverythingWhenTheIncarnationIsDead) {
  State state = fetching(4);
  EXPECT_TRUE(
      std::holds_alternative<HaltAll>(advance(state, FetchFailed{error(ErrorCode::Fenced)})));
}

TEST(ShardProtocol, HaltsTheShardThatIsSomebodyElses) {
  State state = fetching(4);
  EXPECT_TRUE(
      std::holds_alternative<Halt>(advance(state, FetchFailed{error(ErrorCode::Conflict)})));
}

TEST(ShardProtocol, RecordsAStopUntilTheLedgerHasIt) {
  State state = owned(8, 7);
  const std::string reason = std::get<Stop>(advance(state, Opened{6})).reason;
  ASSERT_TRUE(
      std::holds_alternative<RetryLater>(advance(state, StopFailed{error(ErrorCode::Timeout)})));
  EXPECT_EQ(std::get<Stop>(advance(state, RetryDue{})).reason, reason);
  EXPECT_TRUE(std::holds_alternative<Halt>(advance(state, StopRecorded{})));
}

TEST(ShardProtocol, AZombieThatCantExplainTheReceiptHaltsInsteadOfStoppingTheShard) {
  State state = owned(8, 7);
  ASSERT_TRUE(std::holds_alternative<Stop>(advance(state, Opened{12})));
  EXPECT_TRUE(
      std::holds_alternative<HaltAll>(advance(state, StopFailed{error(ErrorCode::Fenced)})));
}

TEST(ShardProtocolDeathTest, AnEventOutOfTurnIsABug) {
  State state = owned(0, 0);
  EXPECT_DEATH(advance(state, Committed{true}), "phase");
}

// ---- closed topics -----------------------------------------------------------------------------

SendFailed closed() { return {error(ErrorCode::PermissionDenied), false, true}; }

/// Batch 7, which has records for closed topics, was fetched once more and is not out.
State withdrawing() {
  State state = sending(7);
  advance(state, closed());
  advance(state, Opened{6});
  advance(state, Fetched{7});
  return state;
}

TEST(ShardProtocol, WithdrawsABatchForClosedTopicsOnlyOnceTheReceiptShowsThatItIsNotOut) {
  State state = sending(7);
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, closed())));
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{6})).published, 6);
  EXPECT_TRUE(std::holds_alternative<Withdraw>(advance(state, Fetched{7})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Withdrawn{})).published, 6);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{8})));
  EXPECT_TRUE(std::holds_alternative<AwaitLinger>(advance(state, Committed{true})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Due{})).published, 8);
}

TEST(ShardProtocol, WithdrawsNoBatchThatIsOutAfterAll) {
  State state = sending(7);
  advance(state, closed());
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{7})).published, 7);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{8})));
}

// A call that is carried out late would change a batch that is out by then.
TEST(ShardProtocol, SendsNothingBeforeWithdrawingWasAnswered) {
  State state = withdrawing();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(std::holds_alternative<RetryLater>(
        advance(state, WithdrawFailed{error(ErrorCode::Timeout)})));
    ASSERT_TRUE(std::holds_alternative<Fetch>(advance(state, RetryDue{})));
    ASSERT_TRUE(std::holds_alternative<Withdraw>(advance(state, Fetched{7})));
  }
  EXPECT_TRUE(std::holds_alternative<Fetch>(advance(state, Withdrawn{})));
}

TEST(ShardProtocol, GoesOnWithTheNextNumberWhereAWithdrawalWasCarriedOutUnheard) {
  State state = withdrawing();
  advance(state, WithdrawFailed{error(ErrorCode::Timeout)});
  advance(state, RetryDue{});
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{8})));
}

TEST(ShardProtocol, AwaitsRowsWhereAllThatIsPendingIsForClosedTopics) {
  State state = withdrawing();
  advance(state, Withdrawn{});
  EXPECT_TRUE(std::holds_alternative<AwaitRows>(advance(state, Fetched{0})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Due{})).published, 6);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{8})));
}

// The database went back in time while the shard was open.
TEST(ShardProtocol, StopsWhereANumberIsUsedAgainOrSkipped) {
  State behind = withdrawing();
  advance(behind, Withdrawn{});
  advance(behind, Fetched{8});
  advance(behind, Committed{true});
  advance(behind, Due{});
  EXPECT_TRUE(std::holds_alternative<Stop>(advance(behind, Fetched{8})));
  State ahead = withdrawing();
  advance(ahead, Withdrawn{});
  EXPECT_TRUE(std::holds_alternative<Stop>(advance(ahead, Fetched{9})));
}

// The database went back to before the withdrawal, and batch 8 without these topics is out.
TEST(ShardProtocol, StopsWhereTheReceiptIsOfABatchAfterTheOneThatWasWithdrawn) {
  State state;
  state.ledger = {2, 7, 6};
  advance(state, Owned{});
  EXPECT_TRUE(std::holds_alternative<Stop>(advance(state, Opened{8})));
}

TEST(ShardProtocol, StopsWhereTheReceiptIsOfABatchThatWasWithdrawn) {
  State state;
  state.ledger = {2, 8, 6};
  advance(state, Owned{});
  const auto stop = advance(state, Opened{7});
  ASSERT_TRUE(std::holds_alternative<Stop>(stop));
  EXPECT_NE(std::get<Stop>(stop).reason.find("withdrew"), std::string::npos);
}

TEST(ShardProtocol, AShardThatWasLostMeanwhileIsHalted) {
  State state = withdrawing();
  EXPECT_TRUE(
      std::holds_alternative<Halt>(advance(state, WithdrawFailed{error(ErrorCode::Conflict)})));
}

// ---- refused records ---------------------------------------------------------------------------

TEST(ShardProtocol, ReplacesARefusedRecordOnlyOnceTheReceiptShowsThatTheBatchIsNotOut) {
  State state = sending(7);
  const SendFailed refused{error(ErrorCode::LimitExceeded), true};
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, refused)));
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{6})).published, 6);
  EXPECT_TRUE(std::holds_alternative<Replace>(advance(state, Fetched{7})));
  EXPECT_EQ(std::get<Fetch>(advance(state, Replaced{})).published, 6);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{7})));
  EXPECT_TRUE(std::holds_alternative<AwaitLinger>(advance(state, Committed{true})));
}

TEST(ShardProtocol, ReplacesNothingOfABatchThatIsOutAfterAll) {
  State state = sending(7);
  advance(state, SendFailed{error(ErrorCode::Timeout), true});
  EXPECT_EQ(std::get<Fetch>(advance(state, Opened{7})).published, 7);
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{8})));
}

// It may have been written unheard, and what replaced a record must not be replaced itself.
TEST(ShardProtocol, SendsAgainWhatIsThereAfterAReplacementThatGotNoAnswer) {
  State state = sending(7);
  advance(state, SendFailed{error(ErrorCode::LimitExceeded), true});
  advance(state, Opened{6});
  advance(state, Fetched{7});
  EXPECT_TRUE(
      std::holds_alternative<RetryLater>(advance(state, ReplaceFailed{error(ErrorCode::Timeout)})));
  EXPECT_TRUE(std::holds_alternative<Fetch>(advance(state, RetryDue{})));
  EXPECT_TRUE(std::holds_alternative<Send>(advance(state, Fetched{7})));
  EXPECT_TRUE(std::holds_alternative<RetryLater>(
      advance(state, SendFailed{error(ErrorCode::LimitExceeded), true})));
  EXPECT_TRUE(std::holds_alternative<Open>(advance(state, RetryDue{})));
  advance(state, Opened{6});
  EXPECT_TRUE(std::holds_alternative<Replace>(advance(state, Fetched{7}))) << "it was not written";
}

}  // namespace
}  // namespace ba::shard
