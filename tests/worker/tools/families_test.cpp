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
#include "worker/settings/yaml_reader.hpp"
#include "worker/tools/command/command_tools.hpp"
#include "worker/tools/described_tools.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/files/file_tools.hpp"
#include "worker/tools/files/files_config.hpp"

namespace ba::tools {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(ToolFamilies, EveryToolIsDescribed) {
  const config::Config usual;
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
  config.of<files::FilesConfig>().roots = {{"data", "/no/such/place", ""}};
  config.settings["file_reader"];
  config.settings["file_raeder"];
  std::vector<ToolMaker> makers = files::file_tools().makers(config, {});
  for (ToolMaker& maker : command::command_tools().makers(config, {}))
    makers.push_back(std::move(maker));
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

/// Each source below a folder, with its text.
std::map<std::string, std::string> sources_of(const std::string& folder) {
  std::map<std::string, std::string> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (file.ends_with(".cpp") || file.ends_with(".hpp")) sources[file] = text_of(entry.path());
  }
  return sources;
}

/// The headers of families, by how they end: "_tools.hpp" has "worker/tools/sql/sql_tools.hpp".
std::vector<std::string> family_headers(const std::string& end) {
  std::vector<std::string> headers;
  for (const auto& family : std::filesystem::directory_iterator("worker/tools")) {
    const std::string name = family.path().filename().string();
    if (!family.is_directory() || name == "base" || name == "http_service") continue;
    for (const auto& [file, text] : sources_of(family.path().string()))
      if (file.ends_with(end) && file.ends_with(".hpp")) headers.push_back(file);
  }
  return headers;
}

bool includes(const std::string& text, const std::string& header) {
  return text.find("#include \"" + header + "\"") != std::string::npos;
}

TEST(ToolFamilies, ALineInTheListIsTheOnlyPlaceThatNamesAFamily) {
  const std::vector<std::string> headers = family_headers("_tools.hpp");
  EXPECT_THAT(headers, testing::Contains("worker/tools/task/task_tools.hpp"));
  const auto sources = sources_of("worker");
  for (const std::string& header : headers) {
    std::vector<std::string> users;
    for (const auto& [file, text] : sources)
      if (includes(text, header) && file != header.substr(0, header.size() - 3) + "cpp")
        users.push_back(file);
    EXPECT_THAT(users, testing::ElementsAre("worker/tools/families.cpp")) << header;
  }
}

TEST(ToolFamilies, TheConfigurationKnowsNoneOfThem) {
  const std::vector<std::string> headers = family_headers(".hpp");
  const config::Config config;
  const auto tools = describe_built_in_tools(config).built.registry->names(std::nullopt);
  for (const auto& [file, text] : sources_of("worker/config")) {
    for (const std::string& header : headers)
      EXPECT_FALSE(includes(text, header)) << file << ": " << header;
    for (const std::string& tool : tools)
      EXPECT_THAT(text, testing::Not(HasSubstr("\"" + tool))) << file;
  }
}

TEST(ToolFamilies, TheWorkerKnowsNoSettingsOfTheirs) {
  std::vector<std::string> headers = family_headers("_config.hpp");
  EXPECT_THAT(headers, testing::Contains("worker/tools/skills/skills_config.hpp"));
  for (const auto& [file, text] : sources_of("worker/runtime")) {
    EXPECT_THAT(text, testing::Not(HasSubstr("tools.of<"))) << file;
    for (const std::string& header : headers)
      EXPECT_FALSE(includes(text, header)) << file << ": " << header;
  }
}

TEST(ToolFamilies, SettingsAreOfTheirConfigurationAlone) {
  ToolsConfig one;
  one.of<files::FilesConfig>().threads = 7;
  ToolsConfig other = one;
  EXPECT_EQ(other, one);
  other.of<files::FilesConfig>().threads = 8;
  EXPECT_EQ(one.of<files::FilesConfig>().threads, 7);
  EXPECT_NE(other, one);
  const ToolsConfig& seen = other;
  EXPECT_EQ(seen.of<files::FileWriteConfig>(), files::FileWriteConfig());
}

class ExampleTool : public testing::Test {
 protected:
  static std::vector<ToolMaker> makers(int days_max) {
    ToolsConfig config;
    config.of<DaysConfig>().days_max = days_max;
    return day_tools().makers(config, {});
  }

  ToolResult call(const std::string& arguments, const ToolSettingsByName& settings = {}) {
    auto built = build_tools(makers(100), settings, {executor_});
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

TEST_F(ExampleTool, ReadsItsSettings) {
  const auto tree = settings::read_yaml("count_days: {days_max: 12}", "c.yaml").value();
  ToolsConfig config;
  settings::Findings findings;
  settings::SectionReader tools(&tree, {"tools"}, findings);
  day_tools().read(tools, config);
  tools.finish();
  EXPECT_THAT(findings.errors(), testing::IsEmpty());
  EXPECT_EQ(config.of<DaysConfig>().days_max, 12);
  const auto wrong = settings::read_yaml("count_days: {days_max: 366}", "c.yaml").value();
  settings::SectionReader refused(&wrong, {"tools"}, findings);
  day_tools().read(refused, config);
  EXPECT_THAT(findings.errors(), testing::ElementsAre(HasSubstr("tools.count_days.days_max: ")));
}

TEST_F(ExampleTool, IsNotThereWithoutItsConfiguration) {
  auto built = build_tools(makers(0), {}, {executor_});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->find("count_days"), nullptr);
}

TEST_F(ExampleTool, TakesItsSettings) {
  ToolSettingsByName settings;
  settings["count_days"].timeout = Milliseconds(77);
  auto built = build_tools(makers(1), settings, {executor_});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->find("count_days")->tool->descriptor().timeout, Milliseconds(77));
}

}  // namespace
}  // namespace ba::tools
