// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_profile.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace ba {
namespace {

TEST(TokenProfile, FamiliesAndTheirMargins) {
  struct Row {
    const char* model;
    const char* family;
    int margin;
  };
  for (const Row& row :
       {Row{"claude-sonnet-5", "claude", 115}, Row{"us.anthropic.Claude-3-Haiku", "claude", 115},
        Row{"gpt-4", "gpt", 100}, Row{"gemini-2.5-pro", "gemini", 120}, Row{"GLM-4.6", "glm", 125},
        Row{"Qwen/Qwen2.5-7B", "qwen", 120}, Row{"meta-llama/Llama-3.1-8B", "llama", 120},
        Row{"mistral-large-latest", "mistral", 120}, Row{"open-mixtral-8x7b", "mistral", 120},
        Row{"deepseek-r1", "deepseek", 120}, Row{"deepseek-r1-distill-llama-70b", "deepseek", 120},
        Row{"magistral-small", "mistral", 120}, Row{"smollm2-135m", "custom", 120},
        Row{"", "custom", 120}}) {
    EXPECT_EQ(TokenProfiles().of(row.model).family, row.family) << row.model;
    EXPECT_EQ(TokenProfiles().of(row.model).margin_millionths, row.margin * 10'000) << row.model;
  }
}

TEST(TokenProfile, Gpt4oAndNewerHaveTheNewerEncoding) {
  for (const char* model :
       {"gpt-4o", "gpt-4o-mini-2024-07-18", "GPT-4.1-nano", "gpt-5.2", "o1", "o3-mini", "o4-mini",
        "openai/o3-mini", "azure/gpt4o", "chatgpt-4o-latest", "gpt-oss-120b"})
    EXPECT_EQ(TokenProfiles().of(model).encoding_name, "o200k_base") << model;
  for (const char* model : {"gpt-4", "gpt-4-turbo", "gpt-3.5-turbo", "gpt-35-turbo",
                            "claude-opus-4", "olmo-2", "orca", "qwen-2.5"})
    EXPECT_EQ(TokenProfiles().of(model).encoding_name, "cl100k_base") << model;
}

TEST(TokenProfile, OlderModelsHaveTheirFamilysMarginAndTheOlderEncoding) {
  struct Row {
    const char* model;
    const char* family;
    int margin_millionths;
  };
  for (const Row& row :
       {Row{"claude-2.1", "claude", 1'150'000}, Row{"gpt-35-turbo-16k", "gpt", 1'000'000},
        Row{"gemini-1.5-pro", "gemini", 1'200'000}, Row{"gemini-1.0-pro", "gemini", 1'200'000},
        Row{"glm-3-turbo", "glm", 1'250'000}, Row{"qwen-1.5-72b-chat", "qwen", 1'200'000},
        Row{"llama-2-70b-chat", "llama", 1'200'000},
        Row{"mistral-7b-instruct", "mistral", 1'200'000},
        Row{"deepseek-v3.1", "deepseek", 1'200'000}}) {
    const TokenProfile profile = TokenProfiles().of(row.model);
    EXPECT_EQ(profile.family, row.family) << row.model;
    EXPECT_EQ(profile.encoding_name, "cl100k_base") << row.model;
    EXPECT_EQ(profile.margin_millionths, row.margin_millionths) << row.model;
    EXPECT_TRUE(TokenProfiles().knows(row.model)) << row.model;
  }
}

/// Those that the design documents name, bare and within a longer name in capitals, and any other
/// of their family.
TEST(TokenProfile, EachPatternOfTheTableIsOfItsFamily) {
  const std::pair<const char*, std::vector<const char*>> kPatterns[] = {
      {"claude", {"claude-3", "claude-2", "claude-next"}},
      {"gpt", {"gpt-4", "gpt-3.5", "gpt-35", "gpt-next"}},
      {"gemini", {"gemini-2", "gemini-1.5", "gemini-1", "gemini-next"}},
      {"glm", {"glm-4", "glm-3", "glm-next"}},
      {"qwen", {"qwen-2.5", "qwen-2", "qwen-1.5", "qwen-next"}},
      {"llama", {"llama-3.1", "llama-3", "llama-2", "llama-next"}},
      {"mistral", {"mistral-large", "mistral-7b", "mixtral", "mistral-next"}},
      {"deepseek", {"deepseek-r1", "deepseek-v3", "deepseek-next"}}};
  for (const auto& [family, patterns] : kPatterns)
    for (const std::string pattern : patterns) {
      EXPECT_EQ(TokenProfiles().of(pattern).family, family) << pattern;
      std::string longer = "VENDOR/" + pattern + "-INSTRUCT";
      for (char& letter : longer) letter = static_cast<char>(std::toupper(letter));
      EXPECT_EQ(TokenProfiles().of(longer).family, family) << longer;
      EXPECT_TRUE(TokenProfiles().knows(pattern)) << pattern;
    }
}

TEST(TokenProfile, TheMarginIsCutToWholeTokens) {
  TokenProfile profile;
  profile.margin_millionths = 1'150'000;
  EXPECT_EQ(with_margin(100, profile), 115);
  EXPECT_EQ(with_margin(7, profile), 8);  // 8.05
  EXPECT_EQ(with_margin(0, profile), 0);
  EXPECT_EQ(with_margin(1'000'000'000'000'000'003, profile), 1'150'000'000'000'000'003);
}

TokenProfile named(const char* name) {
  TokenProfile profile;
  profile.encoding_name = name;
  return profile;
}

TEST(TokenProfile, AnExactNameGoesBeforeAPatternAndTheLongestPatternFirst) {
  TokenProfiles profiles;
  profiles.add("my-*", named("any of mine"));
  profiles.add("my-*-*b", named("large ones"));
  profiles.add("My-Model", named("this one"));
  profiles.add("claude", named("part of a name"));
  const auto encoding = [&](const char* model) { return profiles.of(model).encoding_name; };
  EXPECT_EQ(encoding("my-model"), "this one");
  EXPECT_EQ(encoding("MY-other"), "any of mine");
  EXPECT_EQ(encoding("my-other-7b"), "large ones");
  EXPECT_EQ(encoding("my-other-7c"), "any of mine");
  EXPECT_EQ(encoding("not-my-other"), "cl100k_base");
  EXPECT_EQ(encoding("vendor/my-other"), "any of mine");
  EXPECT_EQ(encoding("//:./mine"), "cl100k_base");
  EXPECT_EQ(encoding("eu.vendor.my-other-7b"), "large ones");
  EXPECT_EQ(encoding("us.anthropic.claude-3"), "part of a name");
  EXPECT_EQ(encoding("gpt-4o"), "o200k_base");
}

TEST(TokenProfile, KnowsWhatItOnlyGuesses) {
  EXPECT_TRUE(TokenProfiles().knows("o3"));
  EXPECT_TRUE(TokenProfiles().knows("qwen-2.5"));
  EXPECT_FALSE(TokenProfiles().knows("smollm2"));
}

}  // namespace
}  // namespace ba
