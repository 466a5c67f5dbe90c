// SPDX-License-Identifier: Apache-2.0
// What the ledger keeps of summaries, and whether one more may be written: each once, for so much
// an hour.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

SummaryOrder order_for(const ClaimedJob& job, int step = 2) {
  SummaryOrder order;
  order.job = job.id;
  order.conversation = job.conversation;
  order.at = {0, step, 0};
  order.round_id = "job-1/0";
  order.content_hash = "abc";
  order.estimate_micro_usd = 400;
  order.hour_micro_usd_max = 1'000;
  order.reuse_within = std::chrono::hours(24);
  return order;
}

SummaryRow written(const SummaryOrder& order, SummaryState state = SummaryState::Ready) {
  SummaryRow row;
  row.at = order.at;
  row.after = {0, order.at.step, 0};
  row.state = state;
  row.round_id = order.round_id;
  row.content_hash = order.content_hash;
  if (state == SummaryState::Ready) row.text = "what was said";
  if (state != SummaryState::Lost) {
    row.model = "scripted/small";
    row.usage.input_tokens = 90;
    row.usage.output_tokens = 7;
    row.cost_micro_usd = 350;
  }
  return row;
}

Delta with_summary(const ClaimedJob& job, const SummaryRow& row) {
  Delta delta = delta_for(job);
  delta.summaries.push_back(row);
  return delta;
}

class LedgerSummaryContract : public LedgerContract {
 protected:
  Result<SummaryStanding> begin(IncarnationId self, const SummaryOrder& order) {
    return await<SummaryStanding>([&](auto done) { ledger().begin_summary(self, order, done); });
  }

  static std::string why_refused(const Result<SummaryStanding>& standing) {
    if (!standing) return "an error: " + standing.error().message;
    const auto* refused = std::get_if<summary::Refused>(&*standing);
    return refused ? refused->why : "it isn't";
  }

  static bool begun(const Result<SummaryStanding>& standing) {
    return standing && std::holds_alternative<summary::Begun>(*standing);
  }

  /// What the hour's summaries cost so far, in micro-dollars, as one is told that may cost nothing.
  std::string spent(IncarnationId self, const ClaimedJob& job) {
    SummaryOrder order = order_for(job, 99);
    order.content_hash = "of nothing else";
    order.hour_micro_usd_max = 0;
    const std::string why = why_refused(begin(self, order));
    return why.substr(0, why.find(" micro-dollars were spent"));
  }
};

}  // namespace

TEST_F(LedgerSummaryContract, ASummaryIsOnRecordBeforeItIsWritten) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  const SummaryOrder order = order_for(job);
  EXPECT_TRUE(begun(begin(self, order)));
  EXPECT_TRUE(begun(begin(self, order))) << "its answer may have been lost";
  auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_THAT(stored->summaries, SizeIs(1));
  EXPECT_EQ(stored->summaries[0].state, SummaryState::Writing);
  EXPECT_EQ(stored->summaries[0].content_hash, "abc");

  ASSERT_TRUE(append(self, with_summary(job, written(order))));
  SummaryRow other = written(order);
  other.text = "something else";
  ASSERT_TRUE(append(self, with_summary(job, other)));
  stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_THAT(stored->summaries, ElementsAre(written(order))) << "the first end stays";
  const auto remains = load_remains(job);
  ASSERT_TRUE(remains) << remains.error().message;
  ASSERT_THAT(remains->summaries, SizeIs(1));
  EXPECT_EQ(remains->summaries[0].usage, written(order).usage);
  EXPECT_THAT(remains->summaries[0].text, IsEmpty());
}

TEST_F(LedgerSummaryContract, ASummaryIsAskedForOnceAtOnePlace) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  const SummaryOrder order = order_for(job);
  for (const SummaryState state : {SummaryState::Lost, SummaryState::Failed}) {
    SummaryOrder here = order;
    here.at.step = static_cast<int>(state);
    ASSERT_TRUE(begun(begin(self, here)));
    ASSERT_TRUE(append(self, with_summary(job, written(here, state))));
    EXPECT_THAT(why_refused(begin(self, here)), HasSubstr("at this place"));
  }
}

