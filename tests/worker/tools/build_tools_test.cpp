// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_maker.hpp"

#include <gtest/gtest.h>

#include "pipeline/core/tool/data_sources.hpp"
#include "tests/support/built_tools.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/problem_texts.hpp"
#include "tests/support/temporary_directory.hpp"
#include "worker/tools/sql/data_source_check.hpp"

namespace ba::tools {
namespace {

class BuildTools : public testing::Test {
 protected:
  BuildTools() {
    sql::DataSourceConfig source;
    source.name = "sales";
    source.url = "postgresql://reader:secret@127.0.0.1:1/sales";
    source.tables = "orders(id integer)";
    source.connect_timeout = Milliseconds(2000);
    config.of<sql::SqlConfig>().data_sources = {source};
    config.of<files::FilesConfig>().roots = {{"data", directory.path().string(), ""}};
  }

  LoopExecutor executor;
  TemporaryDirectory directory;
  ToolsConfig config;
};

TEST_F(BuildTools, HasNoToolWithoutConfiguration) {
  EXPECT_TRUE(build_tools(ToolsConfig(), executor).value().registry->names(std::nullopt).empty());
}

TEST_F(BuildTools, StartsWithoutADataSourceThatIsDown) {
  const auto built = build_tools(config, executor);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->names(std::nullopt),
            (std::vector<std::string>{"file_reader", "query_database"}));
  ASSERT_EQ(built->warnings.size(), 1u);
  EXPECT_TRUE(built->warnings[0].starts_with("The data source 'sales' can't be reached"));
  const ToolDescriptor& query = built->registry->find("query_database")->tool->descriptor();
  EXPECT_NE(description_for(query, std::nullopt).find("orders(id integer)"), std::string::npos);
  EXPECT_EQ(query.effect, EffectClass::Pure);
}

TEST_F(BuildTools, RunsCommandsOnlyWhereThatIsSwitchedOn) {
  ToolsConfig commands;
  EXPECT_EQ(build_tools(commands, executor)->registry->find("execute_command"), nullptr);
  commands.of<command::CommandConfig>().enabled = true;
  const auto built = build_tools(commands, executor);
  ASSERT_TRUE(built);
  EXPECT_NE(built->registry->find("execute_command"), nullptr);
  EXPECT_EQ(built->warnings, std::vector<std::string>{});
  commands.settings["execute_command"].enabled = false;
  EXPECT_EQ(build_tools(commands, executor)->registry->find("execute_command"), nullptr);
}

TEST_F(BuildTools, StartsWithoutASandboxAndSaysSo) {
  ToolsConfig commands;
  commands.of<command::CommandConfig>().enabled = true;
  commands.of<command::CommandConfig>().bubblewrap = "/no/such/bwrap";
  const auto built = build_tools(commands, executor);
  ASSERT_TRUE(built);
  EXPECT_NE(built->registry->find("execute_command"), nullptr);
  ASSERT_EQ(built->warnings.size(), 1u);
  EXPECT_NE(built->warnings[0].find("there is no program /no/such/bwrap"), std::string::npos);
  EXPECT_TRUE(built->warnings[0].ends_with("until then, execute_command refuses"));
}

TEST_F(BuildTools, WhatToolsReadIsKeptForFiveMinutesUnlessSettingsSayOtherwise) {
  for (const auto& [wanted, set] :
       {std::pair(CachePolicy::TtlShort, std::optional<CachePolicy>()),
        std::pair(CachePolicy::TtlLong, std::optional(CachePolicy::TtlLong))})
    for (const char* name : {"query_database", "file_reader"}) {
      config.settings[name].cache_policy = set;
      const auto built = build_tools(config, executor);
      ASSERT_TRUE(built);
      const ToolDescriptor& tool = built->registry->find(name)->tool->descriptor();
      EXPECT_TRUE(tool.may_be_cached) << name;
      EXPECT_EQ(tool.cache_policy, wanted) << name;
    }
}

TEST_F(BuildTools, AppliesSettings) {
  config.settings["query_database"].enabled = false;
  config.settings["file_reader"].default_level = OutputLevel::Full;
  config.settings["file_reader"].encoding = DataEncoding::Xml;
  config.settings["file_reader"].timeout = Milliseconds(7);
  config.settings["file_raeder"] = {};
  const auto built = build_tools(config, executor);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->registry->find("query_database"), nullptr);
  const ToolDescriptor& reader = built->registry->find("file_reader")->tool->descriptor();
  EXPECT_EQ(reader.default_level, OutputLevel::Full);
  EXPECT_EQ(reader.encoding, DataEncoding::Xml);
  EXPECT_EQ(reader.timeout, Milliseconds(7));
  EXPECT_EQ(built->unused_settings, std::vector<std::string>{"file_raeder"});
}

TEST_F(BuildTools, ReadersAreReadWholeUnlessSaidOtherwise) {
  const auto built = build_tools(config, executor);
  ASSERT_TRUE(built);
  for (const char* name : {"query_database", "file_reader"}) {
    const ToolDescriptor& tool = built->registry->find(name)->tool->descriptor();
    EXPECT_TRUE(tool.reader) << name;
    EXPECT_EQ(tool.default_level, std::nullopt) << name;
  }
}

TEST_F(BuildTools, DefaultsTheDataSourceWhenThereIsOne) {
  const auto one = build_tools(config, executor);
  const SchemaCheck& schema = one->registry->find("query_database")->schema;
  EXPECT_EQ(schema.check(R"({"sql":"SELECT 1"})", 1000).value().parameters,
            R"({"sql":"SELECT 1","data_source":"sales"})");
  config.of<sql::SqlConfig>().data_sources.push_back(config.of<sql::SqlConfig>().data_sources[0]);
  config.of<sql::SqlConfig>().data_sources[1].name = "stock";
  const auto two = build_tools(config, executor);
  EXPECT_EQ(two->registry->find("query_database")
                ->schema.check(R"({"sql":"SELECT 1"})", 1000)
                .error()
                .message,
            "data_source: this required parameter is missing; expected one of \"sales\", "
            "\"stock\"");
}

