// SPDX-License-Identifier: Apache-2.0
// Every tool that docs/tools.md names can be made, and the example of docs/development.md is one.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"
#include "tests/worker/tools/example_tool.hpp"
#include "worker/tools/command/command_tools.hpp"
#include "worker/tools/described_tools.hpp"
#include "worker/tools/files/file_tools.hpp"

namespace ba {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(ToolFamilies, EveryToolIsDescribed) {
  const Config usual;
  const DescribedTools described = describe_built_in_tools(usual);
  const BuiltTools& built = described.built;
  EXPECT_THAT(built.registry->names(std::nullopt),
              UnorderedElementsAre("query_database", "database_write", "file_reader", "file_write",
                                   "execute_command", "web_search", "vector_search", "task",
                                   "activate_skill", "deactivate_skill"));
}

TEST(ToolFamilies, OneThatCanNotBeMadeKeepsNoOtherFromBeingDescribed) {
  VirtualExecutor executor;
  ToolsConfig config;
  config.files.roots = {{"data", "/no/such/place", ""}};
  config.settings["file_reader"];
  config.settings["file_raeder"];
  std::vector<ToolMaker> makers = file_tools(config.files, config.file_write);
  for (ToolMaker& maker : command_tools(config.command)) makers.push_back(std::move(maker));
  const BuiltTools built = describe_tools(makers, config.settings, {executor});
  EXPECT_THAT(built.registry->names(std::nullopt),
              UnorderedElementsAre("file_write", "execute_command"));
  ASSERT_TRUE(built.unmade.contains("file_reader"));
  EXPECT_THAT(built.unmade.at("file_reader").message, HasSubstr("/no/such/place"));
  EXPECT_THAT(built.unused_settings, testing::ElementsAre("file_raeder"));
  EXPECT_FALSE(build_tools(makers, config.settings, {executor})) << "nothing runs so";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The headers by which families are made: "worker/tools/sql/sql_tools.hpp".
std::vector<std::string> family_headers() {
  std::vector<std::string> headers;
  for (const auto& family : std::filesystem::directory_iterator("worker/tools")) {
    if (!family.is_directory() || family.path().filename() == "base") continue;
    for (const auto& file : std::filesystem::directory_iterator(family))
      if (file.path().string().ends_with("_tools.hpp")) headers.push_back(file.path().string());
  }
  return headers;
}

TEST(ToolFamilies, ALineInTheListIsTheOnlyPlaceThatNamesAFamily) {
  const std::vector<std::string> headers = family_headers();
  EXPECT_THAT(headers, testing::Contains("worker/tools/task/task_tools.hpp"));
  std::map<std::string, std::vector<std::string>> users;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("worker")) {
    const std::string file = entry.path().string();
    if (!file.ends_with(".cpp") && !file.ends_with(".hpp")) continue;
    const std::string text = text_of(entry.path());
    for (const std::string& header : headers)
      if (text.find("#include \"" + header + "\"") != std::string::npos &&
          file != header.substr(0, header.size() - 3) + "cpp")
        users[header].push_back(file);
  }
  for (const std::string& header : headers)
    EXPECT_THAT(users[header], testing::ElementsAre("worker/tools/families.cpp")) << header;
}

class ExampleTool : public testing::Test {
 protected:
  ToolResult call(const std::string& arguments, const ToolSettingsByName& settings = {}) {
    auto built = build_tools(day_tools(100), settings, {executor_});
    EXPECT_TRUE(built);
    FixedRandom random;
    ToolRuntime runtime(*built->registry, {}, executor_, executor_, random);
    ToolRequest request;
    request.call.name = "count_days";
    request.call.args_json = arguments;
    request.allowed = {"count_days"};
    std::optional<ToolResult> result;
    const auto run = runtime.run(request, [&](ToolResult answer) { result = std::move(answer); });
    EXPECT_TRUE(executor_.run_until([&] { return result.has_value(); }, Milliseconds(5000)));
    return result.value_or(ToolResult{});
  }

  VirtualExecutor executor_;
};

TEST_F(ExampleTool, AnswersACall) {
  const ToolResult result = call(R"({"from":10,"to":31})");
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_THAT(result.observation, HasSubstr("21"));
}

TEST_F(ExampleTool, SaysWhatWouldBeRight) {
  EXPECT_THAT(call(R"({"from":31,"to":10})").observation, HasSubstr("from 0 to 100 days after"));
  EXPECT_THAT(call(R"({"from":0,"to":10})").observation, HasSubstr("from"));
}

TEST_F(ExampleTool, IsNotThereWithoutItsConfiguration) {
  auto built = build_tools(day_tools(0), {}, {executor_});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->find("count_days"), nullptr);
}

TEST_F(ExampleTool, TakesItsSettings) {
  ToolSettingsByName settings;
  settings["count_days"].timeout = Milliseconds(77);
  auto built = build_tools(day_tools(1), settings, {executor_});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->find("count_days")->tool->descriptor().timeout, Milliseconds(77));
}

}  // namespace
}  // namespace ba
