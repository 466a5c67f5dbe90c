// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using testing::HasSubstr;

MessageMeta meta(const std::string& id) {
  MessageMeta meta;
  meta.message_id = MessageId(id);
  return meta;
}

HumanMessage human(const std::string& id) { return {meta(id), "question"}; }

AiMessage ai(const std::string& id, const std::vector<std::string>& call_ids = {}) {
  AiMessage message;
  message.meta = meta(id);
  for (const std::string& call : call_ids)
    message.tool_calls.push_back({ToolCallId(call), "tool", "{}", "", ""});
  return message;
}

ToolMessage answer(const std::string& id, const std::string& call) {
  return {meta(id), ToolCallId(call), "tool", "observation", ToolStatus::Success};
}

std::string error_of(const Message& message) {
  const auto valid = validate_message(message);
  return valid ? "" : valid.error().message;
}

std::string error_of(const std::vector<Message>& history, HistoryEnd end = HistoryEnd::Answered) {
  const auto valid = validate_history(history, end);
  return valid ? "" : valid.error().message;
}

TEST(ValidateMessage, NamesTheField) {
  EXPECT_EQ(error_of(human("m")), "");
  EXPECT_EQ(error_of(human("")), "message_id must not be empty");
  HumanMessage broken = human("m");
  broken.text = "a\xff";
  EXPECT_EQ(error_of(broken), "text is not storable text: byte 1 is not valid UTF-8");
  ToolMessage unanswered = answer("m", "");
  EXPECT_EQ(error_of(unanswered), "tool_call_id must not be empty");
  HumanMessage newer = human("m");
  newer.meta.schema_version = "3.0";
  EXPECT_THAT(error_of(newer), HasSubstr("schema_version \"3.0\" is newer"));
}

TEST(ValidateMessage, ChecksAdditionalKwargs) {
  HumanMessage message = human("m");
  message.meta.additional_kwargs = {{"isMeta", "true"}};
  EXPECT_EQ(error_of(message), "");
  message.meta.additional_kwargs = {{"isMeta", "yes"}};
  EXPECT_EQ(error_of(message), "additional_kwargs.isMeta must be JSON in UTF-8");
  message.meta.additional_kwargs = {{"ba", "{}"}};
  EXPECT_EQ(error_of(message), "additional_kwargs.ba is a reserved name");
}

TEST(ValidateMessage, ChecksToolCalls) {
  AiMessage message = ai("m", {"a", "b"});
  EXPECT_EQ(error_of(message), "");
  message.tool_calls[1].args_json = "[]";
  EXPECT_EQ(error_of(message), "tool_calls[1].args must be a JSON object");
  message.tool_calls[1] = {ToolCallId("b"), "", "{}", "{oops", "no JSON"};
  EXPECT_EQ(error_of(message), "");
  message.tool_calls[1].id = ToolCallId("a");
  EXPECT_EQ(error_of(message), "tool_calls[1].id \"a\" stands there twice");
  message.tool_calls[0].id = ToolCallId("");
  EXPECT_EQ(error_of(message), "tool_calls[0].id must not be empty");
  message = ai("m", {"a"});
  message.tool_calls[0].name = "";
  EXPECT_EQ(error_of(message), "tool_calls[0].name must not be empty");
  message = ai("m");
  message.usage.output_tokens = -1;
  EXPECT_EQ(error_of(message), "usage must not be negative");
}

TEST(ValidateHistory, AcceptsCallsAnsweredInOrder) {
  EXPECT_EQ(error_of(std::vector<Message>{}), "");
  EXPECT_EQ(error_of({human("1"), ai("2", {"a", "b"}), answer("3", "a"), answer("4", "b"), ai("5"),
                      human("6"), ai("7")}),
            "");
}

TEST(ValidateHistory, RefusesWhatIsNotAnsweredExactlyOnceInOrder) {
  EXPECT_EQ(error_of({human("1"), ai("2", {"a"}), human("3")}),
            "messages[1].tool_calls[0] (id \"a\") is not answered");
  EXPECT_EQ(error_of({ai("1", {"a", "b"}), answer("2", "a")}),
            "messages[0].tool_calls[1] (id \"b\") is not answered");
  EXPECT_EQ(error_of({ai("1", {"a", "b"}), answer("2", "b"), answer("3", "a")}),
            "messages[1].tool_call_id must be \"a\", the next open call, not \"b\"");
  EXPECT_EQ(error_of({ai("1", {"a"}), answer("2", "a"), answer("3", "a")}),
            "messages[2].tool_call_id \"a\" answers no open tool call");
  EXPECT_EQ(error_of(std::vector<Message>{answer("1", "a")}),
            "messages[0].tool_call_id \"a\" answers no open tool call");
}

TEST(ValidateHistory, AnOpenEndMayWaitForAnswers) {
  const std::vector<Message> open = {human("1"), ai("2", {"a", "b"}), answer("3", "a")};
  EXPECT_EQ(error_of(open, HistoryEnd::Open), "");
  EXPECT_THAT(error_of(open, HistoryEnd::Answered), HasSubstr("is not answered"));
}

TEST(ValidateHistory, RefusesMessageIdsThatRepeatAndNamesTheMessage) {
  EXPECT_EQ(error_of({human("1"), ai("1")}), "messages[1].message_id \"1\" stands there twice");
  EXPECT_EQ(error_of({human("1"), ai("2", {""})}),
            "messages[1].tool_calls[0].id must not be empty");
}

}  // namespace
}  // namespace ba
