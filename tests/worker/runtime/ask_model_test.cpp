// SPDX-License-Identifier: Apache-2.0
// What `doctor --call` finds out about a server that is choosy.
#include "worker/runtime/ask_model.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"

namespace ba {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

/// Refuses each request that `refusal` has a word about.
class AskModel : public testing::Test {
 protected:
  AskModel() {
    ProviderConfig provider;
    provider.name = "local";
    provider.protocol = LlmProtocol::OpenaiChat;
    provider.base_url = stub_.url();
    provider.streaming = false;
    loaded_.config.llm.providers = {provider};
    ModelConfig model;
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
  LoadedConfig loaded_;
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
}  // namespace ba
