// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/intake_consumer/intake_consumer_contract.hpp"

#include <algorithm>

namespace ba {

using Values = std::vector<std::string>;

// ---- where a partition starts ------------------------------------------------------------------

TEST_P(IntakeConsumerContract, StartsAtTheBeginningWhereTheLedgerHasNoOffset) {
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch})
    for (int partition = 0; partition < 2; ++partition) rig_->send(lane, partition, {"a", "b"});
  const auto member = join();
  ASSERT_TRUE(has(*member, 12));
  expect_nothing_more(*member);
  EXPECT_EQ(member->asked.size(), 1u);
  std::set<IntakePartition> asked;
  for (const PartitionOffset& partition : member->asked.at(0))
    asked.insert({partition.topic, partition.partition});
  EXPECT_EQ(asked.size(), std::size_t{IntakeConsumerRig::kPartitions});
}

TEST_P(IntakeConsumerContract, StartsAtTheLedgersOffsetAndNotAtKafkas) {
  rig_->send(Lane::Normal, 1, {"0", "1", "2", "3", "4"});
  const auto first = join();
  ASSERT_TRUE(has(*first, 5));
  ASSERT_TRUE(closes(*first));
  EXPECT_EQ(rig_->committed(Lane::Normal, 1), 5);
  ledger_.next[key(Lane::Normal, 1)] = 3;
  const auto second = join();
  ASSERT_TRUE(has(*second, 2));
  expect_nothing_more(*second);
  EXPECT_EQ(second->values(), (Values{"3", "4"}));
}

TEST_P(IntakeConsumerContract, AsksAgainAfterAnErrorAndFetchesNothingMeanwhile) {
  rig_->send(Lane::Normal, 0, {"a"});
  ledger_.down = true;
  const auto member = join();
  ASSERT_TRUE(rig_->run_until([&] { return member->asked.size() >= 3; }));
  EXPECT_EQ(member->asked.front().size(), member->asked.back().size());
  EXPECT_TRUE(member->records.empty());
  EXPECT_FALSE(member->state().assigned);
  ledger_.down = false;
  EXPECT_TRUE(has(*member, 1));
}

TEST_P(IntakeConsumerContract, AnAnswerThatComesAfterTheEndIsDropped) {
  rig_->send(Lane::Normal, 0, {"a"});
  ledger_.silent = true;
  const auto member = join();
  ASSERT_TRUE(rig_->run_until([&] { return !member->unanswered.empty(); }));
  ASSERT_TRUE(closes(*member));
  member->unanswered.at(0)(ledger_.answer(member->asked.at(0)));
  expect_nothing_more(*member);
  member->destroy();
  member->unanswered.at(0)(ledger_.answer(member->asked.at(0)));
  expect_nothing_more(*member);
}

TEST_P(IntakeConsumerContract, AnOffsetPastTheEndOfTheLogBeginsANewEpochAtItsBeginning) {
  rig_->send(Lane::Normal, 1, {"a", "b"});
  ledger_.out_of_range = true;
  ledger_.next[key(Lane::Normal, 1)] = 10;
  const auto member = join();
  ASSERT_TRUE(has(*member, 2));
  expect_nothing_more(*member);
  EXPECT_EQ(member->values(), (Values{"a", "b"}));
  EXPECT_EQ(member->records.at(0).source.epoch, 1);
  EXPECT_EQ(ledger_.begun, (std::vector{next(Lane::Normal, 1, 10)}));
  EXPECT_EQ(member->assigned(), 1) << "only of that one the ledger is asked again";
}

TEST_P(IntakeConsumerContract, WhereAnotherHasBegunTheEpochTheLedgerIsAskedAgain) {
  rig_->send(Lane::Normal, 1, {"a"});
  ledger_.out_of_range = true;
  ledger_.silent = true;
  const auto member = join();
  ASSERT_TRUE(rig_->run_until([&] { return !member->unanswered.empty(); }));
  ledger_.silent = false;
  ledger_.next[key(Lane::Normal, 1)] = 10;
  const auto stale = ledger_.answer(member->asked.at(0));
  ASSERT_TRUE(ledger_.begin_epoch(next(Lane::Normal, 1, 10)));
  member->unanswered.at(0)(stale);
  ASSERT_TRUE(has(*member, 1));
  EXPECT_EQ(member->records.at(0).source.epoch, 1);
  EXPECT_EQ(ledger_.begun.size(), 2u);
}

