// SPDX-License-Identifier: Apache-2.0
// What doctor and mcp list say of tools that models can't be offered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/tools/server_tools.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

namespace ba::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CheckTools : public ::testing::Test {
 protected:
  CheckTools() {
    model("claude", &llm::anthropic_protocol(), "https://api.anthropic.com");
    model("gpt", &llm::openai_chat_protocol(), "https://api.openai.com");
    model("gemini", &llm::openai_chat_protocol(),
          "https://generativelanguage.googleapis.com/v1beta/openai");
    loaded_.config.llm.default_model = "claude";
    loaded_.config.mcp.servers.resize(1);
    server_.name = "s";
    server_.state = "ready";
    loaded_.config.agents["a"].tools = {"*"};
  }

  void model(const char* name, const llm::Protocol* protocol, const char* url) {
    llm::ProviderConfig& provider = loaded_.config.llm.providers.emplace_back();
    provider.name = name;
    provider.protocol = protocol;
    provider.base_url = url;
    llm::ModelConfig& model = loaded_.config.llm.models.emplace_back();
    model.name = name;
    model.provider = name;
    model.model_id = name;
  }

  void served(const std::string& name) {
    mcp::McpToolReport& tool = server_.tools.emplace_back();
    tool.name = tool.exposed = name;
    tool.descriptor.name = name;
    tool.descriptor.parameters_schema = R"({"type":"object","properties":{}})";
  }

  Checks checks() {
    return check_tools(loaded_,
                       [this](const config::LoadedConfig&) { return std::vector{server_}; });
  }

  config::LoadedConfig loaded_;
  mcp::McpServerReport server_;
};

TEST_F(CheckTools, PassWhereAllAreTaken) {
  served("s_one");
  const Checks found = checks();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].name, "tools");
  EXPECT_EQ(found[0].status, CheckStatus::Pass);
  EXPECT_EQ(found[0].message, "the models' providers take all tools of 1 agent");
}

TEST_F(CheckTools, WarnOfThoseThatAreTooManyInTheOrderOfTheList) {
  for (int i = 0; i < 134; ++i) served("s_" + std::to_string(1000 + i));
  EXPECT_EQ(checks().at(0).status, CheckStatus::Pass) << "Anthropic has no such limit";
  loaded_.config.agents["a"].model = "gpt";
  loaded_.config.agents["a"].tools = {"s_1133", "*"};
  const Checks found = checks();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].status, CheckStatus::Warn);
  EXPECT_THAT(found[0].message, HasSubstr("agent a, model gpt: "));
  EXPECT_THAT(found[0].message, HasSubstr("128 tools offered"));
  EXPECT_THAT(found[0].remedy, HasSubstr("agents.a.tools"));
  for (const std::string& finding : found[0].findings)
    EXPECT_EQ(finding.find("s_1133"), std::string::npos) << "it comes first in the list";
  EXPECT_THAT(found[0].findings.back(),
              HasSubstr("OpenAI takes at most 128 tools; the order of the agent's list decides"));
}

TEST_F(CheckTools, WarnOfOneThatItsModelsProviderDoesNotTake) {
  served("7zip");
  loaded_.config.agents["a"].model = "gemini";
  const Checks found = checks();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].findings, ElementsAre(HasSubstr("7zip: Google's Gemini takes names of")));
  loaded_.config.agents["a"].model = "gpt";
  EXPECT_EQ(checks().at(0).status, CheckStatus::Pass);
}

TEST_F(CheckTools, SayNothingWithoutModelsAndPassOverNamesThatNobodyHas) {
  served("s_one");
  loaded_.config.agents["a"].tools = {"s_one", "s_gone", "nothing"};
  EXPECT_EQ(checks().at(0).status, CheckStatus::Pass);
  loaded_.config.llm.models.clear();
  EXPECT_THAT(checks(), IsEmpty());
}

TEST_F(CheckTools, AToolOfAServerIsLeftOutForSomeModelsOnly) {
  ToolDescriptor tool;
  tool.name = "7zip";
  tool.parameters_schema = R"({"type":"object"})";
  const auto left_out = left_out_of(tool, loaded_.config.llm);
  ASSERT_THAT(left_out, SizeIs(1));
  EXPECT_EQ(left_out[0].model, "gemini");
  EXPECT_EQ(left_out[0].reason, LeftOutReason::Name);
  tool.name = "zip7";
  EXPECT_THAT(left_out_of(tool, loaded_.config.llm), IsEmpty());
}

}  // namespace
}  // namespace ba::cli
