// SPDX-License-Identifier: Apache-2.0
// What doctor says of models, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;

class CheckModels : public ::testing::Test {
 protected:
  CheckModels() {
    llm::ProviderConfig provider;
    provider.name = "local";
    provider.protocol = &llm::openai_chat_protocol();
    provider.base_url = stub_.url();
    provider.quirks = llm::LlmQuirks::LlamaCpp;
    provider.headers["x-gateway"] = Secret("let-me-in");
    config_.llm.providers.push_back(provider);
    llm::ModelConfig model;
    model.name = "small";
    model.provider = "local";
    model.model_id = "smol";
    model.context_window = 8192;
    config_.llm.models.push_back(model);
    stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request& request) {
      if (request.head.find("\r\nx-gateway: let-me-in") == std::string::npos)
        return connection.answer(401, "{}");
      if (request.head.find("GET /props ") != std::string::npos)
        return connection.answer(props_status_,
                                 R"({"default_generation_settings":{"n_ctx":4096}})");
      connection.answer(200, R"({"data":[{"id":"smol"}]})");
    };
  }

  Checks checks() {
    auto all = loop_.serve_while([this] { return check_models(config_); });
    EXPECT_TRUE(all);
    return *all;
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  config::Config config_;
  int props_status_ = 200;
};

TEST_F(CheckModels, WarnsOfAWindowThatTheServerDoesNotHave) {
  const Checks warned = checks();
  ASSERT_EQ(warned.size(), 2U);
  EXPECT_EQ(warned[0].status, CheckStatus::Pass) << warned[0].message;
  EXPECT_EQ(warned[1].name, "model small");
  EXPECT_EQ(warned[1].status, CheckStatus::Warn);
  EXPECT_EQ(warned[1].message, "context_window 8192, the server takes 4096 (/props)");
  EXPECT_THAT(warned[1].remedy, HasSubstr("set llm.models.small.context_window to 4096"));
  config_.llm.models[0].context_window = 4096;
  EXPECT_EQ(checks()[1].status, CheckStatus::Pass);
}

TEST_F(CheckModels, SaysWhenTheServerDoesNotTellItsContext) {
  props_status_ = 404;
  const Checks warned = checks();
  ASSERT_EQ(warned.size(), 2U);
  EXPECT_EQ(warned[1].status, CheckStatus::Warn);
  EXPECT_THAT(warned[1].message, HasSubstr("/props answered HTTP 404"));
  EXPECT_THAT(warned[1].remedy, HasSubstr("llm.providers.local.quirks"));
  config_.llm.providers[0].quirks = llm::LlmQuirks::None;
  EXPECT_EQ(checks().size(), 1U);
}

TEST_F(CheckModels, SaysThatTheServerDoesNotSpeakTheProtocol) {
  config_.llm.providers[0].protocol = &llm::openai_responses_protocol();
  config_.llm.providers[0].quirks = llm::LlmQuirks::None;
  EXPECT_EQ(checks().size(), 1U) << "it speaks it";
  stub_.on_request = [](HttpStubConnection& connection, const HttpStub::Request& request) {
    const bool list = request.head.find("GET /v1/models ") != std::string::npos;
    connection.answer(list ? 200 : 404, R"({"data":[{"id":"smol"}]})");
  };
  const Checks failed = checks();
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[0].status, CheckStatus::Pass);
  EXPECT_EQ(failed[1].name, "provider local, protocol");
  EXPECT_EQ(failed[1].status, CheckStatus::Fail);
  EXPECT_THAT(failed[1].message, HasSubstr("/v1/responses answered HTTP 404"));
  EXPECT_THAT(failed[1].remedy, HasSubstr("llm.providers.local.protocol to openai_chat"));
}

/// The host is looked at, not asked: a proxy that answers stands before it.
TEST_F(CheckModels, WarnsOfAReasoningModelOverChatCompletionsAtOpenai) {
  llm::ProviderConfig& provider = config_.llm.providers[0];
  provider.quirks = llm::LlmQuirks::None;
  provider.base_url = "http://api.openai.com/v1";
  provider.proxy = stub_.url();
  config_.llm.models[0].model_id = "gpt-5.4";
  const Checks warned = checks();
  ASSERT_EQ(warned.size(), 2U);
  EXPECT_EQ(warned[1].name, "model small");
  EXPECT_EQ(warned[1].status, CheckStatus::Warn);
  EXPECT_THAT(warned[1].message, HasSubstr("OpenAI's gpt-5.4 takes tools with effort none only"));
  EXPECT_THAT(warned[1].remedy, HasSubstr("llm.providers.local.protocol to openai_responses"));
  config_.llm.models[0].effort = "none";
  EXPECT_EQ(checks().size(), 1U);
  config_.llm.models[0].effort.reset();
  config_.llm.models[0].model_id = "gpt-4.1";
  EXPECT_EQ(checks().size(), 1U);
}

