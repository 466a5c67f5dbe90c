// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_config.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/problem_texts.hpp"

namespace ba::llm {
namespace {

LlmConfig good_config() {
  LlmConfig config;
  ProviderConfig provider;
  provider.name = "p";
  provider.base_url = "https://api.anthropic.com";
  config.providers.push_back(provider);
  ModelConfig model;
  model.name = "m";
  model.provider = "p";
  model.model_id = "claude-x";
  config.models.push_back(model);
  config.default_model = "m";
  return config;
}

TEST(LlmConfigTest, AcceptsTheDefaultsAndFindsByName) {
  const LlmConfig config = good_config();
  ASSERT_THAT(texts_of(validate(config)), ::testing::IsEmpty());
  EXPECT_EQ(config.model("")->name, "m");
  EXPECT_EQ(config.model("m")->model_id, "claude-x");
  EXPECT_EQ(config.model("x"), nullptr);
  EXPECT_EQ(config.provider("p")->protocol, &anthropic_protocol());
  EXPECT_TRUE(validate(LlmConfig()).empty());
}

TEST(LlmConfigTest, NamesKeyValueAndWhatIsAllowed) {
  using Change = std::function<void(LlmConfig&)>;
  const std::vector<std::pair<Change, std::string>> rows = {
      {[](auto& c) { c.providers[0].base_url = "api.x.com"; },
       "llm.providers.p.base_url is '***': must be http"},
      {[](auto& c) { c.providers[0].api_version = "2024-01-01"; },
       "llm.providers.p.api_version is '2024-01-01': must be 2026-10-21 or 2023-06-01"},
      {[](auto& c) { c.providers[0].headers["x y"] = Secret("1"); },
       "llm.providers.p.headers is 'x y': must be an HTTP header name"},
      {[](auto& c) { c.providers[0].headers["x"] = Secret("1\r\ny: 2"); },
       "llm.providers.p.headers.x is '***': must not contain control characters"},
      {[](auto& c) { c.providers[0].api_key = Secret("key\n"); },
       "llm.providers.p.api_key is '***': must not contain control characters"},
      {[](auto& c) { c.providers[0].proxy = "socks5://x"; }, "llm.providers.p.proxy"},
      {[](auto& c) { c.providers.push_back(c.providers[0]); }, "names must be unique"},
      {[](auto& c) { c.models[0].provider = "q"; },
       "llm.models.m.provider is 'q': must name one of llm.providers: p"},
      {[](auto& c) { c.models[0].model_id = ""; },
       "llm.models.m.model_id is '': must not be empty"},
      {[](auto& c) { c.models[0].temperature = 0.5; },
       "llm.models.m.temperature is '0.5': API version 2026-10-21 takes no sampling parameters"},
      {[](auto& c) { c.models[0].max_output_tokens = 0; }, "llm.models.m.max_output_tokens is '0'"},
      {[](auto& c) {
         c.models[0].thinking = ThinkingConfig{ThinkingMode::Enabled, 100};
       },
       "llm.models.m.thinking.budget_tokens is '100': must be from 1024 to 8191"},
      {[](auto& c) {
         c.providers[0].protocol = &openai_chat_protocol();
         c.models[0].thinking = ThinkingConfig{};
       },
       "llm.models.m.thinking is 'adaptive'"},
      {[](auto& c) {
         c.providers[0].protocol = &openai_responses_protocol();
         c.models[0].max_output_tokens = 15;
       },
       "llm.models.m.max_output_tokens is '15': must be from 16 to 200000"},
      {[](auto& c) {
         c.providers[0].protocol = &openai_responses_protocol();
         c.models[0].effort = "low";
         c.models[0].temperature = 0.5;
       },
       "llm.models.m.temperature is '0.5': is refused with any effort but none"},
      {[](auto& c) {
         c.providers[0].protocol = &openai_responses_protocol();
         c.models[0].strip_think = true;
       },
       "llm.models.m.strip_think is 'true': is for protocol openai_chat"},
      {[](auto& c) { c.models[0].tool_calling = ToolCalling::Text; },
       "llm.models.m.tool_calling is 'text': is for protocol openai_chat"},
      {[](auto& c) {
         c.providers[0].protocol = &openai_chat_protocol();
         c.models[0].tool_calling = ToolCalling::Text;
         c.models[0].parallel_tool_calls = true;
       },
       "llm.models.m.parallel_tool_calls is 'on or off': means nothing with tool_calling text"},
      {[](auto& c) { c.models[0].strip_think = true; },
       "llm.models.m.strip_think is 'true': is for protocol openai_chat"},
      {[](auto& c) {
         c.models[0].price_changes = {{WallTime{}, {1, 1, {}, {}, ""}}};
       },
       "llm.models.m.prices.changes is 'set': needs the prices before the first change too"},
      {[](auto& c) {
         c.models[0].prices = ModelPrices{};
         c.models[0].price_changes = {{WallTime{Microseconds(2)}, {}},
                                      {WallTime{Microseconds(2)}, {}}};
       },
       "llm.models.m.prices.changes[1].from is '1970-01-01T00:00:00.000002Z': must be later"},
      {[](auto& c) {
         c.models[0].prices = ModelPrices{};
         for (int i = 0; i <= kPriceChangesMax; ++i)
           c.models[0].price_changes.push_back({WallTime{Microseconds(i)}, {}});
       },
       "llm.models.m.prices.changes (how many) is '101': must be from 0 to 100"},
      {[](auto& c) { c.default_model = "x"; },
       "llm.default_model is 'x': must name one of llm.models: m"}};
  for (const auto& [change, message] : rows) {
    LlmConfig config = good_config();
    change(config);
    EXPECT_THAT(texts_of(validate(config)), ::testing::ElementsAre(::testing::HasSubstr(message)));
  }
}

}  // namespace
}  // namespace ba::llm
