// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/message/langchain_json.hpp"
#include "tests/pipeline/text/carrier/carrier_text.hpp"
#include "tests/pipeline/text/message/sample_history.hpp"

namespace ba {
namespace {

using test::converted;
using test::read_text;
using test::refusal_of;
using test::written;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr CarrierFormat kForm = CarrierFormat::Langchain;

// As langchain-core 1.x writes them, with what its integrations put there.
const std::string kHuman =
    R"({"type":"human","data":{"content":[{"type":"text","text":"How "},"many?"],)"
    R"("additional_kwargs":{},"response_metadata":{},"type":"human","name":"bob","id":null}})";
const std::string kReply =
    R"({"type":"ai","data":{"content":[{"type":"thinking","thinking":"hm","signature":"s/+="},)"
    R"({"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_1","name":"query",)"
    R"("input":{"sql":1.0}}],"additional_kwargs":{"k":[1.0]},"response_metadata":)"
    R"({"model":"m","stop_reason":"tool_use"},"type":"ai","name":null,"id":"run-1",)"
    R"("tool_calls":[{"name":"query","args":{"sql":1.0},"id":"toolu_1","type":"tool_call"}],)"
    R"("invalid_tool_calls":[],"usage_metadata":null}})";
const std::string kResult =
    R"({"type":"tool","data":{"content":"1","additional_kwargs":{},"response_metadata":{},)"
    R"("type":"tool","name":"query","id":null,"tool_call_id":"toolu_1","artifact":{"rows":[1]},)"
    R"("status":"success"}})";

TEST(LangchainCarrier, WritesWhatLangchainWroteByteForByte) {
  const std::string all = "[" + kHuman + "," + kReply + "," + kResult + "]";
  EXPECT_EQ(converted(kForm, kForm, all), all);
}

TEST(LangchainCarrier, ReadsBlocksOfAnthropicsIntegration) {
  const auto messages =
      read_text(kForm, "[" + kHuman + "," + kReply + "," + kResult + "]").messages;
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(std::get<HumanMessage>(messages[0]).text, "How many?");
  const auto& ai = std::get<AiMessage>(messages[1]);
  EXPECT_EQ(ai.text, "Let me look.");
  EXPECT_EQ(ai.thinking, "hm");
  EXPECT_EQ(ai.extra->provider, "anthropic");
  EXPECT_THAT(written(CarrierFormat::Anthropic, messages), HasSubstr(R"("signature":"s/+=")"));
}

TEST(LangchainCarrier, ReadsItemsOfOpenaisIntegration) {
  const std::string reply =
      R"([{"type":"ai","data":{"content":[{"type":"reasoning","id":"rs_1","summary":[{"type":)"
      R"("summary_text","text":"hm"}],"encrypted_content":"gA=="},{"type":"text","text":"a",)"
      R"("annotations":[],"id":"msg_1"},{"type":"function_call","id":"fc_1","call_id":"c",)"
      R"("name":"n","arguments":"{}"}],"additional_kwargs":{},"response_metadata":{},)"
      R"("type":"ai","name":null,"id":"r","tool_calls":[{"name":"n","args":{},"id":"c",)"
      R"("type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":null}},{"type":"tool",)"
      R"("data":{"content":"x","additional_kwargs":{},"response_metadata":{},"type":"tool",)"
      R"("name":"n","id":null,"tool_call_id":"c","artifact":null,"status":"success"}}])";
  const auto messages = read_text(kForm, reply).messages;
  const auto& ai = std::get<AiMessage>(messages[0]);
  EXPECT_EQ(ai.text, "a");
  EXPECT_EQ(ai.thinking, "hm");
  EXPECT_EQ(ai.extra->provider, "openai_responses");
  EXPECT_EQ(written(CarrierFormat::Responses, messages),
            R"([{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],)"
            R"("encrypted_content":"gA=="},{"type":"message","role":"assistant","id":"msg_1",)"
            R"("content":[{"type":"output_text","text":"a","annotations":[]}]},)"
            R"({"type":"function_call","id":"fc_1","call_id":"c","name":"n","arguments":"{}"},)"
            R"({"type":"function_call_output","call_id":"c","output":"x"}])");
  const auto again = read_text(kForm, written(kForm, messages)).messages;
  EXPECT_EQ(again, messages);
}

TEST(LangchainCarrier, ReadsStandardBlocks) {
  const std::string reply =
      R"([{"type":"ai","data":{"content":[{"type":"reasoning","reasoning":"hm"},)"
      R"({"type":"text","text":"a"}],"additional_kwargs":{},"response_metadata":{},"type":"ai",)"
      R"("name":null,"id":"r","tool_calls":[],"invalid_tool_calls":[],"usage_metadata":null}}])";
  const auto messages = read_text(kForm, reply).messages;
  const auto& ai = std::get<AiMessage>(messages[0]);
  EXPECT_EQ(ai.thinking, "hm");
  EXPECT_FALSE(ai.extra);
  EXPECT_EQ(read_text(kForm, written(kForm, messages)).messages, messages);
}

TEST(LangchainCarrier, WritesTheStoredFormOfStoredMessages) {
  const auto history = test::sample_history();
  EXPECT_EQ(written(kForm, history), messages_to_json(history));
}

TEST(LangchainCarrier, AddsNothingToWhatHasNothingOfOurs) {
  HumanMessage human;
  human.text = "x";
  EXPECT_EQ(written(kForm, {human}),
            R"([{"type":"human","data":{"content":"x","additional_kwargs":{},)"
            R"("response_metadata":{},"type":"human","name":null,"id":null}}])");
}

TEST(LangchainCarrier, SaysWhereInvalidCallsStoodOnlyWhereItMatters) {
  AiMessage ai;
  ai.tool_calls = {{ToolCallId("a"), "n", "{}", "", ""}, {ToolCallId("b"), "n", "{}", "[1]", "no"}};
  EXPECT_THAT(written(kForm, {ai}), testing::Not(HasSubstr("invalid_positions")));
  std::swap(ai.tool_calls[0], ai.tool_calls[1]);
  EXPECT_THAT(written(kForm, {ai}), HasSubstr(R"("invalid_positions":[0])"));
}

TEST(LangchainCarrier, KeepsCountsThatTheNeutralModelHasNoWordFor) {
  const std::string message =
      R"([{"type":"ai","data":{"content":"a","additional_kwargs":{},"response_metadata":{},)"
      R"("type":"ai","name":null,"id":"x","tool_calls":[],"invalid_tool_calls":[],)"
      R"("usage_metadata":{"input_tokens":3,"output_tokens":4,"total_tokens":7,)"
      R"("input_token_details":{"audio":1}}}}])";
  EXPECT_EQ(converted(kForm, kForm, message), message);
}

TEST(LangchainCarrier, MigratesOlderVersions) {
  const auto messages =
      read_text(kForm, R"([{"type":"ai","data":{"content":"","tool_calls":[{"id":"c","name":"n",)"
                       R"("args":{}}]}},{"type":"tool","data":{"observation":"Found 3 items",)"
                       R"("request_id":"c","result":[1,2,3],"summary":"List","output_level":"raw",)"
                       R"("additional_kwargs":{"ba":{"schema_version":"1.0"}}}}])")
          .messages;
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_EQ(std::get<ToolMessage>(messages[1]).content, "Found 3 items");
  EXPECT_THAT(written(kForm, messages), HasSubstr(R"("artifact":[1,2,3])"));
  EXPECT_THAT(written(kForm, messages), HasSubstr(R"("output_level":"full")"));
}

TEST(LangchainCarrier, RefusesWhatIsNotValidAndNamesTheField) {
  const auto tool = [](const std::string& members) {
    return R"([{"type":"tool","data":{"content":"",)" + members + "}}]";
  };
  EXPECT_EQ(refusal_of(kForm, tool(R"("tool_call_id":"z")")),
            "messages[0].data.tool_call_id \"z\" answers no open tool call");
  EXPECT_THAT(refusal_of(kForm, tool(R"("status":"x","tool_call_id":"z")")),
              StartsWith("messages[0].data.status must be success or error"));
  EXPECT_EQ(refusal_of(kForm, R"([{"type":"ai","data":{"content":"","tool_calls":[{"id":"c",)"
                              R"("name":"n","args":{}}]}}])"),
            "messages[0].data.tool_calls[0] (id \"c\") is not answered");
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"function","data":{"content":""}}])"),
              StartsWith("messages[0].type must be system, human, ai or tool"));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"human"}])"),
              StartsWith("messages[0].data must be an object"));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"human","data":{"content":[{"type":"image"}]}}])"),
              StartsWith("messages[0].data.content[0].type must be text"));
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"human","data":{"content":"","id":"a"}},)"
                                R"({"type":"human","data":{"content":"","id":"a"}}])"),
              StartsWith("messages[1] has the id \"a\", which an earlier message has already"));
  const std::string version = R"([{"type":"human","data":{"content":"x","additional_kwargs":{"ba":)"
                              R"({"schema_version":")";
  EXPECT_THAT(refusal_of(kForm, version + R"(3.0"}}}}])"),
              HasSubstr("\"3.0\" is newer than this program reads (2.1)"));
  EXPECT_THAT(refusal_of(kForm, version + R"(1.7"}}}}])"),
              HasSubstr("Cannot migrate from 1.7 to 2.1"));
}

TEST(LangchainCarrier, RefusesACallOfTheContentThatIsNotAmongTheCalls) {
  EXPECT_THAT(refusal_of(kForm, R"([{"type":"ai","data":{"content":[{"type":"tool_use","id":"a",)"
                                R"("name":"n","input":{}}],"tool_calls":[]}}])"),
              StartsWith("messages[0].data.tool_calls must hold the call \"a\""));
}

}  // namespace
}  // namespace ba
