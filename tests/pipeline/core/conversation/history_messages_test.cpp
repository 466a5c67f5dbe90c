// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/history_messages.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

AiMessage reply() {
  AiMessage message;
  message.text = "12";
  message.thinking = "345";
  message.tool_calls.push_back({ToolCallId("c"), "t", R"({"a":1})", "", ""});
  message.extra = ProviderExtra{"p", "[1]"};
  return message;
}

TEST(HistoryMessages, CountTheTextsOfEachKind) {
  HistoryMessages messages;
  EXPECT_EQ(messages.bytes(), 0);
  messages.push_back(HumanMessage{{}, "123"});
  EXPECT_EQ(messages.bytes(), 3);
  messages.push_back(reply());
  EXPECT_EQ(messages.bytes(), 3 + 2 + 3 + 7 + 3);
  messages.push_back(ToolMessage{{}, ToolCallId("c"), "t", "1234", ToolStatus::Success});
  EXPECT_EQ(messages.bytes(), 22);
  messages.push_back(SystemMessage{{}, "1"});
  EXPECT_EQ(messages.bytes(), 23);
  EXPECT_EQ(messages.size(), 4U);
}

TEST(HistoryMessages, CountWhatTheyBeginWith) {
  const HistoryMessages given(std::vector<Message>{HumanMessage{{}, "12"}, reply()});
  EXPECT_EQ(given.bytes(), 17);
  HistoryMessages copy = given;
  copy.push_back(HumanMessage{{}, "3"});
  EXPECT_EQ(copy.bytes(), 18);
  EXPECT_EQ(given.bytes(), 17);
  copy = {HumanMessage{{}, "1234"}, reply()};
  EXPECT_EQ(copy.bytes(), 19);
  EXPECT_EQ(copy.size(), 2U);
}

}  // namespace
}  // namespace ba