TEST_F(BuildTools, RefusesARootThatIsNotThere) {
  config.of<sql::SqlConfig>().data_sources.clear();
  config.of<files::FilesConfig>().roots[0].path = "/no/such/directory";
  EXPECT_EQ(build_tools(config, executor).error().code, ErrorCode::InvalidArgument);
}

TEST_F(BuildTools, RefusesAUrlThatIsNoneWithoutShowingIt) {
  config.of<sql::SqlConfig>().data_sources[0].url =
      "postgres://reader:secret@host:port/x?nonsense=1";
  const auto built = build_tools(config, executor);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(built.error().message.find("secret"), std::string::npos);
}

TEST(DataSourceWarnings, NameWhatIsNotAsItShouldBe) {
  sql::DataSourceConfig source;
  source.name = "sales";
  sql::DataSourceFacts facts;
  facts.server_major = 15;
  EXPECT_TRUE(sql::warnings_about(source, facts).empty());
  facts.server_major = 18;
  EXPECT_TRUE(sql::warnings_about(source, facts).empty()) << "a newer server is nobody's fault";
  facts.excess_rights = {"may create temporary tables"};
  EXPECT_EQ(sql::warnings_about(source, facts),
            (std::vector<std::string>{
                "data source 'sales': the login role may create temporary tables"}));
  facts.superuser = true;
  EXPECT_TRUE(sql::warnings_about(source, facts)[0].starts_with(
      "data source 'sales': the login role is a superuser"));
}

TEST(ToolsConfigValidation, WantsToKnowWhatMayBeWritten) {
  ToolsConfig config;
  config.of<sql::SqlConfig>().write_sources.resize(2);
  config.of<sql::SqlConfig>().write_sources[0].name = "shop";
  config.of<sql::SqlConfig>().write_sources[0].url = "x";
  config.of<sql::SqlConfig>().write_sources[0].rules.tables = {"orders", "sales.notes"};
  config.of<sql::SqlConfig>().write_sources[1] = config.of<sql::SqlConfig>().write_sources[0];
  config.of<sql::SqlConfig>().write_sources[1].name = "other";
  EXPECT_TRUE(validate(config).empty());
  config.of<sql::SqlConfig>().write_sources[0].rules.tables = {"a.b.c", "public.ba_effects", "."};
  config.of<sql::SqlConfig>().write_sources[1].rules.tables.clear();
  config.of<sql::SqlConfig>().write_sources[1].rules.statements.clear();
  const std::string first = "tools.database_write.data_sources[0]";
  const std::string second = "tools.database_write.data_sources[1]";
  const std::string table =
      " is not a table's name, or its schema, a dot and its name; nor the table of keys";
  EXPECT_EQ(texts_of(validate(config)),
            (std::vector<std::string>{
                first + ".tables: 'a.b.c'" + table, first + ".tables: 'public.ba_effects'" + table,
                first + ".tables: '.'" + table,
                second + ".tables is missing: must be a list of the tables that may be written",
                second + ".statements is missing: must be a list of insert, update, delete"}));
}

TEST(ToolsConfigValidation, ANameHasALength) {
  ToolsConfig config;
  config.of<sql::SqlConfig>().data_sources.resize(1);
  config.of<sql::SqlConfig>().data_sources[0].url = "postgresql://reader@host/sales";
  config.of<sql::SqlConfig>().data_sources[0].name = std::string(63, 's');
  EXPECT_TRUE(validate(config).empty());
  config.of<sql::SqlConfig>().data_sources[0].name += 's';
  EXPECT_EQ(validate(config).size(), 1u);
}

TEST(ToolsConfigValidation, ASandboxIsNamedByAnAbsolutePath) {
  ToolsConfig config;
  config.of<command::CommandConfig>().bubblewrap = "bwrap";
  EXPECT_EQ(texts_of(validate(config)),
            std::vector<std::string>{
                "tools.execute_command.bubblewrap: 'bwrap' is not an absolute path"});
}

TEST(ToolsConfigValidation, TheResultOfACommandIsNeverKept) {
  ToolsConfig config;
  config.settings["execute_command"].cache_policy = CachePolicy::TtlShort;
  EXPECT_EQ(texts_of(validate(config)),
            (std::vector<std::string>{"tools.settings.execute_command.cache_policy: ttl_short is "
                                      "not no_cache: results of this tool are never kept"}));
}

TEST(ToolsConfigValidation, NamesKeyValueAndWhatIsAllowed) {
  EXPECT_TRUE(validate(ToolsConfig{}).empty());
  ToolsConfig config;
  config.of<sql::SqlConfig>().data_sources.resize(2);
  config.of<sql::SqlConfig>().data_sources[0].name = "Sales!";
  config.of<sql::SqlConfig>().data_sources[0].url = "x";
  config.of<sql::SqlConfig>().data_sources[1].name = "a";
  config.of<files::FilesConfig>().roots = {{"a", "relative", ""}, {"a", "/b", ""}};
  EXPECT_EQ(texts_of(validate(config)),
            (std::vector<std::string>{
                "tools.data_sources[0].name: 'Sales!' is not a lower-case letter followed by up to "
                "62 lower-case letters, digits or underscores",
                "tools.data_sources[1].url is missing: must be a PostgreSQL URL",
                "tools.files.roots[0].path: 'relative' is not an absolute path",
                "tools.files.roots[1].name: 'a' is not used once only"}));
}

}  // namespace
}  // namespace ba::tools