// ---- records -----------------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, RecordsComeInTheOrderOfTheirPartitionsWithTheirSource) {
  rig_->send(Lane::Normal, 0, {"a", "b", "c", "d", "e", "f", "g"});
  rig_->send(Lane::Normal, 1, {"h", "i", "j"});
  ledger_.epochs[key(Lane::Normal, 1)] = 2;
  const auto member = join();
  ASSERT_TRUE(has(*member, 10));
  std::map<int, std::string> read;
  for (const RawRecord& record : member->records) {
    EXPECT_EQ(record.source.topic, topic(Lane::Normal));
    EXPECT_EQ(record.source.epoch, record.source.partition == 1 ? 2 : 0) << "the ledger's";
    read[record.source.partition] += record.value;
  }
  EXPECT_EQ(read, (std::map<int, std::string>{{0, "abcdefg"}, {1, "hij"}}));
}

TEST_P(IntakeConsumerContract, NothingComesFromInsideACallHoweverMuchIsWaiting) {
  rig_->send(Lane::Normal, 0, {"a", "b", "c", "d", "e", "f", "g"});
  const auto member = join();  // which looks at every event
  member->pause({topic(Lane::Normal)});
  ASSERT_TRUE(rig_->run_until([&] { return member->state().assigned; }));
  rig_->settle();
  member->pause({});
  member->acknowledge(0, {});
  EXPECT_TRUE(member->records.empty());
  ASSERT_TRUE(has(*member, 7));
  ASSERT_TRUE(closes(*member));
}

TEST_P(IntakeConsumerContract, WhatIsOutstandingIsBoundedUntilItIsAcknowledged) {
  constexpr std::size_t kAll = 60;
  constexpr std::size_t kBound = IntakeConsumerRig::kOutstandingMax + IntakeConsumerRig::kBatchMax;
  rig_->send(Lane::Normal, 0, Values(kAll, "x"));
  const auto member = join();
  member->takes_in = false;
  ASSERT_TRUE(has(*member, IntakeConsumerRig::kOutstandingMax));
  expect_nothing_more(*member);
  const std::size_t held = member->records.size();
  EXPECT_LT(held, kBound);
  EXPECT_TRUE(rig_->run_until(
      [&] { return member->state().outstanding == static_cast<std::int64_t>(held); }));
  member->take_in(held);
  ASSERT_TRUE(has(*member, held + IntakeConsumerRig::kOutstandingMax));
  expect_nothing_more(*member);
  EXPECT_LT(member->records.size(), held + kBound);
  member->takes_in = true;
  member->take_in(member->records.size() - held);
  ASSERT_TRUE(has(*member, kAll));
  EXPECT_TRUE(rig_->run_until([&] { return member->state().outstanding == 0; }));
  expect_nothing_more(*member);
}

// ---- pauses ------------------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, PausesExactlyTheseTopicsAndLosesAndRepeatsNothing) {
  const auto member = join_alone();
  const auto paused = [&](Lane lane) {
    const IntakeState state = member->state();
    return std::count_if(state.partitions.begin(), state.partitions.end(),
                         [](const auto& lag) { return lag.paused; }) == 2 &&
           std::all_of(state.partitions.begin(), state.partitions.end(),
                       [&](const auto& lag) { return lag.paused == (lag.topic == topic(lane)); });
  };
  member->pause({topic(Lane::Normal)});
  ASSERT_TRUE(rig_->run_until([&] { return paused(Lane::Normal); }));
  rig_->send(Lane::Normal, 0, {"a", "b"});
  rig_->send(Lane::High, 0, {"c"});
  ASSERT_TRUE(has(*member, 1));
  expect_nothing_more(*member);
  EXPECT_EQ(member->values(), (Values{"c"}));

  member->pause({topic(Lane::High)});
  ASSERT_TRUE(rig_->run_until([&] { return paused(Lane::High); }));
  rig_->send(Lane::High, 1, {"d"});
  ASSERT_TRUE(has(*member, 3));
  expect_nothing_more(*member);
  EXPECT_EQ(member->values(), (Values{"a", "b", "c"}));

  member->pause({});
  ASSERT_TRUE(has(*member, 4));
  expect_nothing_more(*member);
  EXPECT_EQ(member->values(), (Values{"a", "b", "c", "d"}));
}

