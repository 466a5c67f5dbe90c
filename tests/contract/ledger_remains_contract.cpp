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

TEST_F(LedgerContract, CompressionsAndMessagesOfAJobAreCounted) {
  const auto self = enter();
  const auto job = running_job(self);
  StoredTally tally;
  tally.opens_conversation = true;
  EXPECT_EQ(load(job)->tally, tally);
  EXPECT_EQ(load_remains(job)->tally, tally);

  ASSERT_TRUE(append(self, round_opened(job)));
  Delta reply = step_replied(job);
  reply.compressions.push_back({{0, 1, 0}, "extract", "too long", 9, 5, 900, 400, ""});
  ASSERT_TRUE(append(self, reply));
  Delta outcome = call_finished(job);
  HumanMessage injected = round_opened(job).rounds_opened[0].message;
  injected.meta.message_id = MessageId("job-1/0/1.2");
  outcome.messages_injected.push_back({{0, 1, 2}, injected});
  injected.meta.message_id = MessageId("job-1/0/1.1000000");
  outcome.reminders.push_back({{0, 1, kReminderIndex}, injected});
  ASSERT_TRUE(append(self, outcome));
  Delta answer = step_replied(job, 2, 0);
  answer.compressions.push_back({{0, 2, 0}, "extract", "too long", 7, 5, 700, 400, ""});
  ASSERT_TRUE(append(self, answer));

  tally.compressions = 2;
  tally.messages = 6;  // question, reply, observation, the injected one, reminder, answer
  EXPECT_EQ(load(job)->tally, tally);
  EXPECT_EQ(load(job)->messages.size(), 6U);
  EXPECT_EQ(load_remains(job)->tally, tally);
}

TEST_F(LedgerContract, AJobCountsNoMessagesOrCompressionsOfEarlierOnes) {
  const auto self = enter();
  const auto both = intake(self,
                           batch_of({{.job_id = "job-1", .conversation = "talk"},
                                     {.job_id = "job-2", .conversation = "talk"}}),
                           1);
  const ClaimedJob& one = both->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(one)));
  Delta reply = step_replied(one, 1, 0);
  reply.compressions.push_back({{0, 1, 0}, "extract", "too long", 9, 5, 900, 400, ""});
  ASSERT_TRUE(append(self, reply));
  ASSERT_TRUE(append(self, finished(one)));
  const ClaimedJob two = claim(self, 1)->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(two)));
  for (const StoredTally& tally : {load(two)->tally, load_remains(two)->tally}) {
    EXPECT_EQ(tally.messages, 1);
    EXPECT_EQ(tally.compressions, 0);
  }
}

TEST_F(LedgerContract, TheFirstJobThatComesToARoundOpensItsConversation) {
  const auto self = enter();
  const auto all = intake(self,
                          batch_of({{.job_id = "job-1", .conversation = "talk"},
                                    {.job_id = "job-2", .conversation = "talk"},
                                    {.job_id = "job-3", .conversation = "talk"}}),
                          1);
  const auto opens = [&](const ClaimedJob& job) {
    const bool opens = load(job)->tally.opens_conversation;
    EXPECT_EQ(load_remains(job)->tally.opens_conversation, opens);
    return opens;
  };
  const ClaimedJob& one = all->jobs.at(0);
  EXPECT_TRUE(opens(one));
  Delta without_round = finished(one);
  without_round.rounds_closed.clear();
  without_round.finished->result.outcome = Outcome::InvalidJob;
  without_round.finished->result.error = JobError{"invalid", "NO_SUCH_AGENT", "no such agent"};
  without_round.finished->result.totals = {};
  ASSERT_TRUE(append(self, without_round));

  const ClaimedJob two = claim(self, 1)->jobs.at(0);
  EXPECT_TRUE(opens(two)) << "the one before it came to none";
  ASSERT_TRUE(append(self, round_opened(two)));
  EXPECT_TRUE(opens(two)) << "the round is its own";
  ASSERT_TRUE(append(self, finished(two, "job-2")));

  const ClaimedJob three = claim(self, 1)->jobs.at(0);
  EXPECT_FALSE(opens(three));
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