TEST_F(LedgerSummaryContract, ASummaryOfTheSameContentIsUsedAgain) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  const SummaryOrder order = order_for(job);
  ASSERT_TRUE(begun(begin(self, order)));
  ASSERT_TRUE(append(self, with_summary(job, written(order))));
  const SummaryOrder next = order_for(job, 5);
  const auto same = begin(self, next);
  ASSERT_TRUE(same) << same.error().message;
  ASSERT_TRUE(std::holds_alternative<summary::Reused>(*same));
  EXPECT_EQ(std::get<summary::Reused>(*same).text, "what was said");
  EXPECT_EQ(std::get<summary::Reused>(*same).usage, written(order).usage);
  EXPECT_EQ(std::get<summary::Reused>(*same).cost_micro_usd, written(order).cost_micro_usd);
  SummaryRow reused = written(next);
  reused.reused = true;
  reused.model.clear();
  ASSERT_TRUE(append(self, with_summary(job, reused)));
  EXPECT_THAT(load(job)->summaries, ElementsAre(written(order), reused));

  SummaryOrder old = order_for(job, 6);
  old.reuse_within = Milliseconds(0);
  EXPECT_TRUE(begun(begin(self, old)));
}

TEST_F(LedgerSummaryContract, ASummaryOfAnotherConversationIsNone) {
  const auto self = enter();
  const auto one = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(one))));
  ASSERT_TRUE(append(self, with_summary(one, written(order_for(one)))));
  const auto two = job_in_step_two(self, {.job_id = "job-2", .tenant = "globex"});
  EXPECT_TRUE(begun(begin(self, order_for(two))));
}

TEST_F(LedgerSummaryContract, ASummaryOfAnotherRoundOrContentIsNone) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job)))));
  SummaryOrder round = order_for(job, 3);
  round.round_id = "job-1/1";
  EXPECT_TRUE(begun(begin(self, round)));
  SummaryOrder content = order_for(job, 4);
  content.content_hash = "abd";
  content.hour_micro_usd_max = 10'000;
  EXPECT_TRUE(begun(begin(self, content)));
}

TEST_F(LedgerSummaryContract, OfTheSameContentTheNewestIsUsedAgain) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job)))));
  rig_->age(std::chrono::seconds(1));
  SummaryOrder anew = order_for(job, 5);
  anew.reuse_within = Milliseconds(0);
  ASSERT_TRUE(begun(begin(self, anew)));
  SummaryRow row = written(anew);
  row.text = "what was said since";
  ASSERT_TRUE(append(self, with_summary(job, row)));
  const auto same = begin(self, order_for(job, 6));
  ASSERT_TRUE(same && std::holds_alternative<summary::Reused>(*same));
  EXPECT_EQ(std::get<summary::Reused>(*same).text, row.text);
}

TEST_F(LedgerSummaryContract, AReadyOneIsUsedAgainWhileAnotherIsBeingWritten) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job)))));
  SummaryOrder anew = order_for(job, 1);
  anew.reuse_within = Milliseconds(0);
  ASSERT_TRUE(begun(begin(self, anew)));
  const auto same = begin(self, order_for(job, 6));
  EXPECT_TRUE(same && std::holds_alternative<summary::Reused>(*same)) << why_refused(same);
  anew.at.step = 7;
  EXPECT_THAT(why_refused(begin(self, anew)), HasSubstr("another job is having it written"));
}

TEST_F(LedgerSummaryContract, SummariesOfAnHourCostNoMoreThanTheyMay) {
  const auto self = enter();
  const auto one = job_in_step_two(self);
  const auto two = job_in_step_two(self, {.job_id = "job-2"});
  ASSERT_TRUE(begun(begin(self, order_for(one))));
  EXPECT_TRUE(begun(begin(self, order_for(two)))) << "800 of 1000";
  ASSERT_TRUE(append(self, with_summary(one, written(order_for(one)))));
  SummaryOrder third = order_for(two, 3);
  third.content_hash = "def";
  EXPECT_THAT(why_refused(begin(self, third)), HasSubstr("750")) << "350 and an estimate of 400";
  third.estimate_micro_usd = 250;
  EXPECT_TRUE(begun(begin(self, third)));
}