TEST_P(IntakeConsumerContract, APauseHoldsInLaterAssignments) {
  const auto first = join_alone();
  first->pause({topic(Lane::Normal)});
  auto second = join();
  ASSERT_TRUE(assigned(*first, 3));
  ASSERT_TRUE(closes(*second));
  ASSERT_TRUE(assigned(*first, IntakeConsumerRig::kPartitions));
  for (int partition = 0; partition < 2; ++partition) {
    rig_->send(Lane::Normal, partition, {"held"});
    rig_->send(Lane::High, partition, {"free"});
  }
  ASSERT_TRUE(has(*first, 2));
  expect_nothing_more(*first);
  EXPECT_EQ(first->values(), (Values{"free", "free"}));
  first->pause({});
  EXPECT_TRUE(has(*first, 4));
}

TEST_P(IntakeConsumerContract, APauseThatEndsWhilePartitionsAreAnothersIsOverWhenTheyComeBack) {
  const auto first = join_alone();
  first->pause({topic(Lane::Normal)});
  auto second = join();
  ASSERT_TRUE(assigned(*first, 3));
  ASSERT_TRUE(assigned(*second, 3));
  first->pause({});
  ASSERT_TRUE(closes(*second));
  ASSERT_TRUE(assigned(*first, IntakeConsumerRig::kPartitions));
  for (int partition = 0; partition < 2; ++partition)
    rig_->send(Lane::Normal, partition, {"a", "b"});
  EXPECT_TRUE(has(*first, 4));
}

// ---- acknowledgements --------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, CloseCommitsWhatWasAcknowledgedAndNoMore) {
  rig_->send(Lane::Normal, 0, {"a", "b", "c", "d", "e"});
  const auto member = join();
  member->takes_in = false;
  ASSERT_TRUE(has(*member, 5));
  member->acknowledge(2, {next(Lane::Normal, 0, 2)});
  member->acknowledge(1, {next(Lane::Normal, 0, 3)});
  ASSERT_TRUE(closes(*member));
  EXPECT_EQ(rig_->committed(Lane::Normal, 0), 3);
  EXPECT_EQ(rig_->committed(Lane::Normal, 1), -1);
}

TEST_P(IntakeConsumerContract, AnOffsetOfAnotherEpochIsNotCommitted) {
  rig_->send(Lane::Normal, 0, {"a", "b"});
  ledger_.epochs[key(Lane::Normal, 0)] = 1;
  const auto member = join();
  member->takes_in = false;
  ASSERT_TRUE(has(*member, 2));
  member->acknowledge(2, {next(Lane::Normal, 0, 2, 0)});
  EXPECT_TRUE(rig_->run_until([&] { return member->state().outstanding == 0; }));
  ASSERT_TRUE(closes(*member));
  EXPECT_EQ(rig_->committed(Lane::Normal, 0), -1);
}

TEST_P(IntakeConsumerContract, NothingIsCommittedForPartitionsThatAreAnothersNow) {
  constexpr std::array kLanes{Lane::High, Lane::Normal, Lane::Batch};
  for (const Lane lane : kLanes)
    for (int partition = 0; partition < 2; ++partition) rig_->send(lane, partition, {"a"});
  const auto first = join();
  first->takes_in = false;
  ASSERT_TRUE(has(*first, IntakeConsumerRig::kPartitions));
  const auto second = join();
  second->takes_in = false;
  ASSERT_TRUE(assigned(*first, 3));
  ASSERT_TRUE(assigned(*second, 3));
  ASSERT_TRUE(has(*second, 3)) << "they are not in the ledger";
  first->take_in(IntakeConsumerRig::kPartitions);
  ASSERT_TRUE(closes(*first));
  std::set<IntakePartition> others;
  for (const PartitionOffset& offset : second->asked.at(0))
    others.insert({offset.topic, offset.partition});
  for (const Lane lane : kLanes)
    for (int partition = 0; partition < 2; ++partition)
      EXPECT_EQ(rig_->committed(lane, partition), others.contains(key(lane, partition)) ? -1 : 1)
          << topic(lane) << '/' << partition;
}

// ---- the group ---------------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, ASecondMemberBeginsAtTheLedgersOffsetsAskedAnew) {
  const auto first = join_alone();
  for (int partition = 0; partition < 2; ++partition)
    rig_->send(Lane::Normal, partition, {"a", "b"});
  ASSERT_TRUE(has(*first, 4));
  const std::int64_t rebalances = first->state().rebalances;
  const auto second = join();
  ASSERT_TRUE(assigned(*first, 3));
  ASSERT_TRUE(assigned(*second, 3));
  EXPECT_TRUE(rig_->run_until([&] { return first->state().rebalances > rebalances; }));
  for (int partition = 0; partition < 2; ++partition) rig_->send(Lane::Normal, partition, {"c"});
  ASSERT_TRUE(rig_->run_until([&] { return first->records.size() + second->records.size() == 6; }));
  rig_->settle();
  EXPECT_EQ(first->records.size() + second->records.size(), 6u) << "none is read twice";

  ASSERT_TRUE(closes(*first));
  ASSERT_TRUE(assigned(*second, IntakeConsumerRig::kPartitions));
  expect_nothing_more(*second);
  rig_->send(Lane::Normal, 0, {"d"});
  rig_->send(Lane::Normal, 1, {"d"});
  ASSERT_TRUE(rig_->run_until([&] { return first->records.size() + second->records.size() == 8; }));
}

