// SPDX-License-Identifier: Apache-2.0
// Where compatible servers differ, from the protocols' owners and from each other: what quirks say.
// What is the same for all of them is tested with every quirk beside the protocols.
#include "tests/support/problem_texts.hpp"
#include "tests/worker/llm/openai_chat_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

template <LlmQuirks kQuirks, typename Fixture = OpenaiChatFixture>
class Server : public Fixture {
 protected:
  Server() { this->provider_.quirks = kQuirks; }
};

class Messages : public ProtocolFixture {
 protected:
  Messages() : ProtocolFixture(&anthropic_protocol()) {}
};

class CompatibleServer : public WithAnyServer<OpenaiChatFixture> {};
INSTANTIATE_TEST_SUITE_P(Quirks, CompatibleServer,
                         ::testing::Values(LlmQuirks::LlamaCpp, LlmQuirks::Vllm, LlmQuirks::Ollama,
                                           LlmQuirks::Mistral),
                         quirk_name);

TEST_P(CompatibleServer, IsAskedInItsOwnWords) {
  provider_.streaming = false;
  auto request = TestRequest().human("q").ai("", {tool_call("c")}).tool("c", "1");
  const json body = written(request);
  EXPECT_EQ(body["max_tokens"], 100);
  EXPECT_FALSE(body.contains("max_completion_tokens"));
  EXPECT_FALSE(body.contains("stream"));
  EXPECT_FALSE(body.contains("stream_options"));
  EXPECT_EQ(body["messages"][2]["content"], "");
  provider_.max_tokens_field = MaxTokensField::MaxCompletionTokens;
  EXPECT_TRUE(written(request).contains("max_completion_tokens"));
}

class CompatibleMessages : public WithAnyServer<Messages> {};
INSTANTIATE_TEST_SUITE_P(Quirks, CompatibleMessages,
                         ::testing::Values(LlmQuirks::LlamaCpp, LlmQuirks::Vllm, LlmQuirks::Ollama,
                                           LlmQuirks::Mistral),
                         quirk_name);

TEST_P(CompatibleMessages, GetsNoCacheMarksUnlessTheyAreAskedFor) {
  auto request = TestRequest().with_tool().human("q");
  EXPECT_EQ(body(request)->find("cache_control"), std::string::npos);
  provider_.prompt_cache = true;
  EXPECT_NE(body(request)->find("cache_control"), std::string::npos);
}

TEST_P(CompatibleMessages, MayEndATurnWithCalls) {
  const auto result = read(
      R"({"content":[{"type":"tool_use","id":"t","name":"q","input":{}}],"stop_reason":"end_turn"})");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
}

using LlamaCppServer = Server<LlmQuirks::LlamaCpp>;

/// Content "", arguments as text, the id last.
TEST_F(LlamaCppServer, SendsCalls) {
  const auto result = read(
      R"({"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"query_database","arguments":"{\"sql\": \"SELECT COUNT(*) FROM flights\"}"},"id":"nSRDLziChbo0A5IkAMMmli9KVnq3IuOa"}]}}],)"
      R"("model":"smollm2-135m","object":"chat.completion","usage":{"completion_tokens":37,"prompt_tokens":158,"total_tokens":195,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-Y","timings":{"cache_n":0,"prompt_n":158,"predicted_n":37}})");
  ASSERT_TRUE(result) << result.error().message;
  const ModelReply& reply = result->reply;
  EXPECT_EQ(reply.stop, StopReason::ToolUse);
  ASSERT_EQ(reply.message.tool_calls.size(), 1U);
  EXPECT_EQ(reply.message.tool_calls[0].id.value, "nSRDLziChbo0A5IkAMMmli9KVnq3IuOa");
  EXPECT_EQ(reply.message.tool_calls[0].args_json, R"({"sql": "SELECT COUNT(*) FROM flights"})");
  EXPECT_EQ(reply.message.usage, (Usage{158, 0, 0, 37, 0}));
}

