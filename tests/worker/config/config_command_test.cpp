// SPDX-License-Identifier: Apache-2.0
// The section tools.execute_command.
#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ConfigOfCommands = ConfigTest;

TEST_F(ConfigOfCommands, IsOffUnlessSwitchedOn) {
  const command::CommandConfig usual = load("").config.tools.of<command::CommandConfig>();
  command::CommandConfig wanted;
  EXPECT_EQ(usual, wanted);
  EXPECT_FALSE(usual.enabled);
  EXPECT_EQ(usual.permission, PermissionLevel::Admin);
}

TEST_F(ConfigOfCommands, ReadsEachKey) {
  const LoadedConfig loaded = load(R"(
tools:
  execute_command: {enabled: true, permission: default, bubblewrap: /opt/bwrap, threads: 3,
    memory_bytes_max: 16777216, processes_max: 2, cpu_seconds_max: 4, disk_bytes_max: 65536,
    files_max: 17, open_files_max: 16, output_bytes_max: 1024, wait_ms_max: 100}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  command::CommandConfig wanted;
  wanted.enabled = true;
  wanted.permission = PermissionLevel::Default;
  wanted.bubblewrap = "/opt/bwrap";
  wanted.threads = 3;
  wanted.memory_bytes_max = 16777216;
  wanted.processes_max = 2;
  wanted.cpu_seconds_max = 4;
  wanted.disk_bytes_max = 65536;
  wanted.files_max = 17;
  wanted.open_files_max = 16;
  wanted.output_bytes_max = 1024;
  wanted.wait_max = Milliseconds(100);
  EXPECT_EQ(loaded.config.tools.of<command::CommandConfig>(), wanted);
}

TEST_F(ConfigOfCommands, TheEnvironmentSetsItToo) {
  const LoadedConfig loaded =
      load("tools: {execute_command: {threads: 3}}\n",
           Environment{{{"BA__TOOLS__EXECUTE_COMMAND__ENABLED", "true"},
                        {"BA__TOOLS__EXECUTE_COMMAND__PROCESSES_MAX", "7"}}});
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_TRUE(loaded.config.tools.of<command::CommandConfig>().enabled);
  EXPECT_EQ(loaded.config.tools.of<command::CommandConfig>().processes_max, 7);
  EXPECT_EQ(loaded.config.tools.of<command::CommandConfig>().threads, 3);
}

TEST_F(ConfigOfCommands, WhatIsOutOfBoundsIsRefusedWhereItStands) {
  for (const char* setting :
       {"threads: 65", "memory_bytes_max: 16777215", "processes_max: 1", "processes_max: 4097",
        "cpu_seconds_max: 3601", "disk_bytes_max: 65535", "open_files_max: 15", "files_max: 15",
        "wait_ms_max: 99", "output_bytes_max: 67108865", "bubblewrap: bwrap", "permission: root",
        "enabled: maybe", "memory_max: 5"}) {
    const auto wrong = errors("tools:\n  execute_command:\n    " + std::string(setting) + "\n");
    ASSERT_EQ(wrong.size(), 1U) << setting;
    EXPECT_THAT(wrong[0], HasSubstr("c.yaml:3: ")) << setting;
  }
  EXPECT_THAT(errors("tools:\n  execute_command:\n    bubblewrap: bwrap\n"),
              ElementsAre("c.yaml:3: tools.execute_command.bubblewrap: 'bwrap' is not an absolute "
                          "path"));
  EXPECT_THAT(errors("tools:\n  settings:\n    execute_command: {cache_policy: ttl_short}\n"),
              ElementsAre(HasSubstr("results of this tool are never kept")));
}

}  // namespace
}  // namespace ba::config