TEST_P(IntakeConsumerContract, WhatWasHandedOverAndNotTakenInIsReadAgainByTheNext) {
  rig_->send(Lane::Normal, 0, {"a", "b", "c"});
  const auto first = join();
  first->takes_in = false;
  ASSERT_TRUE(has(*first, 3));
  first->take_in(1);
  first->destroy();  // without a word, which leaves the group, too
  const auto second = join();
  ASSERT_TRUE(has(*second, 2));
  expect_nothing_more(*second);
  EXPECT_EQ(second->values(), (Values{"b", "c"}));
}

// ---- the end -----------------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, CloseHandsOverNothingMoreAndAnswersOnce) {
  const auto member = join_alone();
  rig_->send(Lane::Normal, 0, {"a", "b"});
  member->close();
  ASSERT_TRUE(rig_->run_until([&] { return member->closed > 0; }));
  rig_->send(Lane::Normal, 1, {"c"});
  rig_->settle();
  EXPECT_TRUE(member->records.empty());
  EXPECT_EQ(member->asked.size(), 1u);
  EXPECT_EQ(member->closed, 1);
}

// ---- the state ---------------------------------------------------------------------------------

TEST_P(IntakeConsumerContract, TheStateSaysWhereEachPartitionStands) {
  const auto member = join();
  member->takes_in = false;
  EXPECT_FALSE(member->state().assigned);
  ASSERT_TRUE(rig_->run_until([&] { return member->state().assigned; }));
  EXPECT_TRUE(member->state().connected);
  EXPECT_EQ(member->state().partitions.size(), std::size_t{IntakeConsumerRig::kPartitions});
  EXPECT_GT(member->state().rebalances, 0);

  rig_->send(Lane::Normal, 1, {"a", "b", "c"});
  ASSERT_TRUE(has(*member, 3));
  const auto stands = [&](const PartitionLag& wanted, std::int64_t outstanding) {
    const IntakeState state = member->state();
    return state.records == 3 && state.outstanding == outstanding &&
           std::count(state.partitions.begin(), state.partitions.end(), wanted) == 1;
  };
  const std::string name = topic(Lane::Normal);
  EXPECT_TRUE(rig_->run_until([&] { return stands({name, 1, -1, 3, 3, false, false}, 3); }));
  member->take_in(2);
  EXPECT_TRUE(rig_->run_until([&] { return stands({name, 1, 2, 3, 1, false, false}, 1); }));
  member->take_in(1);
  EXPECT_TRUE(rig_->run_until([&] { return stands({name, 1, 3, 3, 0, false, false}, 0); }));
}

// ---- fixture -----------------------------------------------------------------------------------

std::unique_ptr<IntakeMember> IntakeConsumerContract::join_alone() {
  auto member = join();
  EXPECT_TRUE(rig_->run_until([&] { return member->state().assigned; }));
  EXPECT_EQ(member->assigned(), IntakeConsumerRig::kPartitions);
  return member;
}

bool IntakeConsumerContract::has(const IntakeMember& member, std::size_t records) {
  return rig_->run_until([&] { return member.records.size() >= records; });
}

bool IntakeConsumerContract::assigned(const IntakeMember& member, int partitions) {
  return rig_->run_until([&] { return member.assigned() == partitions; });
}

bool IntakeConsumerContract::closes(IntakeMember& member) {
  member.close();
  return rig_->run_until([&] { return member.closed == 1; });
}

void IntakeConsumerContract::expect_nothing_more(const IntakeMember& member) {
  const Values before = member.values();
  rig_->settle();
  EXPECT_EQ(member.values(), before);
}

PartitionOffset IntakeConsumerContract::next(Lane lane, int partition, std::int64_t offset,
                                             int epoch) const {
  PartitionOffset next{topic(lane), "", partition, offset};
  next.epoch = epoch;
  return next;
}

}  // namespace ba
