#pragma once
// SPDX-License-Identifier: Apache-2.0
// A short history with every kind of message and every optional part.

#include <vector>

#include "pipeline/text/message/message.hpp"

namespace ba::test {

inline MessageMeta sample_meta(const std::string& id) {
  MessageMeta meta;
  meta.message_id = MessageId(id);
  meta.conversation_id = ConversationId("c-1");
  meta.round_id = "j-1/0";
  meta.user_id = "u-17";
  meta.timestamp = WallTime(Microseconds(1'772'366'400'000'001));
  return meta;
}

inline std::vector<Message> sample_history() {
  SystemMessage system{sample_meta("j-1/s"), "You analyse data."};
  HumanMessage human{sample_meta("j-1/0/0"), "Wie viele Flüge? 漢字 😀"};
  human.meta.additional_kwargs = {{"isMeta", "true"}};
  AiMessage ai;
  ai.meta = sample_meta("j-1/0/1");
  ai.text = "Let me look.";
  ai.thinking = "The table is flights.";
  ai.tool_calls = {{ToolCallId("t1"), "query_database", "{}", "{\"sql\": oops", "no JSON object"},
                   {ToolCallId("t2"), "file_reader", R"({"path": "a.csv", "rows": 3})", "", ""}};
  ai.usage = {10, 20, 30, 5, 2};
  ai.extra = ProviderExtra{"anthropic", R"([{"type":"thinking","signature":"x/y=="}])"};
  ToolMessage refused{sample_meta("j-1/0/1.1"), ToolCallId("t1"), "query_database",
                      "Operation failed.", ToolStatus::Error};
  ToolMessage found{sample_meta("j-1/0/1.2"), ToolCallId("t2"), "file_reader", "Found 3 items",
                    ToolStatus::Success};
  AiMessage answer;
  answer.meta = sample_meta("j-1/0/2");
  answer.text = "336,776 flights.";
  return {system, human, ai, refused, found, answer};
}

}  // namespace ba::test
