// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LedgerContract, WhatIsLeftOfAJobIsReadWithoutItsPayload) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  ASSERT_TRUE(append(self, call_started(job, 1, 1)));
  ASSERT_TRUE(append(self, call_finished(job, 1, 0)));
  const auto remains = load_remains(job);
  ASSERT_TRUE(remains) << remains.error().message;
  EXPECT_EQ(remains->tenant, TenantId("acme"));
  EXPECT_EQ(remains->job_id, JobId("job-1"));
  EXPECT_EQ(remains->conversation_id, ConversationId("job:job-1"));
  ASSERT_THAT(remains->rounds, SizeIs(1));
  EXPECT_EQ(remains->rounds[0].status, RoundStatus::InProgress);
  EXPECT_EQ(remains->rounds[0].steps, 1);
  ASSERT_THAT(remains->calls, SizeIs(2));
  EXPECT_EQ(remains->calls[0].state, ToolCallState::Succeeded);
  EXPECT_EQ(remains->calls[1].state, ToolCallState::Running);
  EXPECT_THAT(remains->calls[1].parameters, IsEmpty());
  EXPECT_THAT(remains->conversation.messages, SizeIs(3));
  EXPECT_EQ(remains->conversation.messages_left_out, 0);
}

TEST_F(LedgerContract, AnExcerptHoldsTheNewestMessagesThatFit) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  for (int step = 1; step <= 9; ++step) ASSERT_TRUE(append(self, step_replied(job, step, 0)));
  const auto all = load_remains(job);
  ASSERT_TRUE(all) << all.error().message;
  const auto size = static_cast<std::int64_t>(all->conversation.messages.back().json.size());
  const auto some = load_remains(job, 5 * (size + 64) + 10);
  ASSERT_TRUE(some) << some.error().message;
  ASSERT_THAT(some->conversation.messages, SizeIs(5));
  EXPECT_EQ(some->conversation.messages_left_out, 5);
  EXPECT_EQ(some->conversation.messages.back(), all->conversation.messages.back());
}

TEST_F(LedgerContract, AMessageTooLongForAnExcerptKeepsItsPlace) {
  const auto self = enter();
  const auto job = running_job(self);
  Delta opened = round_opened(job);
  opened.rounds_opened.at(0).message.text = std::string(5000, 'x');
  ASSERT_TRUE(append(self, opened));
  ASSERT_TRUE(append(self, step_replied(job, 1, 0)));
  const auto remains = load_remains(job, 8000);
  ASSERT_TRUE(remains) << remains.error().message;
  ASSERT_THAT(remains->conversation.messages, SizeIs(2));
  EXPECT_THAT(remains->conversation.messages[0].json, IsEmpty());
  EXPECT_GT(remains->conversation.messages[0].bytes_left_out, 5000);
  EXPECT_THAT(remains->conversation.messages[1].json, HasSubstr("let me see"));
}

TEST_F(LedgerContract, AnExcerptBeginsWithTheConversationsEarlierJobs) {
  const auto self = enter();
  const auto first = intake(self,
                            batch_of({{.job_id = "job-1", .conversation = "talk"},
                                      {.job_id = "job-2", .conversation = "talk"}}),
                            1);
  const ClaimedJob& one = first->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(one)));
  ASSERT_TRUE(append(self, finished(one)));
  const auto second = claim(self, 1);
  const auto remains = load_remains(second->jobs.at(0));
  ASSERT_TRUE(remains) << remains.error().message;
  EXPECT_THAT(remains->conversation.messages, SizeIs(1));
  EXPECT_THAT(remains->rounds, IsEmpty());
}

}  // namespace ba
