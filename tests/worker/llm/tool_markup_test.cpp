// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/tool_markup.hpp"

#include "tests/worker/llm/openai_chat_fixture.hpp"

namespace ba {
namespace {

TEST(ToolMarkup, IsFoundInEachNotation) {
  for (const char* call : {"<tool_call>\n{\"name\": \"q\", \"arguments\": {}}\n</tool_call>",
                           "<tool_calls>[]</tool_calls>",
                           "<|tool_call|>[]",
                           "<|tool_call_start|>[q()]",
                           "<function=q>{}</function>",
                           "<function_call>{}</function_call>",
                           "<functioncall> {}",
                           "<function_calls><invoke name=\"q\"></invoke></function_calls>",
                           "<invoke name=\"q\"></invoke>",
                           "<start_function_call>call:q{}",
                           "<minimax:tool_call>",
                           "<seed:tool_call>",
                           "[TOOL_CALLS][{\"name\":\"q\"}]",
                           "<|python_tag|>q.call()",
                           "<|tool_calls_section_begin|>",
                           "<|tool_call_begin|>q",
                           "<|action_start|>",
                           "<|channel|>commentary to=functions.q",
                           "<｜tool▁calls▁begin｜>",
                           "<｜tool▁call▁begin｜>",
                           "<｜DSML｜function_calls>",
                           "{\"name\": \"q\", \"arguments\": {\"a\": 1}}",
                           "{\"type\": \"function\", \"name\": \"q\", \"parameters\": {}}"}) {
    EXPECT_TRUE(tool_markup(call, {"q"})) << call;
    EXPECT_TRUE(tool_markup("\n " + std::string(call) + "\n", {"q"})) << call;
  }
  EXPECT_TRUE(tool_markup("I look.\n<tool_call>\n{}\n</tool_call>\n", {}));
  EXPECT_TRUE(tool_markup("I look.\n[TOOL_CALLS][{}]", {}));
}

TEST(ToolMarkup, IsNoneInAnOrdinaryText) {
  for (const char* text :
       {"", "It is 42.", "Models write <tool_call> and </tool_call>.",
        "A call is\n<tool_call>{}</tool_call>\nand this is how it ends.", "[TOOL] is a word",
        "{\"name\": \"Ann\", \"age\": 7}", "{\"name\": \"q\", \"arguments\": {}, \"note\": 1}",
        "{\"name\": 1, \"arguments\": {}}"})
    EXPECT_FALSE(tool_markup(text, {"q"})) << text;
}

TEST_F(OpenaiChatFixture, PublishesNoCallAsAnAnswer) {
  const std::string text = completion(
      R"({"content":"<tool_call>\n{\"name\": \"q\", \"arguments\": {}}\n</tool_call>"})", "stop");
  ProtocolContext context{provider_, model_, limits_, {0, 1, true, {}}};
  const auto offered = protocol().read_reply(text, context);
  expect_malformed(offered, "<tool_call>");
  expect_malformed(offered, "set tool_calling: text");
  context.place.has_tools = false;
  EXPECT_TRUE(protocol().read_reply(text, context)) << "nobody offered tools";
  context.place.has_tools = true;
  const std::string bare =
      completion(R"({"content":"{\"name\": \"q\", \"arguments\": {\"a\": 1}}"})", "stop");
  EXPECT_TRUE(protocol().read_reply(bare, context)) << "it may be what the job's schema asks for";
  context.place.tool_names = {"q"};
  expect_malformed(protocol().read_reply(bare, context), "set tool_calling: text");
}

}  // namespace
}  // namespace ba
