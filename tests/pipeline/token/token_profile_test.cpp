// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/token_profile.hpp"

#include <gtest/gtest.h>

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
        Row{"deepseek-r1", "deepseek", 120}, Row{"smollm2-135m", "custom", 120},
        Row{"", "custom", 120}}) {
    EXPECT_EQ(token_profile(row.model).family, row.family) << row.model;
    EXPECT_EQ(token_profile(row.model).margin_percent, row.margin) << row.model;
  }
}

TEST(TokenProfile, Gpt4oAndNewerHaveTheNewerEncoding) {
  for (const char* model : {"gpt-4o", "gpt-4o-mini-2024-07-18", "GPT-4.1-nano", "gpt-5.2", "o1",
                            "o3-mini", "o4-mini", "chatgpt-4o-latest", "gpt-oss-120b"})
    EXPECT_EQ(token_profile(model).encoding, TokenEncoding::O200kBase) << model;
  for (const char* model : {"gpt-4", "gpt-4-turbo", "gpt-3.5-turbo", "gpt-35-turbo",
                            "claude-opus-4", "olmo-2", "orca", "qwen-2.5"})
    EXPECT_EQ(token_profile(model).encoding, TokenEncoding::Cl100kBase) << model;
}

TEST(TokenProfile, TheMarginIsCutToWholeTokens) {
  TokenProfile profile;
  profile.margin_percent = 115;
  EXPECT_EQ(with_margin(100, profile), 115);
  EXPECT_EQ(with_margin(7, profile), 8);  // 8.05
  EXPECT_EQ(with_margin(0, profile), 0);
  EXPECT_EQ(with_margin(1'000'000'000'000'000'003, profile), 1'150'000'000'000'000'003);
}

}  // namespace
}  // namespace ba
