// SPDX-License-Identifier: Apache-2.0
// What the ledger keeps of histories that were made shorter, and of reminders.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

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

RefusedContextRow refused_at(const Position& at, std::int64_t window) {
  RefusedContextRow row;
  row.at = at;
  row.model = "main";
  row.window = window;
  row.tokens = 900;
  row.of_window = 1'000;
  row.told_limit = 850;
  row.told_tokens = 1'100;
  return row;
}

class LedgerContextContract : public LedgerContract {};

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

TEST_F(LedgerContextContract, ARefusedReplyIsMadeShorterMoreThanOnce) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  for (const int refusal : {0, 1, 2}) {
    Delta delta = delta_for(job);
    CompressionRow row;
    row.at = {0, 2, refusal};
    row.mode = "extract";
    row.reason = "too much";
    delta.compressions.push_back(row);
    ASSERT_TRUE(append(self, delta));
    ASSERT_TRUE(append(self, delta));
  }
  EXPECT_EQ(load(job)->tally.compressions, 3);
}

TEST_F(LedgerContextContract, WhatWasRefusedIsWrittenOnceAndReadInOrder) {
  const auto self = enter();
  const auto job = job_in_step_two(self);
  EXPECT_THAT(load(job)->refused_contexts, testing::IsEmpty());
  Delta delta = delta_for(job);
  delta.refused_contexts = {refused_at({0, 2, 1}, 800), refused_at({0, 2, 2}, 400)};
  delta.refused_contexts[1].told_limit.reset();
  delta.refused_contexts[1].told_tokens.reset();
  ASSERT_TRUE(append(self, delta));
  const std::string before = rig_->dump();
  Delta again = delta;
  again.refused_contexts[0].window = 1;
  ASSERT_TRUE(append(self, again));
  EXPECT_EQ(rig_->dump(), before);
  EXPECT_EQ(load(job)->refused_contexts, delta.refused_contexts);
}

ExactCountRow counted_at(const Position& at, std::optional<std::int64_t> tokens) {
  ExactCountRow row;
  row.at = at;
  row.model = "main";
  row.estimated = 1'000;
  row.of_messages = 870;
  row.tokens = tokens;
  return row;
}

TEST_F(LedgerContextContract, WhatAProviderCountedIsWrittenOnceAndReadInOrder) {
  const auto self = enter();
  const auto job = job_in_step_two(self, {.job_id = "job-1", .conversation = "talk"});
  EXPECT_THAT(load(job)->exact_counts, testing::IsEmpty());
  Delta delta = delta_for(job);
  delta.exact_counts = {counted_at({0, 2, 0}, 990), counted_at({0, 2, 1}, std::nullopt)};
  ASSERT_TRUE(append(self, delta));
  const std::string before = rig_->dump();
  Delta again = delta;
  again.exact_counts[0].tokens = 1;
  again.exact_counts[1].tokens = 2;
  ASSERT_TRUE(append(self, again));
  EXPECT_EQ(rig_->dump(), before) << "what was decided by the first stays";
  EXPECT_EQ(load(job)->exact_counts, delta.exact_counts);
  ASSERT_TRUE(append(self, finished(job, "job-1")));
  const auto second = job_in_step_two(self, {.job_id = "job-2", .conversation = "talk"});
  EXPECT_THAT(load(second)->exact_counts, testing::IsEmpty()) << "each job's are its own";
}

TEST_F(LedgerContextContract, LaterJobsOfTheConversationKnowWhatWasRefusedBeforeTheyBegin) {
  const auto self = enter();
  const auto first = job_in_step_two(self, {.job_id = "job-1", .conversation = "talk"});
  Delta delta = delta_for(first);
  delta.refused_contexts = {refused_at({0, 2, 1}, 800), refused_at({0, 2, 2}, 400)};
  ASSERT_TRUE(append(self, delta));
  ASSERT_TRUE(append(self, finished(first, "job-1")));
  const auto second = job_in_step_two(self, {.job_id = "job-2", .conversation = "talk"});
  auto expected = delta.refused_contexts;
  for (RefusedContextRow& row : expected) row.at = {-1, 0, 0};
  EXPECT_EQ(load(second)->refused_contexts, expected);
  Delta more = delta_for(second);
  more.refused_contexts = {refused_at({0, 2, 1}, 300)};
  ASSERT_TRUE(append(self, more));
  expected.push_back(more.refused_contexts[0]);
  EXPECT_EQ(load(second)->refused_contexts, expected);
  const auto other = job_in_step_two(self, {.job_id = "job-3", .conversation = "another"});
  EXPECT_THAT(load(other)->refused_contexts, testing::IsEmpty());
}

}  // namespace ba
