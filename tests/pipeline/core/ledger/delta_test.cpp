// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/ledger/delta.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

template <class M>
M message(const std::string& text) {
  M made;
  made.meta.message_id = MessageId("m");
  if constexpr (requires { made.text; })
    made.text = text;
  else
    made.content = text;
  return made;
}

Delta delta_with(const std::string& text) {
  Delta delta;
  delta.rounds_opened.push_back({1, "r", message<HumanMessage>(text)});
  return delta;
}

std::string error_of(const Delta& delta) {
  const auto valid = validate_messages(delta);
  return valid ? "" : valid.error().message;
}

TEST(ValidateDelta, EachOfItsMessagesIsLookedAtAndTheErrorNamesTheField) {
  const std::string broken = "a\xff";
  EXPECT_TRUE(error_of(delta_with(broken)).starts_with("rounds_opened[0].message.text "));
  Delta delta = delta_with("question");
  delta.steps.emplace_back().message = message<AiMessage>("reply");
  ToolMessage seen = message<ToolMessage>("seen");
  seen.tool_call_id = ToolCallId("c");
  delta.calls_finished.push_back({{1, 1, 0}, {}, seen});
  delta.reminders.push_back({{1, 1, kReminderIndex}, message<HumanMessage>("think of it")});
  delta.messages_injected.push_back({{1, 1, 5}, message<HumanMessage>("a skill")});
  EXPECT_EQ(error_of(delta), "");

  Delta wrong = delta;
  wrong.steps[0].message.text = broken;
  EXPECT_TRUE(error_of(wrong).starts_with("steps[0].message.text ")) << error_of(wrong);
  wrong = delta;
  wrong.steps[0].answer_repair = message<HumanMessage>(broken);
  EXPECT_TRUE(error_of(wrong).starts_with("steps[0].answer_repair.text ")) << error_of(wrong);
  wrong = delta;
  wrong.calls_finished[0].message.content = broken;
  EXPECT_TRUE(error_of(wrong).starts_with("calls_finished[0].message.content "));
  wrong = delta;
  wrong.reminders[0].message.text = broken;
  EXPECT_TRUE(error_of(wrong).starts_with("reminders[0].message.text ")) << error_of(wrong);
  wrong = delta;
  wrong.messages_injected[0].message = message<HumanMessage>(broken);
  EXPECT_TRUE(error_of(wrong).starts_with("messages_injected[0].message.text "));
}

}  // namespace
}  // namespace ba
