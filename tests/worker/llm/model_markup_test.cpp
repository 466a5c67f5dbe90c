// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/model_markup.hpp"

#include "tests/worker/llm/openai_chat_fixture.hpp"

namespace ba::llm {
namespace {

TEST(ThinkBlock, IsTheTextsBeginningOnly) {
  EXPECT_FALSE(leading_think_block(""));
  EXPECT_FALSE(leading_think_block("a <think>b</think>"));
  EXPECT_FALSE(leading_think_block("<think"));
  const auto empty = leading_think_block("<think>\n\n</think>\n\n");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->thinking, "");
  EXPECT_EQ(empty->answer, "");
  EXPECT_TRUE(empty->closed);
  const auto nested = leading_think_block(" <think>a<think>b</think>c</think>");
  EXPECT_EQ(nested->thinking, "a<think>b");
  EXPECT_EQ(nested->answer, "c</think>");
}

using ThinkBlockTest = OpenaiChatFixture;

TEST_F(ThinkBlockTest, TakesALeadingThinkBlockOutOfTheAnswerWhereItIsToldTo) {
  const std::string text =
      R"({"content":"\n<think>\nSum up.\n</think>\n\nIt is <think>4</think>."})";
  EXPECT_EQ(read(completion(text, "stop"))->reply.message.thinking, "");
  model_.strip_think = true;
  const auto whole = read(completion(text, "stop"));
  EXPECT_EQ(whole->reply.message.text, "It is <think>4</think>.");
  EXPECT_EQ(whole->reply.message.thinking, "Sum up.");
  const auto streamed = stream(chunk(R"({"content":"<thi"})") + chunk(R"({"content":"nk>Sum"})") +
                               chunk(R"({"content":" up.</th"})") +
                               chunk(R"({"content":"ink>It is 4."})", "\"stop\""));
  EXPECT_EQ(streamed->reply.message.text, "It is 4.");
  EXPECT_EQ(streamed->reply.message.thinking, "Sum up.");
  const auto both =
      read(completion(R"({"content":"<think>b</think>x","reasoning_content":"a"})", "stop"));
  EXPECT_EQ(both->reply.message.thinking, "a\n\nb");
  for (const char* other : {"", "x <think>y</think>", "<answer>y</answer>", "<think"})
    EXPECT_EQ(read(completion(R"({"content":")" + std::string(other) + "\"}", "stop"))
                  ->reply.message.text,
              other);
}

/// Where a template begins the block in the prompt, only its end is in the reply.
TEST_F(ThinkBlockTest, TakesABlockWhoseBeginningIsMissing) {
  model_.strip_think = true;
  const auto reply = read(completion(
      R"({"content":"40 and 2 make 42, or was it 41? No: 42.\n</think>\n\nIt is 42."})", "stop"));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->reply.message.text, "It is 42.");
  EXPECT_EQ(reply->reply.message.thinking, "40 and 2 make 42, or was it 41? No: 42.");
  EXPECT_EQ(read(completion(R"({"content":"</think>x"})", "stop"))->reply.message.text, "x");
  const std::string tells = R"({"content":"It ends with </think>.","reasoning_content":"hm"})";
  EXPECT_EQ(read(completion(tells, "stop"))->reply.message.text, "It ends with </think>.")
      << "its thinking was taken out already";
}

TEST(ThinkBlock, HasTheTagsOfItsModel) {
  for (const char* text : {"<think>a</think>b", "<thinking>a</thinking>b", "<thought>a</thought>b",
                           "<seed:think>a</seed:think>b", "[THINK]a[/THINK]b", "◁think▷a◁/think▷b",
                           "a</think>b", "a</thinking>b", "a[/THINK]b", "a◁/think▷b"}) {
    const auto block = leading_think_block(text);
    ASSERT_TRUE(block) << text;
    EXPECT_EQ(block->thinking, "a") << text;
    EXPECT_EQ(block->answer, "b") << text;
  }
}

TEST_F(ThinkBlockTest, TakesNoAnswerFromAThinkBlockWithoutEnd) {
  model_.strip_think = true;
  const std::string open = R"({"content":"<think>Let me see")";
  expect_malformed(read(completion(open + "}", "stop")), "inside its <think> block");
  const auto cut = read(completion(open + "}", "length"));
  EXPECT_EQ(cut->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(cut->reply.message.text, "");
  EXPECT_EQ(cut->reply.message.thinking, "Let me see");
  const auto called =
      read(completion(open + R"(,"tool_calls":[)" + call("c1", "\"{}\"") + "]}", "tool_calls"));
  EXPECT_EQ(called->reply.stop, StopReason::ToolUse);
  EXPECT_EQ(called->reply.message.text, "");
}

const ToolSpecList kQ{{"q", "", "{}"}};

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
    EXPECT_TRUE(tool_markup(call, kQ)) << call;
    EXPECT_TRUE(tool_markup("\n " + std::string(call) + "\n", kQ)) << call;
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
    EXPECT_FALSE(tool_markup(text, kQ)) << text;
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
  context.place.tools = kQ;
  expect_malformed(protocol().read_reply(bare, context), "set tool_calling: text");
}

}  // namespace

}  // namespace ba::llm
