// SPDX-License-Identifier: Apache-2.0
// What doctor says of the sandbox of commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/cli/doctor/check.hpp"
#include "worker/tools/command/command_config.hpp"

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

config::Config with_commands(const std::string& bubblewrap) {
  config::Config config;
  config.tools.of<command::CommandConfig>().enabled = true;
  config.tools.of<command::CommandConfig>().bubblewrap = bubblewrap;
  return config;
}

TEST(CheckSandbox, SaysThatACommandRan) {
  const Checks checks = check_data_sources(with_commands(command::CommandConfig().bubblewrap));
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].name, "sandbox of execute_command");
  EXPECT_EQ(checks[0].status, CheckStatus::Pass) << checks[0].message;
  EXPECT_EQ(checks[0].message, "a command ran in it");
}

TEST(CheckSandbox, SaysWhatIsMissingAndWhatToDo) {
  const Checks checks = check_data_sources(with_commands("/no/such/bwrap"));
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, CheckStatus::Fail);
  EXPECT_THAT(checks[0].message, HasSubstr("there is no program /no/such/bwrap"));
  EXPECT_THAT(checks[0].remedy,
              AllOf(HasSubstr("install bubblewrap"), HasSubstr("user.max_user_namespaces")));
}

TEST(CheckSandbox, SaysWhatASandboxThatCanNotBeMadeSaid) {
  const Checks checks = check_data_sources(with_commands("/usr/bin/false"));
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, CheckStatus::Fail);
  EXPECT_THAT(checks[0].message, HasSubstr("The sandbox for commands can't be had"));
}

TEST(CheckSandbox, IsSilentWhereCommandsAreOff) {
  const Checks checks = check_data_sources(config::Config());
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].name, "tools");
  EXPECT_EQ(checks[0].status, CheckStatus::Warn);
}

}  // namespace
}  // namespace ba::cli