TEST_F(LlamaCppServer, StreamsCalls) {
  const auto result = stream(
      chunk(R"({"role":"assistant","content":null})") +
      chunk(
          R"({"tool_calls":[{"index":0,"id":"nSRD","type":"function","function":{"name":"q","arguments":"{"}}]})") +
      chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"sql\": \"x\"}"}}]})") +
      chunk("{}", "\"tool_calls\"") +
      R"(data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,)"
      R"("prompt_tokens_details":{"cached_tokens":4}},"timings":{"cache_n":4}})"
      "\n\ndata: [DONE]\n\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.tool_calls.at(0).args_json, R"({"sql": "x"})");
  EXPECT_EQ(result->reply.message.usage, (Usage{5, 4, 0, 2, 0}));
  EXPECT_FALSE(result->reply.message.extra);
}

TEST_F(LlamaCppServer, FailsToReadWhatItsModelWrote) {
  const std::string unreadable =
      R"({"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}})";
  expect_malformed(read_failure(500, unreadable, context()), "peg-native");
  provider_.quirks = LlmQuirks::None;
  EXPECT_EQ(read_failure(500, unreadable, context()).error().code, ErrorCode::Unavailable);
}

TEST_F(LlamaCppServer, GetsNoReasoningBesideTextAndCalls) {
  provider_.resend_reasoning = true;
  AiMessage message;
  message.text = "I look.";
  message.tool_calls = {tool_call("a")};
  message.extra =
      ProviderExtra{"openai_chat/p", R"({"reasoning_content":"hm","reasoning_details":[1]})"};
  const auto sent = [&] {
    auto request = TestRequest().human("q").ai(message).tool("a", "1");
    return written(request)["messages"][2];
  };
  EXPECT_FALSE(sent().contains("reasoning_content"));
  EXPECT_TRUE(sent().contains("reasoning_details"));
  message.text = "";
  EXPECT_EQ(sent()["reasoning_content"], "hm");
  message.text = "I look.";
  provider_.quirks = LlmQuirks::Vllm;
  EXPECT_EQ(sent()["reasoning_content"], "hm");
}

using LlamaCppMessages = Server<LlmQuirks::LlamaCpp, Messages>;

/// A call that starts without input.
TEST_F(LlamaCppMessages, StreamsCalls) {
  const auto result = stream(
      R"(data: {"type":"message_start","message":{"id":"chatcmpl-m8","model":"smollm2-135m","content":[],"stop_reason":null,"usage":{"cache_read_input_tokens":3,"input_tokens":144,"output_tokens":0}}})"
      "\n\n"
      R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"wcqB","name":"q"}})"
      "\n\n"
      R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}})"
      "\n\n"
      R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":1}"}})"
      "\n\n"
      R"(data: {"type":"content_block_stop","index":0})"
      "\n\n"
      R"(data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}})"
      "\n\n"
      R"(data: {"type":"message_stop"})"
      "\n\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.tool_calls.at(0).args_json, R"({"a":1})");
  EXPECT_EQ(result->reply.message.usage, (Usage{144, 3, 0, 20, 0}));
  EXPECT_FALSE(result->reply.message.extra);
}

TEST_F(LlamaCppMessages, ReportsErrorsInTheOtherProtocolsShape) {
  const auto exceeded = read_failure(
      400,
      R"({"error":{"code":400,"message":"request (9022 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9022,"n_ctx":4096}})",
      context());
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->reply.stop, StopReason::ContextExceeded);
  const auto inside =
      stream("data: {\"error\":{\"code\":503,\"message\":\"busy\",\"type\":\"x\"}}\n\n");
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(inside.error().detail, "503 x");
}

using VllmServer = Server<LlmQuirks::Vllm>;

TEST_F(VllmServer, SendsReasoningAndEmptyListsOfCalls) {
  const auto result = read(completion(
      R"({"role":"assistant","content":"4","reasoning":"2 + 2","refusal":null,"tool_calls":[]})",
      "stop"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::EndTurn);
  EXPECT_EQ(result->reply.message.thinking, "2 + 2");
  provider_.resend_reasoning = true;
  const auto kept = read(completion(R"({"content":"4","reasoning":"2 + 2"})", "stop"));
  EXPECT_EQ(kept->reply.message.extra->json, R"({"reasoning":"2 + 2"})") << "under the same name";
}

TEST_F(VllmServer, GivesARequestUpAsIfItHadEnded) {
  const std::string aborted =
      chunk(R"({"content":"It is"})") + chunk("{}", "\"abort\"") + "data: [DONE]\n\n";
  for (const auto& result :
       {stream(aborted), read(completion(R"({"content":"It is"})", "abort"))}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Unavailable);
    EXPECT_EQ(result.error().retry, Retry::Later);
    EXPECT_TRUE(result.error().maybe_done);
  }
}

