// SPDX-License-Identifier: Apache-2.0
// The tools that read, called by somebody who has less than the permission they need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/built_tools.hpp"
#include "tests/support/called_as.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

class ToolsOfALowerCaller : public testing::Test {
 protected:
  ToolsOfALowerCaller() {
    directory_.write("secret.txt", "canary");
    ToolsConfig config;
    config.of<files::FilesConfig>().roots = {{"data", directory_.path().string(), ""}};
    sql::DataSourceConfig& source = config.of<sql::SqlConfig>().data_sources.emplace_back();
    source.name = "sales";
    source.url = "postgresql://reader@127.0.0.1:1/sales";
    source.tables = "orders(id integer)";
    built_ = std::move(build_tools(config, executor_).value());
  }

  ToolResult call(const std::string& tool, const std::string& args, PermissionLevel permission) {
    return called_as(permission, *built_.registry, tool, args, executor_);
  }

  LoopExecutor executor_;
  TemporaryDirectory directory_;
  BuiltTools built_;
};

TEST_F(ToolsOfALowerCaller, QueryDatabaseConnectsToNobody) {
  const std::string args = R"({"sql":"SELECT 1"})";
  const ToolResult refused = call("query_database", args, PermissionLevel::Restricted);
  EXPECT_EQ(refused.error.value_or(ToolError{}).code, "PERMISSION_DENIED") << refused.observation;
  EXPECT_EQ(refused.telemetry.attempts, 0);
  const ToolResult tried = call("query_database", args, PermissionLevel::Default);
  EXPECT_EQ(tried.error.value_or(ToolError{}).type, ToolErrorType::TransientError)
      << "there is no server: " << tried.observation;
}

TEST_F(ToolsOfALowerCaller, FileReaderGivesNoFile) {
  const std::string args = R"({"path":"secret.txt"})";
  const ToolResult refused = call("file_reader", args, PermissionLevel::Restricted);
  EXPECT_EQ(refused.error.value_or(ToolError{}).code, "PERMISSION_DENIED");
  EXPECT_THAT(refused.observation, Not(HasSubstr("canary")));
  EXPECT_EQ(refused.telemetry.attempts, 0);
  EXPECT_THAT(call("file_reader", args, PermissionLevel::Default).observation, HasSubstr("canary"));
}

}  // namespace
}  // namespace ba::tools
