// SPDX-License-Identifier: Apache-2.0
// What `doctor --call` finds out about a server that is choosy.
#include "worker/runtime/ask_model.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

namespace ba::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

/// Refuses each request that `refusal` has a word about.
class AskModel : public testing::Test {
 protected:
  AskModel() {
    llm::ProviderConfig provider;
    provider.name = "local";
    provider.protocol = &llm::openai_chat_protocol();
    provider.base_url = stub_.url();
    provider.streaming = false;
    loaded_.config.llm.providers = {provider};
    llm::ModelConfig model;
    model.name = "small";
    model.provider = "local";
    model.model_id = "smol";
    loaded_.config.llm.models = {model};
    stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request& request) {
      const Json body = Json::parse(request.body);
      const std::string refused = refusal(body);
      if (!refused.empty())
        return connection.answer(400, Json{{"error", {{"message", refused}}}}.dump());
      const Json message = {{"role", "assistant"}, {"content", text_}};
      const Json choice = {{"index", 0}, {"finish_reason", "stop"}, {"message", message}};
      const Json usage = {{"prompt_tokens", 9}, {"completion_tokens", 1}};
      connection.answer(200,
                        Json{{"model", "smol"}, {"choices", {choice}}, {"usage", usage}}.dump());
    };
  }

  Result<std::string> ask() {
    auto answer = loop_.serve_while([this] { return ask_one_model(loaded_, "small"); });
    EXPECT_TRUE(answer);
    return std::move(*answer);
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  config::LoadedConfig loaded_;
  std::string text_ = "ready";
  std::function<std::string(const Json&)> refusal = [](const Json&) { return ""; };
};

TEST_F(AskModel, OneThatTakesEverythingIsAskedOnce) {
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "local/smol: ready");
  EXPECT_EQ(stub_.requests.size(), 1U);
}

TEST_F(AskModel, OneThatKnowsOnlyMaxTokensIsToldOf) {
  refusal = [](const Json& body) {
    return body.contains("max_completion_tokens") ? "unknown field" : "";
  };
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.max_tokens_field: max_tokens"));
}

TEST_F(AskModel, OneThatWantsTextBesideCallsIsToldOf) {
  refusal = [](const Json& body) {
    for (const Json& message : body["messages"])
      if (message["content"].is_null()) return "content must be a string";
    return "";
  };
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.quirks: vllm"));
}

TEST_F(AskModel, OneThatIsStrictAboutIdsAndOrderIsToldOf) {
  refusal = [](const Json& body) -> std::string {
    std::string last;
    for (const Json& message : body["messages"]) {
      const std::string role = message["role"];
      if (last == "tool" && role == "user") return "Unexpected role 'user' after role 'tool'";
      for (const Json& call : message.value("tool_calls", Json::array()))
        if (call["id"].get<std::string>().size() != 9) return "Tool call id has to be 9 letters";
      last = role;
    }
    return "";
  };
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.quirks: mistral"));
}

TEST_F(AskModel, OneWithoutToolsIsToldOf) {
  refusal = [](const Json& body) { return body.contains("tools") ? "no tools here" : ""; };
  EXPECT_THAT(ask().error().message, HasSubstr("llm.models.small.tool_calling: text"));
}

/// As Kimi does while it thinks.
std::string wants_its_thinking(const Json& body) {
  for (const Json& message : body["messages"])
    if (message.contains("tool_calls") && !message.contains("reasoning_content"))
      return "thinking is enabled but reasoning_content is missing in assistant tool call message";
  return "";
}

TEST_F(AskModel, OneThatWantsItsThinkingBesideCallsIsToldOf) {
  refusal = wants_its_thinking;
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.resend_reasoning: true"));
}

TEST_F(AskModel, OneThatWantsItsThinkingAndMaxTokensIsToldOfBoth) {
  refusal = [](const Json& body) -> std::string {
    return body.contains("max_completion_tokens") ? "unknown field" : wants_its_thinking(body);
  };
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.max_tokens_field: max_tokens, "
                        "llm.providers.local.resend_reasoning: true"));
}