TEST_F(CheckModels, ShowsNoPasswordOfAUrlThatIsRefused) {
  config_.llm.providers[0].base_url = "http://user:hunter2@127.0.0.1:1/v1";
  const Checks failed = checks();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].status, CheckStatus::Fail);
  EXPECT_EQ(failed[0].message, "was not asked: its base_url is not valid");
}

TEST_F(CheckModels, WhatHasNoListIsLeftToTheCallOfItsModel) {
  stub_.on_request = [](HttpStubConnection& connection, const HttpStub::Request&) {
    connection.answer(404, "{}");
  };
  config_.llm.providers[0].quirks = llm::LlmQuirks::None;
  const Checks warned = checks();
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_EQ(warned[0].status, CheckStatus::Warn);
  EXPECT_THAT(warned[0].remedy, HasSubstr("doctor --call"));
  const Checks other = *loop_.serve_while([this] { return check_models(config_, {"large"}); });
  EXPECT_EQ(other.at(0).status, CheckStatus::Warn) << "another provider's model is called";
  const Checks called = *loop_.serve_while([this] { return check_models(config_, {"small"}); });
  ASSERT_EQ(called.size(), 1U);
  EXPECT_EQ(called[0].status, CheckStatus::Pass);
  EXPECT_THAT(called[0].message, HasSubstr("see the call of its model"));
}

config::LoadedConfig with_models(std::initializer_list<const char*> names) {
  config::LoadedConfig loaded;
  for (const char* name : names) loaded.config.llm.models.emplace_back().name = name;
  loaded.config.agents["default"] = {};
  return loaded;
}

TEST(CheckModelCalls, AreOfEachModelInUseOnce) {
  config::LoadedConfig loaded = with_models({"large", "small", "cheap", "idle"});
  loaded.config.llm.default_model = "large";
  loaded.config.agents["analyst"].model = "small";
  loaded.config.agents["helper"].model = "small";
  loaded.config.agents["odd"].model = "nowhere";
  loaded.config.context.summary.model = "cheap";
  const std::set<std::string> used = models_in_use(loaded);
  EXPECT_THAT(used, ::testing::ElementsAre("cheap", "large", "small"));
  std::vector<std::string> asked;
  const auto ask = [&](const config::LoadedConfig&,
                       const std::string& model) -> Result<std::string> {
    asked.push_back(model);
    if (model == "small") return invalid_argument("no such model");
    return "p/" + model + ": ready";
  };
  const Checks checks = check_model_calls(loaded, used, ask);
  EXPECT_THAT(asked, ::testing::ElementsAre("cheap", "large", "small"));
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].name, "model call cheap");
  EXPECT_EQ(checks[0].status, CheckStatus::Pass);
  EXPECT_EQ(checks[0].message, "p/cheap: ready");
  EXPECT_EQ(checks[2].status, CheckStatus::Fail);
  EXPECT_THAT(checks[2].remedy, HasSubstr("llm.models.small"));
}

TEST(CheckModelCalls, ADefaultModelIsMissedWhereAnAgentHasNone) {
  config::LoadedConfig loaded = with_models({"a", "b"});
  const auto ask = [](const config::LoadedConfig&, const std::string&) -> Result<std::string> {
    return std::string("p/a: ready");
  };
  const Checks missed = check_model_calls(loaded, models_in_use(loaded), ask);
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_EQ(missed[0].status, CheckStatus::Fail);
  EXPECT_EQ(missed[0].remedy, "set llm.default_model");
  loaded.config.agents["default"].model = "a";
  const Checks called = check_model_calls(loaded, models_in_use(loaded), ask);
  ASSERT_EQ(called.size(), 1U);
  EXPECT_EQ(called[0].status, CheckStatus::Pass);
}

TEST_F(CheckModels, SaysThatTheKeyIsRefused) {
  config_.llm.providers[0].headers.clear();
  const Checks refused = checks();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].status, CheckStatus::Fail);
  EXPECT_THAT(refused[0].message, HasSubstr("refuses the key: HTTP 401"));
  EXPECT_THAT(refused[0].remedy, HasSubstr("headers"));
}

}  // namespace
}  // namespace ba::cli
