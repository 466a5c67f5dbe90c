// SPDX-License-Identifier: Apache-2.0
// The whole client against the strict scripted model, over real sockets: every protocol, streamed
// and whole.
#include <gtest/gtest.h>

#include <thread>

#include "tests/scripted_model/model_server.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

constexpr const char* kScript = R"(
entries:
  - when: {regex: 'How many rows does (\w+) have'}
    then:
      - thinking: I had better look.
        text: I look.
        tool_calls: [{name: query_database, args: {sql: 'SELECT count(*) FROM {{match.1}}'}}]
      - text: '{{match.1}} has {{observation.-1}} rows — "exactly".'
  - when: Two at once.
    then:
      - tool_calls:
          - {name: query_database, args: {sql: SELECT 1}}
          - {name: query_database, raw_args: '{"sql": "SELECT'}
      - text: '{{observation.0}}, {{observation.1}}'
  - when: Same id twice.
    then: [{duplicate_ids: true, tool_calls: [{name: query_database, args: {}}, {name: query_database, args: {}}]}]
  - when: Refuse.
    then: [{text: No., stop: refusal}]
  - when: Be long.
    then: [{text: And so, stop: max_tokens}]
  - when: Stumble.
    then:
      - text: There.
        faults:
          - {times: 1, status: 429, headers: {retry-after: "0.01"}}
          - {times: 1, status: 529, headers: {retry-after-ms: "10"}}
          - {times: 1, status: 500}
          - {times: 1, close: true}
          - {times: 1, cut_after_bytes: 40}
  - when: Drip.
    then: [{text: 'Slow, but whole: ü.', faults: [{chunk_bytes: 3}]}]
  - when: Hang.
    then: [{text: Never., faults: [{hang: true}]}]
)";

struct Wire {
  const Protocol* protocol;
  bool streaming;
};

class ScriptedModel : public ::testing::TestWithParam<Wire> {
 protected:
  ScriptedModel() : service_({}, script()), server_(service_) {
    const auto port = server_.listen(0);
    EXPECT_TRUE(port);
    thread_ = std::thread([this] { server_.run(); });
    ProviderConfig provider;
    provider.name = "scripted";
    provider.protocol = GetParam().protocol;
    provider.streaming = GetParam().streaming;
    provider.base_url = "http://127.0.0.1:" + std::to_string(*port);
    provider.timeouts.first_byte = std::chrono::seconds(10);
    config_.providers.push_back(provider);
    ModelConfig model;
    model.name = model.model_id = "m";
    model.provider = "scripted";
    model.max_output_tokens = 500;
    model.prices = ModelPrices{1'000'000, 2'000'000, {}, {}, ""};
    config_.models.push_back(model);
    config_.retry.initial_delay = Milliseconds(1);
    config_.retry.max_delay = Milliseconds(5);
    http_ = http::make_curl_http_client(loop_.io);
  }
  ~ScriptedModel() override {
    client_.reset();
    server_.stop();
    thread_.join();
  }

  static scripted::Script script() {
    scripted::Script script;
    EXPECT_TRUE(script.add(kScript, "test.yaml"));
    return script;
  }

  ModelOutcome ask(TestRequest& request) {
    if (!client_) client_ = std::move(*make_llm_client(config_, {loop_, loop_, random_, *http_}));
    std::optional<ModelOutcome> outcome;
    const auto call = client_->ask(
        request.get(), {[&outcome](ModelOutcome answer) { outcome = std::move(answer); }, {}});
    EXPECT_TRUE(loop_.run_until([&] { return outcome.has_value(); }));
    return std::move(*outcome);
  }
  ModelReply reply(TestRequest& request) {
    ModelOutcome outcome = ask(request);
    if (const auto* failed = std::get_if<ModelFailure>(&outcome)) {
      ADD_FAILURE() << failed->error.message;
      return {};
    }
    return std::get<ModelReply>(std::move(outcome));
  }
  ModelFailure failure(TestRequest& request) {
    ModelOutcome outcome = ask(request);
    EXPECT_TRUE(std::holds_alternative<ModelFailure>(outcome));
    return std::get<ModelFailure>(std::move(outcome));
  }

  scripted::Service service_;
  scripted::Server server_;
  std::thread thread_;
  AsioLoop loop_;
  FixedRandom random_;
  std::unique_ptr<http::HttpClient> http_;
  LlmConfig config_;
  std::unique_ptr<ModelClient> client_;
};

class ScriptedResponses : public ScriptedModel {};

TEST_P(ScriptedModel, HoldsAConversationWithATool) {
  auto request = TestRequest().with_tool().human("How many rows does flights have?");
  const ModelReply first = reply(request);
  ASSERT_EQ(first.stop, StopReason::ToolUse);
  ASSERT_EQ(first.message.tool_calls.size(), 1U);
  EXPECT_EQ(first.message.text, "I look.");
  EXPECT_EQ(first.message.tool_calls[0].args_json, R"({"sql":"SELECT count(*) FROM flights"})");
  EXPECT_GT(first.message.usage.total_input(), 0);
  EXPECT_GT(first.cost_micro_usd.value_or(0), 0);
  if (GetParam().protocol != &openai_chat_protocol()) {
    EXPECT_EQ(first.message.thinking, "I had better look.");
    EXPECT_TRUE(first.message.extra);  // what seals it, which the server checks below
  }
  request.ai(first.message).tool(first.message.tool_calls[0].id.value, "336776");
  const ModelReply second = reply(request);
  EXPECT_EQ(second.stop, StopReason::EndTurn);
  EXPECT_EQ(second.message.text, "flights has 336776 rows — \"exactly\".");
  EXPECT_NE(second.request_hash, first.request_hash);
}

