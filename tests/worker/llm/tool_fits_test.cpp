// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_fits.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

#include <gtest/gtest.h>

namespace ba::llm {
namespace {

class Fits : public ::testing::Test {
 protected:
  Fits() {
    provider("openai", &openai_chat_protocol(), "https://api.openai.com");
    provider("anthropic", &anthropic_protocol(), "https://api.anthropic.com");
    provider("google", &openai_chat_protocol(),
             "https://generativelanguage.googleapis.com/v1beta/openai");
  }

  /// Of one model, of the same name.
  void provider(const char* name, const Protocol* protocol, const char* url) {
    ProviderConfig& provider = config_.providers.emplace_back();
    provider.name = name;
    provider.protocol = protocol;
    provider.base_url = url;
    ModelConfig& model = config_.models.emplace_back();
    model.name = name;
    model.provider = name;
  }

  static std::vector<ToolSpec> numbered(int count) {
    std::vector<ToolSpec> tools;
    for (int i = 0; i < count; ++i)
      tools.push_back(
          {"t" + std::to_string(1000 + i), "d", R"({"type":"object","properties":{}})"});
    return tools;
  }

  static std::string names(const std::vector<ToolSpec>& tools) {
    std::string text;
    for (const ToolSpec& tool : tools) text += tool.name + " ";
    return text;
  }

  LlmConfig config_;
  std::vector<LeftOutTool> told_;
};

TEST_F(Fits, GiveEachModelWhatItsProviderTakes) {
  const std::vector<ToolSpec> tools{
      {"find", "Finds.",
       R"({"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]})"}};
  ToolFits fits(config_);
  const ToolOffer offer = fits.offer("openai", tools, {});
  ASSERT_EQ(offer.tools.size(), 1U);
  EXPECT_EQ(offer.tools[0].name, "find");
  EXPECT_EQ(offer.tools[0].description,
            "Finds.\nGive the parameters of exactly one of these: (a), (b).");
  EXPECT_EQ(offer.tools[0].parameters_schema, R"({"type":"object","properties":{"a":{},"b":{}}})");
  EXPECT_EQ(fits.offer("openai", tools, {}), offer) << "the same bytes for each call";
  EXPECT_EQ(fits.offer("no such model", tools, {}).tools, tools);
}

TEST_F(Fits, AreOneListForAllWhoAskWithOneList) {
  ToolFits fits(config_);
  const ToolSpecList tools{
      {"find", "",
       R"({"type":"object","properties":{"a":{}},"oneOf":[{"required":["a"]},{"required":[]}]})"}};
  const ToolOffer rewritten = fits.offer("openai", tools, {});
  EXPECT_FALSE(rewritten.tools == tools);
  EXPECT_TRUE(fits.offer("openai", tools, {}).tools.is(rewritten.tools));
  EXPECT_FALSE(fits.offer("google", tools, {}).tools.is(rewritten.tools));
  const ToolSpecList plain{{"good", "", R"({"type":"object","properties":{}})"}};
  EXPECT_TRUE(fits.offer("openai", plain, {}).tools.is(plain)) << "nothing is rewritten";
}

TEST_F(Fits, AreRightAlsoOfMoreListsThanAreRemembered) {
  ToolFits fits(config_);
  for (int i = 0; i < 300; ++i) {
    const ToolSpecList tools = numbered(1 + i % 128);
    ASSERT_EQ(fits.offer("openai", tools, {}).tools.size(), tools.size());
  }
}

TEST_F(Fits, LeaveOutOneBadToolAndTellOfItOnce) {
  const std::vector<ToolSpec> tools{{"9lives", "", R"({"type":"object"})"},
                                    {"good", "", R"({"type":"object"})"},
                                    {"list", "", R"({"type":"array"})"}};
  ToolFits fits(config_, [this](const LeftOutTool& tool) { told_.push_back(tool); });
  for (int i = 0; i < 3; ++i) {
    const ToolOffer offer = fits.offer("google", tools, {});
    EXPECT_EQ(names(offer.tools), "good ");
    ASSERT_EQ(offer.left_out.size(), 2U);
    EXPECT_EQ(offer.left_out[0].tool, "9lives");
    EXPECT_EQ(offer.left_out[0].reason, LeftOutReason::Name);
    EXPECT_EQ(offer.left_out[1].tool, "list");
    EXPECT_EQ(offer.left_out[1].reason, LeftOutReason::Schema);
    EXPECT_EQ(offer.left_out[1].model, "google");
  }
  EXPECT_EQ(told_.size(), 2U);
  EXPECT_EQ(names(fits.offer("openai", tools, {}).tools), "9lives good ");
  EXPECT_EQ(told_.size(), 3U) << "of another model, that is told too";
}

TEST_F(Fits, KeepThoseThatTheListNamesFirstWhereThereAreTooMany) {
  ToolFits fits(config_, [this](const LeftOutTool& tool) { told_.push_back(tool); });
  const std::vector<ToolSpec> tools = numbered(134);
  const ToolOffer offer = fits.offer("openai", tools, {"t1133", "t1132", "*"});
  ASSERT_EQ(offer.tools.size(), 128U);
  EXPECT_EQ(offer.tools[0].name, "t1000");
  EXPECT_EQ(offer.tools[125].name, "t1125");
  EXPECT_EQ(offer.tools[126].name, "t1132");
  EXPECT_EQ(offer.tools[127].name, "t1133");
  ASSERT_EQ(offer.left_out.size(), 6U);
  EXPECT_EQ(offer.left_out[0].tool, "t1126");
  EXPECT_EQ(offer.left_out[0].reason, LeftOutReason::TooMany);
  EXPECT_EQ(offer.left_out[0].why,
            "OpenAI takes at most 128 tools; the order of the agent's list decides which");
  EXPECT_EQ(told_.size(), 6U);
  EXPECT_TRUE(fits.offer("anthropic", tools, {}).left_out.empty());
  EXPECT_TRUE(fits.offer("openai", numbered(128), {}).left_out.empty());
}

TEST_F(Fits, CountOnlyWhatIsTaken) {
  std::vector<ToolSpec> tools = numbered(128);
  tools.insert(tools.begin(), {"bad", "", R"({"type":"string"})"});
  ToolFits fits(config_);
  const ToolOffer offer = fits.offer("openai", tools, {"bad"});
  EXPECT_EQ(offer.tools.size(), 128U);
  ASSERT_EQ(offer.left_out.size(), 1U);
  EXPECT_EQ(offer.left_out[0].tool, "bad");
}

}  // namespace
}  // namespace ba::llm