TEST_F(LedgerSummaryContract, SummariesOfAllWorkersCountInThatHour) {
  const auto self = enter();
  const auto other = enter("worker-b");
  const auto one = job_in_step_two(self);
  const auto two = job_in_step_two(other, {.job_id = "job-2"});
  ASSERT_TRUE(begun(begin(self, order_for(one))));
  EXPECT_TRUE(begun(begin(other, order_for(two)))) << "800 of 1000";
  for (const auto& [worker, job] : {std::pair{self, one}, std::pair{other, two}}) {
    SummaryOrder more = order_for(job, 3);
    more.content_hash = "def";
    EXPECT_THAT(why_refused(begin(worker, more)), HasSubstr("800"));
  }
}

TEST_F(LedgerSummaryContract, SummariesOfAllTenantsCountInThatHour) {
  const auto self = enter();
  const auto ours = job_in_step_two(self);
  const auto theirs = job_in_step_two(self, {.job_id = "job-1", .tenant = "globex"});
  EXPECT_EQ(spent(self, theirs), "0");
  ASSERT_TRUE(begun(begin(self, order_for(ours))));
  EXPECT_EQ(spent(self, theirs), "400");
  ASSERT_TRUE(append(self, with_summary(ours, written(order_for(ours)))));
  EXPECT_EQ(spent(self, theirs), "350");
  ASSERT_TRUE(append(self, finished(ours)));
  EXPECT_EQ(spent(self, theirs), "350") << "also once their job has ended";
}

TEST_F(LedgerSummaryContract, WhatWasSpentMoreThanAnHourAgoCountsNoMore) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  rig_->age(std::chrono::minutes(59));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job)))));
  SummaryOrder next = order_for(job, 3);
  next.content_hash = "def";
  next.hour_micro_usd_max = 700;
  EXPECT_THAT(why_refused(begin(self, next)), HasSubstr("350"));
  rig_->age(std::chrono::minutes(1));
  EXPECT_EQ(spent(self, job), "0") << "from when it was begun, whenever it was written";
  EXPECT_TRUE(begun(begin(self, next)));
  EXPECT_EQ(spent(self, job), "400");
}

TEST_F(LedgerSummaryContract, OneWhosePriceIsNotKnownCountsAsItWasEstimated) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  SummaryRow row = written(order_for(job));
  row.cost_micro_usd.reset();
  ASSERT_TRUE(append(self, with_summary(job, row)));
  EXPECT_EQ(spent(self, job), "400");
}

TEST_F(LedgerSummaryContract, OnesThatFailedOrWereLostCountInThatHour) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job), SummaryState::Failed))));
  EXPECT_EQ(spent(self, job), "350") << "it was paid";
  const SummaryOrder lost = order_for(job, 3);
  ASSERT_TRUE(begun(begin(self, lost)));
  ASSERT_TRUE(append(self, with_summary(job, written(lost, SummaryState::Lost))));
  EXPECT_EQ(spent(self, job), "750") << "it may have been paid";
}

TEST_F(LedgerSummaryContract, OneThatIsUsedAgainCostsNothing) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  ASSERT_TRUE(append(self, with_summary(job, written(order_for(job)))));
  SummaryRow reused = written(order_for(job, 5));
  reused.reused = true;
  ASSERT_TRUE(append(self, with_summary(job, reused)));
  EXPECT_EQ(spent(self, job), "350");
  SummaryOrder free = order_for(job, 6);
  free.hour_micro_usd_max = 0;
  const auto same = begin(self, free);
  EXPECT_TRUE(same && std::holds_alternative<summary::Reused>(*same)) << "whatever was spent";
}

TEST_F(LedgerSummaryContract, NobodyHasASummaryWrittenOfAJobThatIsNotTheirs) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  const auto other = enter("worker-b");
  EXPECT_EQ(begin(other, order_for(job)).error().code, ErrorCode::Fenced);
  ASSERT_TRUE(append(self, finished(job)));
  EXPECT_EQ(begin(self, order_for(job)).error().code, ErrorCode::Fenced);
}

TEST_F(LedgerSummaryContract, NoSummaryIsBeingWrittenOfAJobThatHasEnded) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  Delta end = finished(job);
  end.finished->ends_summaries = true;
  ASSERT_TRUE(append(self, end));
  EXPECT_EQ(load(job)->summaries.at(0).state, SummaryState::Failed);
}

}  // namespace ba
