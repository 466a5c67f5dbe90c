// SPDX-License-Identifier: Apache-2.0
// What the ledger keeps of histories that were made shorter, of summaries and of reminders.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

Delta reminded(const ClaimedJob& job) {
  Delta delta = delta_for(job);
  ReminderRow row;
  row.position = {0, 1, kReminderIndex};
  row.message.meta.message_id = MessageId("job-1/0/1.1000000");
  row.message.meta.additional_kwargs["isMeta"] = "true";
  row.message.text = "remember";
  delta.reminders.push_back(std::move(row));
  return delta;
}

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

class LedgerContextContract : public LedgerContract {
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

  /// A job in its second step.
  ClaimedJob job_in_step_two(IncarnationId self, const JobSpec& spec = {.job_id = "job-1"}) {
    const auto answer = intake(self, batch_of({spec}), 1);
    EXPECT_TRUE(answer && !answer->jobs.empty());
    const ClaimedJob job = answer->jobs.back();
    EXPECT_TRUE(append(self, round_opened(job)));
    EXPECT_TRUE(append(self, step_replied(job)));
    EXPECT_TRUE(append(self, call_finished(job)));
    return job;
  }
};

}  // namespace

TEST_F(LedgerContextContract, AReminderStandsBehindTheResultsOfItsStepOnce) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(append(self, reminded(job)));
  const std::string before = rig_->dump();
  ASSERT_TRUE(append(self, reminded(job)));
  EXPECT_EQ(rig_->dump(), before);
  ASSERT_TRUE(append(self, step_replied(job, 2, 0)));
  const auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_THAT(stored->messages, SizeIs(5));
  EXPECT_EQ(stored->messages[3].position, (Position{0, 1, kReminderIndex}));
  EXPECT_EQ(stored->messages[3].message, Message(reminded(job).reminders[0].message));
  EXPECT_EQ(stored->messages[4].position, (Position{0, 2, 0}));
}

TEST_F(LedgerContextContract, CompressionsAndWhatWasLeftAreWrittenOnce) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  Delta delta = delta_for(job);
  CompressionRow row;
  row.at = {0, 2, 0};
  row.mode = "extract";
  row.reason = "too much";
  row.messages_before = 9;
  row.messages_after = 4;
  row.tokens_before = 900;
  row.tokens_after = 400;
  delta.compressions.push_back(row);
  CompressedHistoryRow left;
  left.messages = 2;
  left.tokens = 30;
  left.kept_json = R"(["job-1/0/0","job-1/0/1"])";
  delta.compressed_histories.push_back(left);
  ASSERT_TRUE(append(self, delta));
  const std::string before = rig_->dump();
  delta.compressions[0].tokens_after = 1;
  delta.compressed_histories[0].tokens = 1;
  ASSERT_TRUE(append(self, delta));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContextContract, ASummaryIsOnRecordBeforeItIsWritten) {
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

TEST_F(LedgerContextContract, ASummaryIsAskedForOnceAtOnePlace) {
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

TEST_F(LedgerContextContract, ASummaryOfTheSameContentIsUsedAgain) {
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
  SummaryRow reused = written(next);
  reused.reused = true;
  reused.model.clear();
  reused.usage = {};
  reused.cost_micro_usd.reset();
  ASSERT_TRUE(append(self, with_summary(job, reused)));
  EXPECT_THAT(load(job)->summaries, ElementsAre(written(order), reused));

  SummaryOrder old = order_for(job, 6);
  old.reuse_within = Milliseconds(0);
  EXPECT_TRUE(begun(begin(self, old)));
}

TEST_F(LedgerContextContract, ASummaryOfAnotherConversationIsNone) {
  const auto self = enter();
  const auto one = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(one))));
  ASSERT_TRUE(append(self, with_summary(one, written(order_for(one)))));
  const auto two = job_in_step_two(self, {.job_id = "job-2", .tenant = "globex"});
  EXPECT_TRUE(begun(begin(self, order_for(two))));
}

TEST_F(LedgerContextContract, SummariesOfAnHourCostNoMoreThanTheyMay) {
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

TEST_F(LedgerContextContract, SummariesOfAllWorkersCountInThatHour) {
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

TEST_F(LedgerContextContract, NobodyHasASummaryWrittenOfAJobThatIsNotTheirs) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  const auto other = enter("worker-b");
  EXPECT_EQ(begin(other, order_for(job)).error().code, ErrorCode::Fenced);
  ASSERT_TRUE(append(self, finished(job)));
  EXPECT_EQ(begin(self, order_for(job)).error().code, ErrorCode::Fenced);
}

TEST_F(LedgerContextContract, NoSummaryIsBeingWrittenOfAJobThatHasEnded) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  ASSERT_TRUE(begun(begin(self, order_for(job))));
  Delta end = finished(job);
  end.finished->ends_summaries = true;
  ASSERT_TRUE(append(self, end));
  EXPECT_EQ(load(job)->summaries.at(0).state, SummaryState::Failed);
}

}  // namespace ba
