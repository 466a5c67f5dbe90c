// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/text/carrier/carrier_text.hpp"

namespace ba {
namespace {

using test::converted;
using test::read_text;
using test::refusal_of;
using test::written;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr CarrierFormat kForm = CarrierFormat::Anthropic;

const std::string kConversation =
    R"({"system":[{"type":"text","text":"You analyse.","cache_control":{"type":"ephemeral"}}],)"
    R"("messages":[{"role":"user","content":[{"type":"text","text":"How many?"}]},)"
    R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig/+="},)"
    R"({"type":"text","text":"Let me look."},)"
    R"({"type":"tool_use","id":"toolu_1","name":"query","input":{"sql": "SELECT 1.0"}},)"
    R"({"type":"tool_use","id":"toolu_2","name":"query","input":{}}]},)"
    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1"},)"
    R"({"type":"tool_result","tool_use_id":"toolu_2","content":"no","is_error":true}]},)"
    R"({"role":"assistant","content":[{"type":"text","text":"One."}]}]})";

/// A conversation of a question and these blocks as the reply to it.
std::string reply_of(const std::string& blocks) {
  return R"([{"role":"user","content":"q"},{"role":"assistant","content":)" + blocks + "}]";
}

TEST(AnthropicCarrier, ReadsBlocksAsMessages) {
  const auto messages = read_text(kForm, kConversation).messages;
  ASSERT_THAT(messages, SizeIs(6));
  EXPECT_EQ(std::get<SystemMessage>(messages[0]).text, "You analyse.");
  EXPECT_EQ(std::get<HumanMessage>(messages[1]).text, "How many?");
  const auto& ai = std::get<AiMessage>(messages[2]);
  EXPECT_EQ(ai.text, "Let me look.");
  EXPECT_EQ(ai.thinking, "hm");
  ASSERT_THAT(ai.tool_calls, SizeIs(2));
  EXPECT_EQ(ai.tool_calls[0].args_json, R"({"sql": "SELECT 1.0"})");
  EXPECT_EQ(ai.extra->provider, "anthropic");
  const auto& failed = std::get<ToolMessage>(messages[4]);
  EXPECT_EQ(failed.status, ToolStatus::Error);
  EXPECT_EQ(failed.tool_name, "query");
  EXPECT_FALSE(std::get<AiMessage>(messages[5]).extra);
}

TEST(AnthropicCarrier, WritesWhatItReadByteForByte) {
  EXPECT_EQ(converted(kForm, kForm, kConversation), kConversation);
}

TEST(AnthropicCarrier, KeepsPartsAndMembersThatOnlyItKnows) {
  const std::string json =
      R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},)"
      R"({"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]},)"
      R"({"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search",)"
      R"("input":{}},{"type":"text","text":"c","citations":[{"url":"u"}]}]},)"
      R"({"role":"user","content":[]},)"
      R"({"role":"system","content":[{"type":"text","text":"now shorter"}]}]})";
  EXPECT_EQ(converted(kForm, kForm, json), json);
  const auto messages = read_text(kForm, json).messages;
  EXPECT_EQ(std::get<HumanMessage>(messages[0]).text, "ab");
}

TEST(AnthropicCarrier, MarksWhatGoesBackToAProvider) {
  const auto document = JsonView::parse(kConversation);
  const auto reading = read_carrier(kForm, *document, "main");
  EXPECT_EQ(std::get<AiMessage>(reading->messages[2]).extra->provider, "anthropic/main");
  EXPECT_EQ(written(kForm, reading->messages), kConversation);
}

TEST(AnthropicCarrier, ReadsAResponseAsItCame) {
  const auto messages =
      read_text(kForm, R"([{"role":"user","content":"q"},{"id":"msg_1","type":"message",)"
                       R"("role":"assistant","model":"m","content":[{"type":"text",)"
                       R"("text":"a"}],"stop_reason":"end_turn","usage":)"
                       R"({"input_tokens":10,"cache_read_input_tokens":20,)"
                       R"("cache_creation_input_tokens":30,"output_tokens":5}}])")
          .messages;
  const auto& ai = std::get<AiMessage>(messages[1]);
  EXPECT_EQ(ai.meta.message_id.value, "msg_1");
  EXPECT_EQ(ai.usage, (Usage{10, 20, 30, 5, 0}));
}

TEST(AnthropicCarrier, RefusesHistoriesThatAreNotValid) {
  const std::string call = R"([{"type":"tool_use","id":"t1","name":"n","input":{}}])";
  EXPECT_EQ(refusal_of(kForm, reply_of(call)),
            "messages[1].content[0] (id \"t1\") is not answered");
  EXPECT_EQ(refusal_of(kForm, R"([{"role":"user","content":[{"type":"tool_result",)"
                              R"("tool_use_id":"t9","content":""}]}])"),
            "messages[0].content[0].tool_use_id \"t9\" answers no open tool call");
  std::string answered = reply_of(call);
  answered.pop_back();
  EXPECT_THAT(refusal_of(kForm, answered + R"(,{"role":"user","content":[{"type":"tool_result",)"
                                           R"("tool_use_id":"t9"}]}])"),
              StartsWith("messages[2].content[0].tool_use_id must be \"t1\", the next open call"));
  EXPECT_THAT(refusal_of(kForm, answered + R"(,{"role":"user","content":[{"type":"text",)"
                                           R"("text":"x"},{"type":"tool_result",)"
                                           R"("tool_use_id":"t1"}]}])"),
              StartsWith("messages[2].content[1] is a tool_result behind a text"));
}

TEST(AnthropicCarrier, RefusesWhatHasNoPlaceAndNamesTheField) {
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"user","content":[{"type":"image"}]}])"),
              StartsWith("messages[0].content[0].type must be text or tool_result, not \"image\""));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"([{"type":"tool_use","name":"n","input":{}}])")),
              StartsWith("messages[1].content[0].id must not be missing or empty"));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"([{"type":"tool_use","id":"a","name":"n","input":1}])")),
              StartsWith("messages[1].content[0].input must be an object"));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"([{"type":"tool_use","id":"a","name":"n",)"
                                         R"("input":{"x":"\u0000"}}])")),
              StartsWith("messages[1].content[0].input must not hold a NUL character"));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"bot","content":"x"}])"),
              StartsWith("messages[0].role must be user, assistant or system"));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"user","content":"a\u0000b"}])"),
              StartsWith("messages[0].text is not storable text"));
  EXPECT_THAT(refusal_of(kForm, R"({"messages":1})"), StartsWith("messages must be an array"));
  EXPECT_THAT(refusal_of(kForm, "{}"), StartsWith("messages must not be missing"));
  EXPECT_THAT(refusal_of(kForm, R"({"system":[{"type":"image"}],"messages":[]})"),
              StartsWith("system[0].type must be text"));
}

TEST(AnthropicCarrier, RefusesToWriteAMessageThatContradictsWhatItKeeps) {
  auto messages = read_text(kForm, kConversation).messages;
  std::get<AiMessage>(messages[2]).tool_calls[0].id = ToolCallId("other");
  const auto text = write_carrier(kForm, messages);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().detail, "messages[2].extra");
}

TEST(AnthropicCarrier, LeavesOutThinkingThatNobodySigned) {
  AiMessage ai;
  ai.text = "a";
  ai.thinking = "hm";
  EXPECT_EQ(written(kForm, {ai}),
            R"({"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}]}]})");
  EXPECT_EQ(test::kinds(test::losses_of(kForm, {ai})),
            "thinking that Anthropic has not signed at messages[0] x1\n");
}

}  // namespace
}  // namespace ba
