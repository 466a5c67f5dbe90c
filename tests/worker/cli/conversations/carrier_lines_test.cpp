// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/conversations/carrier_lines.hpp"

#include <gtest/gtest.h>

#include "pipeline/text/message/validate.hpp"

namespace ba::cli {
namespace {

Message human(const std::string& id, const std::string& round) {
  HumanMessage message;
  message.meta.message_id = MessageId(id);
  message.meta.round_id = round;
  return message;
}

const MessageMeta& settled(std::vector<Message>& history, std::size_t index) {
  settle_in(history, ConversationId("here"));
  EXPECT_TRUE(validate_history(history, HistoryEnd::Answered));
  return meta_of(history[index]);
}

TEST(ImportedHistory, GivesIdsRoundsAndTheConversation) {
  std::vector<Message> history = {SystemMessage{}, human("", ""), AiMessage{}, human("", "")};
  settled(history, 0);
  EXPECT_EQ(meta_of(history[0]).round_id, "");
  EXPECT_EQ(meta_of(history[2]).round_id, "inherited/1");
  EXPECT_EQ(meta_of(history[3]).round_id, "inherited/2");
  EXPECT_EQ(meta_of(history[3]).message_id.value, "inherited/4");
  for (const Message& message : history) EXPECT_EQ(meta_of(message).conversation_id.value, "here");
}

TEST(ImportedHistory, LeavesNoIdThatAJobToComeMayHave) {
  std::vector<Message> history = {human("job-1/0/0", "job-1/0"), human("run--1", "r"),
                                  human("inherited/1", "inherited/7"), human("job-1/0/1.2", "")};
  const MessageMeta& first = settled(history, 0);
  EXPECT_EQ(first.message_id.value, "inherited/1");
  EXPECT_EQ(first.additional_kwargs.at("imported_id"), "\"job-1/0/0\"");
  EXPECT_EQ(first.round_id, "inherited/job-1/0");
  EXPECT_EQ(meta_of(history[1]).message_id.value, "run--1");
  EXPECT_EQ(meta_of(history[2]).message_id.value, "inherited/3");
  EXPECT_EQ(meta_of(history[2]).round_id, "inherited/7");
  EXPECT_EQ(meta_of(history[3]).message_id.value, "inherited/4");
}

TEST(ImportedHistory, TheEarliestIdIsKept) {
  std::vector<Message> history = {human("job-1/0/0", "")};
  settled(history, 0);
  EXPECT_EQ(settled(history, 0).additional_kwargs.at("imported_id"), "\"job-1/0/0\"");
}

}  // namespace
}  // namespace ba::cli
