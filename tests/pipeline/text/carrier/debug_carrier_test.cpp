// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/pipeline/text/carrier/carrier_text.hpp"
#include "tests/pipeline/text/message/sample_history.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kForm = CarrierFormat::Debug;

std::string meta(const std::string& id) {
  return R"("timestamp":"2026-03-01T12:00:00.000001Z","message_id":")" + id +
         R"(","conversation_id":"c-1","user_id":"u-17"})";
}

TEST(DebugCarrier, HasAClosedListOfMembersAbsentWhereEmpty) {
  const auto history = test::sample_history();
  const std::string expected =
      R"([{"role":"system","content":[{"type":"text","text":"You analyse data."}],)" +
      meta("j-1/s") +
      R"(,{"role":"user","content":[{"type":"text","text":)"
      R"("Wie viele Flüge? 漢字 😀"}],)" +
      meta("j-1/0/0");
  EXPECT_EQ(test::written(kForm, history).substr(0, expected.size()), expected);
}

TEST(DebugCarrier, WritesCallsAndResultsAsBlocks) {
  AiMessage ai;
  ai.thinking = "hm";
  ai.tool_calls = {{ToolCallId("t1"), "q", R"({"a": 1.0})", "", ""},
                   {ToolCallId("t2"), "q", "{}", "", ""}};
  const ToolMessage failed{{}, ToolCallId("t1"), "q", "no", ToolStatus::Error};
  const ToolMessage done{{}, ToolCallId("t2"), "q", "", ToolStatus::Success};
  EXPECT_EQ(test::written(kForm, {ai, failed, done}),
            R"([{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},)"
            R"({"type":"tool_use","id":"t1","name":"q","input":{"a": 1.0}},)"
            R"({"type":"tool_use","id":"t2","name":"q"}]},)"
            R"({"role":"user","content":[{"type":"tool_result","content":"no",)"
            R"("tool_use_id":"t1","is_error":true}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t2"}]}])");
}

TEST(DebugCarrier, ShowsCacheMarksButNoSignature) {
  const auto messages =
      test::read_text(CarrierFormat::Anthropic,
                      R"([{"role":"user","content":[{"type":"text","text":"a","cache_control":)"
                      R"({"type":"ephemeral"},"citations":[1]}]},{"role":"assistant","content":)"
                      R"([{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text",)"
                      R"("text":"b"}]}])")
          .messages;
  EXPECT_EQ(test::written(kForm, messages),
            R"([{"role":"user","content":[{"type":"text","text":"a",)"
            R"("cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":)"
            R"([{"type":"thinking","thinking":"hm"},{"type":"text","text":"b"}]}])");
}

TEST(DebugCarrier, IsNeverRead) {
  EXPECT_EQ(test::refusal_of(kForm, "[]"), "messages can't be read from the form to look at");
}

}  // namespace
}  // namespace ba
