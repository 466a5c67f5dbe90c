// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/tool_catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

mcp::McpServerReport server_with(const std::string& name, const std::string& tool) {
  mcp::McpServerReport server;
  server.name = name;
  server.state = "ready";
  mcp::McpToolReport& listed = server.tools.emplace_back();
  listed.exposed = listed.descriptor.name = tool;
  listed.descriptor.description = "Of a server.";
  listed.descriptor.parameters_schema = R"({"type":"object"})";
  server.tools.emplace_back().name = "not offered";
  return server;
}

TEST(ToolCatalogue, HasWhatAServerOffersBesideTheBuiltInTools) {
  auto catalogue = ToolCatalogue::make(config::Config());
  ASSERT_TRUE(catalogue);
  ASSERT_TRUE(catalogue->add(server_with("crm", "crm_find")));
  EXPECT_THAT(catalogue->tools().names(std::nullopt), Contains("crm_find"));
  EXPECT_THAT(catalogue->tools().names(std::nullopt), Contains("query_database"));
  EXPECT_EQ(catalogue->server_of("crm_find"), "crm");
  EXPECT_EQ(catalogue->server_of("query_database"), "");
  EXPECT_TRUE(catalogue->configured("crm_find"));
  EXPECT_EQ(catalogue->find("crm_find")->spec.description, "Of a server.");
}

TEST(ToolCatalogue, AServerThatIsMistypedIsNamedWithTheNearestOne) {
  config::Config config;
  mcp::McpServerConfig& server = config.mcp.servers.emplace_back();
  server.name = "sales_desk";
  const auto told = [&](const char* name) {
    return no_such_tool(*ToolCatalogue::make(config), config, name).message;
  };
  EXPECT_THAT(told("sales_dsk_find_order"), HasSubstr("did you mean 'sales_desk_find_order'?"));
  EXPECT_THAT(told("query_databse"), HasSubstr("did you mean 'query_database'?"));
  EXPECT_THAT(told("weather_now"), Not(HasSubstr("did you mean")));
  server.enabled = false;
  EXPECT_THAT(told("sales_dsk_find_order"), Not(HasSubstr("did you mean")));
}

/// What is said where the tool is called, and where an agent has it.
std::pair<std::string, std::string> said_of(const std::string& tool, const char* server,
                                            bool enabled) {
  config::LoadedConfig loaded;
  mcp::McpServerConfig& configured = loaded.config.mcp.servers.emplace_back();
  configured.name = server;
  configured.enabled = enabled;
  loaded.config.agents["a"].tools = {tool};
  check_tool_names(loaded);
  EXPECT_THAT(loaded.findings.errors(), ElementsAre(HasSubstr("agents.a.tools: there is no tool")));
  return {no_such_tool(*ToolCatalogue::make(loaded.config), loaded.config, tool).message,
          loaded.findings.problems.empty() ? "" : loaded.findings.errors().front()};
}

TEST(ToolCatalogue, TheNearestServerIsTheSameWhereverTheToolIsNamed) {
  const auto [called, listed] = said_of("sales_desk_find", "sales-desk", true);
  EXPECT_THAT(called, HasSubstr("did you mean 'sales-desk_find'?"));
  EXPECT_THAT(listed, HasSubstr("did you mean \"sales-desk_find\"?"));
  const auto [called_of_none, listed_of_none] = said_of("dosc_find", "docs", false);
  EXPECT_THAT(called_of_none, Not(HasSubstr("did you mean")));
  EXPECT_THAT(listed_of_none, Not(HasSubstr("did you mean")));
}

TEST(ToolCatalogue, OfAVeryLongNameInTheConfigurationTheBeginningIsRepeated) {
  const std::string tool = "dosc_" + std::string(6'000, 'f');
  const std::string listed = said_of(tool, "docs", true).second;
  EXPECT_THAT(listed, AllOf(HasSubstr("no tool \"dosc_fff"), HasSubstr("fff…\" (6005 bytes)"),
                            HasSubstr("did you mean \"docs_fff")));
  EXPECT_LT(listed.size(), 1'000U);
}

/// As in a worker, which has no built-in tool that isn't configured.
TEST(ToolCatalogue, AServersToolTakesTheNameOfABuiltInOneThatIsNotConfigured) {
  auto catalogue = ToolCatalogue::make(config::Config());
  ASSERT_TRUE(catalogue);
  ASSERT_FALSE(catalogue->configured("web_search"));
  ASSERT_TRUE(catalogue->add(server_with("web", "web_search")));
  EXPECT_TRUE(catalogue->configured("web_search"));
  EXPECT_EQ(catalogue->lacks("web_search"), std::nullopt);
  EXPECT_EQ(catalogue->server_of("web_search"), "web");
  EXPECT_EQ(catalogue->find("web_search")->spec.description, "Of a server.");
}

}  // namespace
}  // namespace ba::cli