using MistralServer = Server<LlmQuirks::Mistral>;

/// A user's message behind a tool's is refused there: a reminder joins what the tool said.
TEST_F(MistralServer, GetsNoUserBehindATool) {
  auto request = TestRequest()
                     .with_tool()
                     .human("q")
                     .ai("", {tool_call("call_1"), tool_call("D681PevKs")})
                     .tool("call_1", "1 \"row\"")
                     .tool("D681PevKs", "2")
                     .human("# Context Reminder")
                     .human("Hurry.")
                     .ai("", {tool_call("c3")})
                     .tool("c3", "3")
                     .ai("Done.")
                     .human("r");
  const json messages = written(request)["messages"];
  std::vector<std::string> roles;
  for (const json& message : messages) roles.push_back(message["role"]);
  EXPECT_EQ(roles, (std::vector<std::string>{"system", "user", "assistant", "tool", "tool",
                                             "assistant", "tool", "assistant", "user"}));
  EXPECT_EQ(messages[3]["content"], "1 \"row\"");
  EXPECT_EQ(messages[4]["content"], "2\n\n# Context Reminder\n\nHurry.");
  EXPECT_EQ(messages[6]["content"], "3");
  for (const int i : {0, 1}) {
    const std::string id = messages[2]["tool_calls"][i]["id"];
    EXPECT_TRUE(fits(id, IdRule::NineLettersOrDigits)) << id;
    EXPECT_EQ(messages[3 + i]["tool_call_id"], id);
  }
  EXPECT_EQ(messages[4]["tool_call_id"], "D681PevKs");
}

TEST_F(MistralServer, GetsNothingThatItDoesNotKnow) {
  AiMessage message;
  message.text = "x";
  message.extra = ProviderExtra{"openai_chat/p", R"({"prefix":false,"reasoning_content":"hm"})"};
  auto request = TestRequest().human("q").ai(message).human("r");
  const json body = written(request);
  EXPECT_EQ(body["messages"][2].size(), 2U) << body;
  EXPECT_FALSE(body.contains("stream_options"));
  EXPECT_TRUE(body["stream"]);
  EXPECT_EQ(body["max_tokens"], 100);
}

TEST_F(MistralServer, ThinksInPartsOfItsContent) {
  const auto result = read(completion(
      R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"It is 42."}]})",
      "stop"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.text, "It is 42.");
  EXPECT_EQ(result->reply.message.thinking, "Hm.");
}

using OllamaServer = Server<LlmQuirks::Ollama>;

/// Each call whole, all with the number 0; in older versions "stop" ends them.
TEST_F(OllamaServer, StreamsCalls) {
  const auto call_of = [](const std::string& id) {
    return chunk(
        R"({"role":"assistant","content":"","reasoning":"h","tool_calls":[{"id":")" + id +
        R"(","index":0,"type":"function","function":{"name":"q","arguments":"{\"a\":1}"}}]})");
  };
  const auto result = stream(
      call_of("call_1") + call_of("call_2") +
      chunk(R"({"role":"assistant","content":""})", "\"stop\"") +
      R"(data: {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":7,"total_tokens":7}})"
      "\n\ndata: [DONE]\n\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
  ASSERT_EQ(result->reply.message.tool_calls.size(), 2U);
  EXPECT_EQ(result->reply.message.tool_calls[1].args_json, R"({"a":1})");
  EXPECT_EQ(result->reply.message.thinking, "hh");
  EXPECT_EQ(result->reply.message.usage, (Usage{0, 0, 0, 7, 0})) << "a prompt from its cache is 0";
}

TEST_F(OllamaServer, HasNoSettingForParallelCalls) {
  LlmConfig config;
  model_.provider = provider_.name;
  config.providers = {provider_};
  config.models = {model_};
  EXPECT_TRUE(validate(config).empty());
  config.models[0].parallel_tool_calls = false;
  EXPECT_EQ(texts_of(validate(config)),
            std::vector<std::string>{"llm.models.m.parallel_tool_calls is 'off': means nothing to "
                                     "Ollama (quirks ollama); leave it out"});
}

}  // namespace
}  // namespace ba::llm