/// Its jobs' own histories have what it wants: nothing is to be set.
TEST_F(AskModel, OneThatGetsItsThinkingBackIsAnsweredWithAMadeUpThought) {
  refusal = wants_its_thinking;
  llm::ProviderConfig& provider = loaded_.config.llm.providers[0];
  provider.resend_reasoning = true;
  provider.max_tokens_field = llm::MaxTokensField::MaxTokens;
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(*answer, HasSubstr("local/smol: ready (with its own thinking beside each call"));
  EXPECT_THAT(*answer, HasSubstr("in which another model called tools it refuses: "));
  EXPECT_THAT(*answer, HasSubstr("reasoning_content is missing"));
  EXPECT_THAT(*answer, Not(HasSubstr("it is answered with")));
  EXPECT_EQ(stub_.requests.size(), 2U);
}

/// Nobody knows whether it was answered: no further one is sent, as each may be paid.
TEST_F(AskModel, StopsAtAVariantThatMayHaveBeenPaid) {
  const auto answers = stub_.on_request;
  refusal = [](const Json&) { return "no"; };
  stub_.on_request = [&](HttpStubConnection& connection, const HttpStub::Request& request) {
    if (stub_.requests.size() == 1) return answers(connection, request);
    connection.close();
  };
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(stub_.requests.size(), 2U) << "the question, and the first variant";
  EXPECT_THAT(
      answer.error().message,
      HasSubstr("; with llm.providers.local.max_tokens_field: max_tokens no answer came, and "
                "it may be paid: nothing more was tried ("));
  EXPECT_THAT(answer.error().message, Not(HasSubstr("it is answered with")));
}

/// A stream that began and then says that the request was bad: it is paid.
TEST_F(AskModel, ARefusalOfAnAnswerThatHadBegunIsNotTriedInOtherForms) {
  loaded_.config.llm.providers[0].streaming = true;
  stub_.on_request = [&](HttpStubConnection& connection, const HttpStub::Request&) {
    connection.answer(200,
                      "data: {\"choices\":[{\"delta\":{\"content\":\"rea\"}}]}\n\n"
                      "data: {\"error\":{\"code\":400,\"message\":\"bad request\"}}\n\n",
                      "", "text/event-stream");
  };
  EXPECT_FALSE(ask());
  EXPECT_EQ(stub_.requests.size(), 1U);
}

TEST_F(AskModel, AsksInNoFormTwice) {
  refusal = [](const Json&) { return "no"; };
  loaded_.config.llm.providers[0].max_tokens_field = llm::MaxTokensField::MaxTokens;
  EXPECT_FALSE(ask());
  std::set<std::string> bodies;
  for (const auto& request : stub_.requests) bodies.insert(request.body);
  EXPECT_EQ(bodies.size(), stub_.requests.size());
}

TEST_F(AskModel, StopsAtAVariantThatIsIllAnswered) {
  const auto answers = stub_.on_request;
  refusal = [](const Json&) { return "no"; };
  stub_.on_request = [&](HttpStubConnection& connection, const HttpStub::Request& request) {
    if (stub_.requests.size() == 1) return answers(connection, request);
    connection.answer(200, R"({"choices":[]})");
  };
  EXPECT_THAT(ask().error().message,
              HasSubstr("it is answered with llm.providers.local.max_tokens_field: max_tokens"));
  EXPECT_EQ(stub_.requests.size(), 2U);
}

TEST_F(AskModel, OneThatTakesNothingIsRefusedInItsOwnWords) {
  refusal = [](const Json&) { return "no such model"; };
  const std::string said = ask().error().message;
  EXPECT_THAT(said, HasSubstr("no such model"));
  EXPECT_THAT(said, Not(HasSubstr("it is answered with")));
}

TEST_F(AskModel, ThinkingInFrontOfTheAnswerIsToldOf) {
  text_ = "<think>A word.</think>ready";
  EXPECT_THAT(*ask(), HasSubstr("set llm.models.small.strip_think to true"));
}

}  // namespace
}  // namespace ba::runtime
