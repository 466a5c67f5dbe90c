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

constexpr CarrierFormat kForm = CarrierFormat::Openai;

const std::string kConversation =
    R"([{"role":"developer","content":"You analyse."},{"role":"user","content":"How many?",)"
    R"("name":"bob"},{"role":"assistant","content":null,"refusal":null,)"
    R"("reasoning_content":"hm","tool_calls":[{"id":"call_1","type":"function","function":)"
    R"({"name":"query","arguments":"{\"sql\": 1.0}"},"extra_content":{"k":1}},{"id":"call_2",)"
    R"("type":"function","function":{"name":"query","arguments":"{oops"}}]},)"
    R"({"role":"tool","tool_call_id":"call_1","content":"1"},)"
    R"({"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"n"},)"
    R"({"type":"text","text":"o"}]},{"role":"assistant","content":"One."}])";

std::string reply_of(const std::string& members) {
  return R"([{"role":"user","content":"q"},{"role":"assistant","content":null,)" + members + "}]";
}

TEST(OpenaiCarrier, ReadsMessages) {
  const auto messages = read_text(kForm, kConversation).messages;
  ASSERT_THAT(messages, SizeIs(6));
  EXPECT_EQ(std::get<SystemMessage>(messages[0]).text, "You analyse.");
  const auto& ai = std::get<AiMessage>(messages[2]);
  EXPECT_EQ(ai.thinking, "hm");
  EXPECT_EQ(ai.tool_calls[0].args_json, R"({"sql": 1.0})");
  EXPECT_EQ(ai.tool_calls[1].invalid_args, "{oops");
  EXPECT_THAT(ai.tool_calls[1].args_error, StartsWith("the arguments are not valid JSON"));
  EXPECT_EQ(std::get<ToolMessage>(messages[3]).tool_name, "query");
  EXPECT_EQ(std::get<ToolMessage>(messages[4]).content, "no");
}

TEST(OpenaiCarrier, WritesWhatItReadByteForByte) {
  EXPECT_EQ(converted(kForm, kForm, kConversation), kConversation);
}

TEST(OpenaiCarrier, TakesEmptyArgumentsAsNone) {
  const auto messages =
      read_text(kForm, R"([{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":)"
                       R"({"name":"n","arguments":""}}]},{"role":"tool","tool_call_id":"c",)"
                       R"("content":"x"}])")
          .messages;
  EXPECT_EQ(std::get<AiMessage>(messages[0]).tool_calls[0].args_json, "{}");
}

TEST(OpenaiCarrier, RefusesHistoriesThatAreNotValid) {
  const std::string calls = R"("tool_calls":[{"id":"a","function":{"name":"n","arguments":"{}"}},)"
                            R"({"id":"b","function":{"name":"n","arguments":"{}"}}])";
  std::string open = reply_of(calls);
  EXPECT_EQ(refusal_of(kForm, open), "messages[1].tool_calls[0] (id \"a\") is not answered");
  open.pop_back();
  EXPECT_THAT(refusal_of(kForm, open + R"(,{"role":"tool","tool_call_id":"b","content":""}])"),
              StartsWith("messages[2].tool_call_id must be \"a\", the next open call, not \"b\""));
  EXPECT_EQ(refusal_of(kForm, open + R"(,{"role":"tool","tool_call_id":"a","content":""},)"
                                     R"({"role":"user","content":"x"}])"),
            "messages[1].tool_calls[1] (id \"b\") is not answered");
  EXPECT_EQ(refusal_of(kForm, R"([{"role":"tool","tool_call_id":"z","content":""}])"),
            "messages[0].tool_call_id \"z\" answers no open tool call");
}

TEST(OpenaiCarrier, RefusesWhatHasNoPlaceAndNamesTheField) {
  EXPECT_THAT(refusal_of(kForm, reply_of(R"("tool_calls":[{"function":{"name":"n",)"
                                         R"("arguments":"{}"}}])")),
              StartsWith("messages[1].tool_calls[0].id must not be missing or empty"));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"("tool_calls":[{"id":"a","function":{"name":"n",)"
                                         R"("arguments":{}}}])")),
              StartsWith("messages[1].tool_calls[0].function.arguments must be a string"));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"("tool_calls":[{"id":"a","type":"custom"}])")),
              StartsWith("messages[1].tool_calls[0].type must be function"));
  EXPECT_THAT(refusal_of(kForm, reply_of(R"("function_call":{"name":"n"})")),
              StartsWith("messages[1].function_call has no id"));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"user","content":[{"type":"image_url"}]}])"),
              StartsWith("messages[0].content[0].type must be text, not \"image_url\""));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"function","content":"x"}])"),
              StartsWith("messages[0].role must be"));
  EXPECT_THAT(refusal_of(kForm, R"([{"role":"user"}])"),
              StartsWith("messages[0].content must be a string or an array"));
  EXPECT_THAT(refusal_of(kForm, "[1]"), StartsWith("messages[0] must be an object"));
}

}  // namespace
}  // namespace ba
