// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tool_catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

McpServerReport server_with(const std::string& name, const std::string& tool) {
  McpServerReport server;
  server.name = name;
  server.state = "ready";
  McpToolReport& listed = server.tools.emplace_back();
  listed.exposed = listed.descriptor.name = tool;
  listed.descriptor.description = "Of a server.";
  listed.descriptor.parameters_schema = R"({"type":"object"})";
  server.tools.emplace_back().name = "not offered";
  return server;
}

TEST(ToolCatalogue, HasWhatAServerOffersBesideTheBuiltInTools) {
  auto catalogue = ToolCatalogue::make(Config());
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
  Config config;
  McpServerConfig& server = config.mcp.servers.emplace_back();
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

/// As in a worker, which has no built-in tool that isn't configured.
TEST(ToolCatalogue, AServersToolTakesTheNameOfABuiltInOneThatIsNotConfigured) {
  auto catalogue = ToolCatalogue::make(Config());
  ASSERT_TRUE(catalogue);
  ASSERT_FALSE(catalogue->configured("web_search"));
  ASSERT_TRUE(catalogue->add(server_with("web", "web_search")));
  EXPECT_TRUE(catalogue->configured("web_search"));
  EXPECT_EQ(catalogue->lacks("web_search"), std::nullopt);
  EXPECT_EQ(catalogue->server_of("web_search"), "web");
  EXPECT_EQ(catalogue->find("web_search")->spec.description, "Of a server.");
}

}  // namespace
}  // namespace ba