/// Reasoning that another key or model wrote is refused: the call is repeated without it.
TEST_P(ScriptedResponses, AsksAgainWithoutReasoningThatTheProviderCanNotRead) {
  AiMessage answer;
  answer.text = "Earlier.";
  answer.extra = ProviderExtra{
      "openai_responses/scripted",
      R"([{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"of another"},)"
      R"({"id":"msg_r1","type":"message","role":"assistant","status":"completed",)"
      R"("content":[{"type":"output_text","text":"Earlier.","annotations":[]}]}])"};
  auto request = TestRequest().human("Before?").ai(answer).human("Be long.");
  const ModelReply cut = reply(request);
  EXPECT_EQ(cut.message.text, "And so");
  EXPECT_EQ(cut.tries, 2);
  EXPECT_EQ(cut.wasted_calls, 0);
}

/// As of a conversation from elsewhere.
TEST_P(ScriptedModel, GoesOnWithAConversationThatTheAssistantBegan) {
  auto greeted = TestRequest().ai("Good morning.").human("Be long.");
  EXPECT_EQ(reply(greeted).message.text, "And so");
  auto busy = TestRequest()
                  .with_tool()
                  .ai("I look.", {tool_call("call_1")})
                  .tool("call_1", "1")
                  .ai("One.")
                  .human("Be long.");
  EXPECT_EQ(reply(busy).message.text, "And so");
}

TEST_P(ScriptedModel, SendsResultsOfParallelCallsAsTheProtocolWants) {
  auto request = TestRequest().with_tool().human("Two at once.");
  const ModelReply first = reply(request);
  ASSERT_EQ(first.message.tool_calls.size(), 2U);
  EXPECT_TRUE(first.message.tool_calls[0].valid());
  EXPECT_FALSE(first.message.tool_calls[1].valid());
  request.ai(first.message)
      .tool(first.message.tool_calls[0].id.value, "1")
      .tool(first.message.tool_calls[1].id.value, "no", ToolStatus::Error);
  EXPECT_EQ(reply(request).message.text, "1, no");
}

TEST_P(ScriptedModel, RefusesARepeatedIdTwice) {
  auto request = TestRequest().with_tool().human("Same id twice.");
  const ModelFailure failed = failure(request);
  EXPECT_EQ(failed.error.code, ErrorCode::Protocol);
  EXPECT_EQ(failed.tries, 2);
  EXPECT_EQ(failed.wasted_calls, 2);
}

TEST_P(ScriptedModel, ReportsHowTheModelStopped) {
  auto refuse = TestRequest().human("Refuse.");
  EXPECT_EQ(reply(refuse).stop, StopReason::Refusal);
  auto lengthy = TestRequest().human("Be long.");
  const ModelReply cut = reply(lengthy);
  EXPECT_EQ(cut.stop, StopReason::MaxTokens);
  EXPECT_EQ(cut.message.text, "And so");
}

TEST_P(ScriptedModel, ComesThroughFaults) {
  auto request = TestRequest().human("Stumble.");
  const ModelReply answer = reply(request);
  EXPECT_EQ(answer.message.text, "There.");
  EXPECT_EQ(answer.tries, 6);
  EXPECT_EQ(answer.wasted_calls, 2);  // the closed and the cut one
  auto drip = TestRequest().human("Drip.");
  EXPECT_EQ(reply(drip).message.text, "Slow, but whole: ü.");
}

TEST_P(ScriptedModel, GivesUpOnAModelThatHangs) {
  auto request = TestRequest().human("Hang.");
  request.fields().timeout = Milliseconds(1500);
  const ModelFailure failed = failure(request);
  EXPECT_EQ(failed.error.code, ErrorCode::Timeout);
  EXPECT_EQ(failed.wasted_calls, 1);
}

std::string wire_name(const ::testing::TestParamInfo<Wire>& info) {
  return std::string(info.param.protocol->name()) + (info.param.streaming ? "_streamed" : "_whole");
}

INSTANTIATE_TEST_SUITE_P(Wires, ScriptedModel,
                         ::testing::Values(Wire{&anthropic_protocol(), true},
                                           Wire{&anthropic_protocol(), false},
                                           Wire{&openai_chat_protocol(), true},
                                           Wire{&openai_chat_protocol(), false},
                                           Wire{&openai_responses_protocol(), true},
                                           Wire{&openai_responses_protocol(), false}),
                         wire_name);
INSTANTIATE_TEST_SUITE_P(Wires, ScriptedResponses,
                         ::testing::Values(Wire{&openai_responses_protocol(), true},
                                           Wire{&openai_responses_protocol(), false}),
                         wire_name);

}  // namespace
}  // namespace ba::llm
