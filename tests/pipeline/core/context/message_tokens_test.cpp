// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/message_tokens.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ba {
namespace {

/// The texts that were asked for, one behind the other.
std::string counted(const Message& message) {
  std::string texts;
  const std::int64_t tokens = message_tokens(message, [&](std::string_view text) {
    texts += std::string(text) + "|";
    return static_cast<std::int64_t>(text.size());
  });
  EXPECT_EQ(tokens, static_cast<std::int64_t>(
                        texts.size() - static_cast<std::size_t>(std::ranges::count(texts, '|'))));
  return texts;
}

TEST(MessageTokens, CountRoleTextThinkingNamesArgumentsAndResults) {
  EXPECT_EQ(counted(SystemMessage{{}, "rules"}), "system|rules|");
  EXPECT_EQ(counted(HumanMessage{{}, "why?"}), "user|why?|");
  AiMessage ai;
  ai.text = "text";
  ai.thinking = "thoughts";
  ai.tool_calls = {{ToolCallId("c1"), "query", R"({"a":1})", "", ""},
                   {ToolCallId("c2"), "read", "{}", "{bad", "no JSON"}};
  EXPECT_EQ(counted(ai), "assistant|text|thoughts|query|{\"a\":1}|read|{bad|");
  EXPECT_EQ(counted(ToolMessage{{}, ToolCallId("c1"), "query", "rows"}), "tool|query|rows|");
}

}  // namespace
}  // namespace ba
