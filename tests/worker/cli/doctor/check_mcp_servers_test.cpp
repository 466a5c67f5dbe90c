// SPDX-License-Identifier: Apache-2.0
// What doctor says of servers of tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/cli/doctor/check.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

mcp::McpServerReport ready(const std::string& name) {
  mcp::McpServerReport server;
  server.name = name;
  server.state = "ready";
  server.revision = "2026-07-28";
  server.tools.resize(2);  // one isn't offered
  server.tools[0].exposed = name + "_read";
  return server;
}

config::LoadedConfig with_servers() {
  config::LoadedConfig loaded;
  loaded.config.mcp.servers.resize(1);
  loaded.config.mcp.servers.front().name = "files";
  return loaded;
}

TEST(CheckMcpServers, AskNothingWhereThereAreNone) {
  const auto never = [](const config::LoadedConfig&) -> std::vector<mcp::McpServerReport> {
    ADD_FAILURE();
    return {};
  };
  const config::LoadedConfig loaded;
  EXPECT_THAT(check_mcp_servers(loaded, never), IsEmpty());
}

TEST(CheckMcpServers, SayWhichWantedToolIsNotOffered) {
  config::LoadedConfig loaded = with_servers();
  loaded.config.agents["files"].tools = {"files_read", "files_raed", "file_reader", "files_x"};
  const Checks checks = check_mcp_servers(
      loaded, [](const config::LoadedConfig&) { return std::vector{ready("files")}; });
  ASSERT_THAT(checks, SizeIs(2));
  EXPECT_EQ(checks[0].status, CheckStatus::Pass);
  EXPECT_EQ(checks[1].status, CheckStatus::Fail);
  EXPECT_EQ(checks[0].name, "mcp server files");
  EXPECT_EQ(checks[1].name, "mcp server files, tools of agent files");
  EXPECT_EQ(checks[1].message,
            "agents.files.tools names 'files_raed', 'files_x', which it doesn't offer");
}

TEST(CheckMcpServers, LeaveOutOneThatIsWrongWhereverItIsWritten) {
  const auto list = [](const config::LoadedConfig&) { return std::vector{ready("files")}; };
  for (const std::string section : {"mcp.servers", "mcpServers"})
    for (const std::string& key : {section + ".files", section + ".files.comand"}) {
      config::LoadedConfig loaded = with_servers();
      loaded.config.mcp.servers.front().section = section;
      loaded.findings.error({}, key, SettingProblem::Kind::Other, "it is wrong");
      EXPECT_THAT(check_mcp_servers(loaded, list), IsEmpty()) << key;
    }
  config::LoadedConfig other = with_servers();
  other.findings.error({}, "mcp.servers.files-2", SettingProblem::Kind::Other, "it is wrong");
  EXPECT_THAT(check_mcp_servers(other, list), SizeIs(1));
}

TEST(CheckMcpServers, SayWhereTheServerIsWrittenThatIsDown) {
  config::LoadedConfig loaded = with_servers();
  loaded.config.mcp.servers.front().section = "mcpServers";
  const Checks checks = check_mcp_servers(loaded, [](const config::LoadedConfig&) {
    std::vector<mcp::McpServerReport> down{ready("files")};
    down.front().state = "down";
    return down;
  });
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].remedy, "start it, or correct mcpServers.files");
}

TEST(CheckMcpServers, SayOfEachWhatItOffersOrWhyItIsDown) {
  const auto list = [](const config::LoadedConfig&) {
    mcp::McpServerReport down;
    down.name = "gone";
    down.state = "down";
    down.failure = "no such program";
    mcp::McpServerReport off;
    off.state = "disabled";
    mcp::McpServerReport odd = ready("odd");
    odd.warnings = {"tool 'x' is listed twice; the first counts"};
    return std::vector{ready("files"), down, off, odd};
  };
  const Checks checks = check_mcp_servers(with_servers(), list);
  ASSERT_THAT(checks, SizeIs(3));
  EXPECT_EQ(checks[0].name, "mcp server files");
  EXPECT_EQ(checks[0].status, CheckStatus::Pass);
  EXPECT_EQ(checks[0].message, "revision 2026-07-28, 1 tool is offered");
  EXPECT_EQ(checks[1].status, CheckStatus::Fail);
  EXPECT_EQ(checks[1].message, "no such program");
  EXPECT_EQ(checks[1].remedy, "start it, or correct mcp.servers.gone");
  EXPECT_EQ(checks[2].status, CheckStatus::Warn);
  EXPECT_THAT(checks[2].message, HasSubstr("listed twice"));
}

}  // namespace
}  // namespace ba::cli
