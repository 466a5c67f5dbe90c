// SPDX-License-Identifier: Apache-2.0
// Which row of the table holds for which model, and what names each takes.
#include "worker/llm/tool_rules.hpp"

#include <gtest/gtest.h>

#include "tests/worker/llm/tool_rules_of.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

using test::rules_of;

struct Case {
  const Protocol* protocol;
  const char* base_url;
  LlmQuirks quirks;
  const char* model_id;
  const char* who;
  std::size_t tools_max;
};

const Protocol* const kChat = &openai_chat_protocol();
const Protocol* const kResponses = &openai_responses_protocol();
const Protocol* const kAnthropic = &anthropic_protocol();
constexpr const char* kHere = "http://127.0.0.1:8080/v1";

const Case kCases[] = {
    {kAnthropic, "https://api.anthropic.com", LlmQuirks::None, "claude", "Anthropic", 0},
    {kAnthropic, "https://api.moonshot.ai/anthropic", LlmQuirks::None, "kimi", "Moonshot", 128},
    {kChat, "https://api.moonshot.ai/v1", LlmQuirks::None, "k2", "Moonshot", 128},
    {kChat, "https://api.moonshot.cn/v1", LlmQuirks::None, "k2", "Moonshot", 128},
    {kChat, "https://openrouter.ai/api/v1", LlmQuirks::None, "moonshotai/Kimi-K2", "Moonshot", 128},
    {kResponses, kHere, LlmQuirks::None, "kimi-k2", "Moonshot", 128},
    {kChat, kHere, LlmQuirks::Vllm, "kimi-k2", "vLLM", 0},
    {kChat, "https://api.openai.com", LlmQuirks::None, "gpt-4o", "OpenAI", 128},
    {kResponses, "https://eu.api.openai.com/v1", LlmQuirks::None, "gpt-5", "OpenAI", 128},
    {kResponses, kHere, LlmQuirks::None, "gpt-5", "a server that is not known", 128},
    {kChat, "https://generativelanguage.googleapis.com/v1beta/openai", LlmQuirks::None, "pro",
     "Google's Gemini", 128},
    {kChat, "https://europe-west1-aiplatform.googleapis.com/v1/x/endpoints/openapi",
     LlmQuirks::None, "google/pro", "Google's Gemini", 128},
    {kChat, "https://openrouter.ai/api/v1", LlmQuirks::None, "google/Gemini-2.5-pro",
     "Google's Gemini", 128},
    {kChat, "https://openrouter.ai/api/v1", LlmQuirks::None, "x/y", "a server that is not known",
     128},
    {kChat, "https://api.mistral.ai", LlmQuirks::Mistral, "m", "Mistral", 0},
    {kChat, kHere, LlmQuirks::LlamaCpp, "m", "llama.cpp", 0},
    {kChat, kHere, LlmQuirks::Vllm, "m", "vLLM", 0},
    {kChat, kHere, LlmQuirks::Ollama, "m", "Ollama", 0},
};

TEST(ToolRules, AreThoseOfTheModelsProvider) {
  for (const Case& one : kCases) {
    ProviderConfig provider;
    provider.protocol = one.protocol;
    provider.base_url = one.base_url;
    provider.quirks = one.quirks;
    ModelConfig model;
    model.model_id = one.model_id;
    const ToolRules& rules = tool_rules(provider, model);
    EXPECT_EQ(rules.who, one.who) << one.base_url;
    EXPECT_EQ(rules.tools_max, one.tools_max) << one.base_url;
    EXPECT_EQ(&rules, &tool_rules(provider, model)) << "the same object each time";
  }
}

TEST(ToolRules, AreNoneWhereToolsAreCalledInTheText) {
  ProviderConfig provider;
  provider.protocol = kChat;
  provider.base_url = "https://api.openai.com";
  ModelConfig model;
  model.tool_calling = ToolCalling::Text;
  EXPECT_TRUE(tool_rules(provider, model).as_is);
  EXPECT_EQ(name_fault("any name: at all", tool_rules(provider, model)), "");
}

TEST(ToolRules, SayWhichNamesAreTaken) {
  const std::string longest(64, 'n');
  for (const ToolRules* rules : all_tool_rules()) {
    if (rules->as_is) continue;
    EXPECT_EQ(name_fault("a_B-9", *rules), "") << rules->who;
    EXPECT_EQ(name_fault(longest, *rules), "") << rules->who;
    for (const std::string& name : {std::string(), std::string("a b"), std::string("a.b"),
                                    std::string("ä"), std::string(129, 'n')})
      EXPECT_NE(name_fault(name, *rules), "") << rules->who << ": " << name;
  }
  EXPECT_EQ(name_fault(longest + "n", rules_of("Anthropic")), "");
  EXPECT_NE(name_fault(longest + "n", rules_of("OpenAI")), "");
  EXPECT_EQ(name_fault("9lives", rules_of("OpenAI")), "");
  EXPECT_EQ(name_fault("9lives", rules_of("Google's Gemini")),
            "Google's Gemini takes names of 1 to 64 letters, digits, '_' and '-' that begin with a "
            "letter or '_'");
  EXPECT_NE(name_fault("-lives", rules_of("Google's Gemini")), "");
  EXPECT_EQ(name_fault("_lives", rules_of("Google's Gemini")), "");
}

TEST(ToolRules, KnowNamesOfProperties) {
  for (const char* name : {"a", "a.b-c_9", "9"}) EXPECT_TRUE(is_property_word(name)) << name;
  EXPECT_TRUE(is_property_word(std::string(64, 'p')));
  for (const char* name : {"", "$top", "filter[id]", "a b", "ä"})
    EXPECT_FALSE(is_property_word(name)) << name;
  EXPECT_FALSE(is_property_word(std::string(65, 'p')));
}

}  // namespace
}  // namespace ba::llm
