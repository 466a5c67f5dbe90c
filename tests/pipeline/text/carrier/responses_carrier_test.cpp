// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/text/carrier/carrier_text.hpp"

namespace ba {
namespace {

using test::converted;
using test::read_text;
using test::refusal_of;
using testing::SizeIs;
using testing::StartsWith;

constexpr CarrierFormat kForm = CarrierFormat::Responses;

const std::string kConversation =
    R"([{"type":"message","role":"developer","content":"You analyse."},)"
    R"({"type":"message","role":"user","content":[{"type":"input_text","text":"How "},)"
    R"({"type":"input_text","text":"many?"}]},)"
    R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],)"
    R"("encrypted_content":"gAAAA=="},)"
    R"({"type":"message","id":"msg_1","role":"assistant","status":"completed","content":)"
    R"([{"type":"output_text","text":"Let me look.","annotations":[]}]},)"
    R"({"type":"function_call","id":"fc_1","call_id":"call_1","name":"query",)"
    R"("arguments":"{\"sql\": 1.0}","status":"completed"},)"
    R"({"type":"function_call_output","call_id":"call_1","output":"1"},)"
    R"({"type":"message","role":"assistant","content":"One."}])";

TEST(ResponsesCarrier, ReadsItemsAsMessages) {
  const auto messages = read_text(kForm, kConversation).messages;
  ASSERT_THAT(messages, SizeIs(5));
  EXPECT_EQ(std::get<HumanMessage>(messages[1]).text, "How many?");
  const auto& ai = std::get<AiMessage>(messages[2]);
  EXPECT_EQ(ai.text, "Let me look.");
  EXPECT_EQ(ai.thinking, "hm");
  ASSERT_THAT(ai.tool_calls, SizeIs(1));
  EXPECT_EQ(ai.tool_calls[0].id.value, "call_1");
  EXPECT_EQ(ai.extra->provider, "openai_responses");
  EXPECT_EQ(std::get<ToolMessage>(messages[3]).tool_name, "query");
  EXPECT_FALSE(std::get<AiMessage>(messages[4]).extra);
}

TEST(ResponsesCarrier, WritesWhatItReadByteForByte) {
  EXPECT_EQ(converted(kForm, kForm, kConversation), kConversation);
}

TEST(ResponsesCarrier, ReadsTheWholeBodyOfARequest) {
  const auto messages =
      read_text(kForm, R"({"model":"m","instructions":"Be brief.","input":[{"role":"user",)"
                       R"("content":"q"}]})")
          .messages;
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_EQ(std::get<SystemMessage>(messages[0]).text, "Be brief.");
}

TEST(ResponsesCarrier, ASecondAnswerIsAnotherReply) {
  const std::string text = R"({"type":"message","role":"assistant","content":"a"})";
  const std::string reasoning = R"({"type":"reasoning","id":"rs_1","summary":[]})";
  const std::string call = R"({"type":"function_call","call_id":"c","name":"n","arguments":"{}"})";
  const std::string output = R"({"type":"function_call_output","call_id":"c","output":""})";
  EXPECT_THAT(read_text(kForm, "[" + text + "," + text + "]").messages, SizeIs(2));
  EXPECT_THAT(read_text(kForm, "[" + text + "," + reasoning + "," + text + "]").messages,
              SizeIs(2));
  const std::string step = "[" + text + "," + reasoning + "," + call + "," + output + "]";
  EXPECT_THAT(read_text(kForm, step).messages, SizeIs(2)) << "one reply and its result";
  for (const std::string& items :
       {"[" + text + "," + reasoning + "," + text + "]", step, "[" + reasoning + "]"})
    EXPECT_EQ(converted(kForm, kForm, items), items);
}

TEST(ResponsesCarrier, HandsBackARefusalUntouched) {
  const std::string items =
      R"([{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}])";
  EXPECT_EQ(converted(kForm, kForm, items), items);
}

TEST(ResponsesCarrier, RefusesWhatIsNotValidAndNamesTheField) {
  const std::string call = R"({"type":"function_call","call_id":"c","name":"n","arguments":"{}"})";
  EXPECT_EQ(refusal_of(kForm, "[" + call + "]"), "messages[0] (id \"c\") is not answered");
  EXPECT_THAT(refusal_of(kForm, "[" + call +
                                    R"(,{"type":"function_call_output","call_id":"d",)"
                                    R"("output":""}])"),
              StartsWith("messages[1].call_id must be \"c\""));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"item_reference","id":"x"}])"),
              StartsWith("messages[0].type \"item_reference\" has no place"));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"custom_tool_call","call_id":"x"}])"),
              StartsWith("messages[0].type \"custom_tool_call\""));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"function_call","name":"n","arguments":"{}"}])"),
              StartsWith("messages[0].call_id must not be missing"));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"user","content":[{"type":"input_image"}]}])"),
              StartsWith("messages[0].content[0].type must be input_text"));
  EXPECT_THAT(refusal_of(kForm, "{}"), StartsWith("messages must not be missing"));
}

}  // namespace
}  // namespace ba
