// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/virtual_executor.hpp"
#include "worker/config/time_zones.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Settings, EachLogLineNamesServiceAndEnvironment) {
  config::Config config;
  EXPECT_THAT(log_settings_of(config).tags,
              ElementsAre(Pair("environment", "production"), Pair("service", "ba-agent")));
  config.observability.service_name.clear();
  config.observability.environment.clear();
  EXPECT_THAT(log_settings_of(config).tags, IsEmpty());
}

TEST(Settings, ATagOfTheSameNameWins) {
  config::Config config;
  config.observability.extra_tags = {{"service", "mine"}, {"team", "a"}};
  EXPECT_THAT(
      log_settings_of(config).tags,
      ElementsAre(Pair("environment", "production"), Pair("service", "mine"), Pair("team", "a")));
}

TEST(Settings, TheLogIsWrittenAsConfigured) {
  config::Config config;
  const observe::LogSettings defaults = log_settings_of(config);
  EXPECT_EQ(defaults.level, LogLevel::Info);
  EXPECT_TRUE(defaults.json);
  EXPECT_FALSE(defaults.to_stdout);
  EXPECT_TRUE(defaults.to_stderr);
  EXPECT_EQ(defaults.file, "");
  config.observability.log_level = LogLevel::Error;
  config.observability.log_format = config::LogFormat::Text;
  config.observability.log_output = {"stdout", "file"};
  config.observability.log_file = "/var/log/w.log";
  const observe::LogSettings log = log_settings_of(config);
  EXPECT_EQ(log.level, LogLevel::Error);
  EXPECT_FALSE(log.json);
  EXPECT_TRUE(log.to_stdout);
  EXPECT_FALSE(log.to_stderr);
  EXPECT_EQ(log.file, "/var/log/w.log");
}

TEST(Settings, WithoutLoggingNothingIsWrittenAnywhere) {
  config::Config config;
  config.observability.enable_logging = false;
  config.observability.log_output = {"stdout", "stderr", "file"};
  config.observability.log_file = "/var/log/w.log";
  const observe::LogSettings log = log_settings_of(config);
  EXPECT_FALSE(log.to_stdout);
  EXPECT_FALSE(log.to_stderr);
  EXPECT_EQ(log.file, "");
}

TEST(Settings, AFileThatNoOutputNamesIsNotWritten) {
  config::Config config;
  config.observability.log_file = "/var/log/w.log";
  EXPECT_EQ(log_settings_of(config).file, "");
}

TEST(Settings, TracesAreSentAsConfigured) {
  config::Config config;
  config.observability.otlp_endpoint = "http://collector:4318";
  config.observability.otlp_headers = {{"x-tenant", "a"}};
  config.observability.otlp_compression = trace::OtlpCompression::None;
  config.observability.trace_export_timeout = Milliseconds(321);
  config.observability.trace_batch_size = 17;
  config.observability.trace_queue_max = 99;
  config.observability.extra_tags = {{"region", "eu"}};
  config.observability.service_name = "mine";
  config.observability.environment = "staging";
  const TraceExporterOptions options = trace_exporter_options_of(config);
  EXPECT_EQ(options.otlp.endpoint, "http://collector:4318");
  ASSERT_EQ(options.otlp.headers.size(), 1U);
  EXPECT_EQ(options.otlp.headers.at("x-tenant").reveal(), "a");
  EXPECT_EQ(options.otlp.compression, trace::OtlpCompression::None);
  EXPECT_EQ(options.otlp.timeout, Milliseconds(321));
  EXPECT_EQ(options.otlp.batch_size, 17U);
  EXPECT_EQ(options.queue_max, 99U);
  std::map<std::string, std::string> told;
  for (const auto& attribute : options.resource.attributes)
    if (const auto* text = std::get_if<std::string>(&attribute.value)) told[attribute.name] = *text;
  EXPECT_EQ(told["region"], "eu");
  EXPECT_EQ(told["service.name"], "mine");
  EXPECT_EQ(told["deployment.environment.name"], "staging");
}

TEST(Settings, WithoutAWordOnTracesTheDefaultsHold) {
  const auto config = std::make_unique<config::Config>();
  const TraceExporterOptions options = trace_exporter_options_of(*config);
  EXPECT_EQ(options.otlp.endpoint, "");
  EXPECT_TRUE(options.otlp.headers.empty());
  EXPECT_EQ(options.otlp.compression, trace::OtlpCompression::Gzip);
  EXPECT_EQ(options.otlp.timeout, Milliseconds(5'000));
  EXPECT_EQ(options.otlp.batch_size, 100U);
}

TEST(Settings, SpansAreMadeAsConfigured) {
  config::Config config;
  EXPECT_EQ(tracing_options_of(config).sampling, trace::TraceSampling::Medium);
  EXPECT_FALSE(tracing_options_of(config).content);
  config.observability.trace_sampling = trace::TraceSampling::High;
  config.observability.trace_content = true;
  config.observability.trace_content_bytes_max = 512;
  const TracingOptions options = tracing_options_of(config);
  EXPECT_EQ(options.sampling, trace::TraceSampling::High);
  EXPECT_TRUE(options.content);
  EXPECT_EQ(options.content_bytes_max, 512U);
}

TEST(Settings, WhatIsPublishedIsEncodedAsConfigured) {
  config::Config config;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Json);
  config.kafka.outbox.encoding = Encoding::Protobuf;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Protobuf);
}

class Profiles : public testing::Test {
 protected:
  Profiles() {
    for (const auto& [name, permission] : {std::pair{"look", PermissionLevel::Default},
                                           std::pair{"change", PermissionLevel::Admin}}) {
      ToolDescriptor descriptor;
      descriptor.name = name;
      descriptor.permission = permission;
      EXPECT_TRUE(tools.add(std::make_unique<FakeTool>(time, descriptor, record)));
    }
    config.llm.models.emplace_back().name = "m";
    config.llm.default_model = "m";
  }

  /// The names that an agent of this profile is offered, or what is wrong with it.
  std::string offered(std::vector<std::string> names, PermissionLevel permission) {
    config.agents["default"].tools = std::move(names);
    config.agents["default"].permission = permission;
    const auto directory = make_agent_directory(config, tools);
    if (!directory) return directory.error().message;
    std::string text;
    const auto profile = directory->profile_for(Job{});
    for (const ToolSpec& tool : profile->tools) text += tool.name + " ";
    return text;
  }

  VirtualExecutor time;
  FakeTool::Record record;
  ToolRegistry tools;
  config::Config config;
};

TEST_F(Profiles, OffersEveryToolThatTheirPermissionIsEnoughFor) {
  EXPECT_EQ(offered({"*"}, PermissionLevel::Default), "look ");
  EXPECT_EQ(offered({"*"}, PermissionLevel::Admin), "change look ");
  EXPECT_EQ(offered({"*"}, PermissionLevel::Restricted), "");
}

TEST_F(Profiles, KeepTheOrderOfTheirListForModelsThatTakeFewerTools) {
  config.agents["default"].tools = {"look", "*", "change"};
  config.agents["default"].permission = PermissionLevel::Admin;
  const auto profile = make_agent_directory(config, tools)->profile_for(Job{});
  ASSERT_TRUE(profile);
  const std::vector<std::string> order{"task", "activate_skill", "deactivate_skill", "look",
                                       "*",    "change"};
  EXPECT_EQ(profile->first_tools, order);
  EXPECT_EQ(profile->tools[0].name, "change") << "sorted by name all the same";
}

TEST_F(Profiles, TellTheDateInUtcUnlessTheirAgentSaysOtherwise) {
  const auto profile = [this] { return *make_agent_directory(config, tools)->profile_for(Job{}); };
  config.agents["default"] = {};
  EXPECT_TRUE(profile().tell_time);
  EXPECT_EQ(profile().time_zone.name(), "UTC");
  config.agents["default"].time_zone = config::load_time_zone("Asia/Tokyo").value();
  EXPECT_EQ(profile().time_zone.name(), "Asia/Tokyo");
  config.agents["default"].tell_time = false;
  EXPECT_FALSE(profile().tell_time);
}

TEST_F(Profiles, NameTheDataSourcesOfTheirAgentAndTheIndexesInThem) {
  config.tools.of<vector::VectorSearchConfig>().indexes.resize(3);
  const char* const indexes[][2] = {{"kb", "docs"}, {"docs", "other"}, {"orders", "docs"}};
  for (std::size_t i = 0; i < 3; ++i) {
    config.tools.of<vector::VectorSearchConfig>().indexes[i].name = indexes[i][0];
    config.tools.of<vector::VectorSearchConfig>().indexes[i].data_source = indexes[i][1];
  }
  config.tools.of<sql::SqlConfig>().data_sources.resize(2);
  config.tools.of<sql::SqlConfig>().data_sources[0].name = "docs";
  config.tools.of<sql::SqlConfig>().data_sources[1].name = "other";
  const auto sources = [this](std::vector<std::string> names) {
    config.agents["default"].data_sources = std::move(names);
    return make_agent_directory(config, tools)->profile_for(Job{})->data_sources;
  };
  EXPECT_EQ(sources({"*"}), std::nullopt);
  EXPECT_EQ(sources({"docs"}),
            std::set<std::string>({"data_source:docs", "index:kb", "index:orders"}))
      << "an index of the same name lies elsewhere";
  EXPECT_EQ(sources({}), std::set<std::string>());
}

TEST_F(Profiles, RefuseAToolTheirPermissionIsNotEnoughFor) {
  EXPECT_EQ(offered({"change"}, PermissionLevel::Admin), "change ");
  EXPECT_EQ(offered({"look", "change"}, PermissionLevel::Default),
            "agents.default.tools: 'change' needs permission admin; agents.default.permission is "
            "default");
}

TEST_F(Profiles, RefuseAToolThatIsNotThere) {
  EXPECT_EQ(offered({"lok"}, PermissionLevel::Admin),
            "agents.default.tools: there is no tool 'lok' (is its data source or file root "
            "configured?)");
}

TEST_F(Profiles, SayHowToSetTheModelThatIsMissing) {
  config.llm.default_model.clear();
  EXPECT_EQ(offered({"*"}, PermissionLevel::Default),
            "llm.default_model is not set, and agents.default has no model: set one of them");
  config.llm.models.clear();
  EXPECT_EQ(offered({"*"}, PermissionLevel::Default),
            "no model is configured: set ANTHROPIC_API_KEY, OPENAI_API_KEY or BA_LLM_BASE_URL, or "
            "section llm");
}

TEST_F(Profiles, WaitForToolsOfAServerThatIsConfigured) {
  config.mcp.servers.emplace_back().name = "files";
  EXPECT_EQ(offered({"look", "files_read"}, PermissionLevel::Default), "look ");
  ToolDescriptor late;
  late.name = "files_read";
  ASSERT_TRUE(tools.add(std::make_unique<FakeTool>(time, late, record)));
  EXPECT_EQ(offered({"look", "files_read"}, PermissionLevel::Default), "files_read look ");
  config.mcp.servers[0].enabled = false;
  EXPECT_NE(offered({"files_write"}, PermissionLevel::Default).find("there is no tool"),
            std::string::npos);
}

TEST_F(Profiles, CarryWhatIsSetForCallsOfSingleTools) {
  config.agents["default"].tools = {"*"};
  config.agents["default"].tool_settings["look"].timeout = Milliseconds(700);
  const auto directory = make_agent_directory(config, tools);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->profile_for(Job{}).value().tool_settings.at("look").timeout,
            Milliseconds(700));
}

TEST_F(Profiles, SayWhoIsAskedAboutAnUnknownOutcome) {
  config.agents["default"].tools = {"*"};
  config.agents["default"].on_unknown = OnUnknown::WaitForPerson;
  const auto directory = make_agent_directory(config, tools);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->profile_for(Job{}).value().on_unknown, OnUnknown::WaitForPerson);
}

class ProfilesWithSubAgents : public Profiles {
 protected:
  ProfilesWithSubAgents() {
    EXPECT_TRUE(
        tools.add(std::make_unique<TaskTool>(SubAgentTypes{}, std::chrono::hours(1), desk, time)));
    config.agents["explorer"].description = "looks around";
    config.agents["explorer"].tools = {"look"};
    config.agents["default"].sub_agents = {"explorer"};
  }

  SubAgentDesk desk;
};

TEST_F(ProfilesWithSubAgents, HaveTheToolThatAsksThem) {
  EXPECT_EQ(offered({"*"}, PermissionLevel::Default), "look task ");
  EXPECT_EQ(offered({"look"}, PermissionLevel::Restricted),
            "agents.default.tools: 'look' needs permission default; agents.default.permission is "
            "restricted");
  EXPECT_EQ(offered({"look"}, PermissionLevel::Default), "look task ");
  EXPECT_EQ(offered({"look", "task"}, PermissionLevel::Default), "look task ");
}

TEST_F(ProfilesWithSubAgents, WithoutAnyTheToolIsNotOffered) {
  config.agents["default"].sub_agents.clear();
  EXPECT_EQ(offered({"*"}, PermissionLevel::Default), "look ");
}

TEST_F(ProfilesWithSubAgents, NameThoseOfTheAgentAndNoOthers) {
  config.agents["secret"].tools = {"look"};
  config.agents["default"].tools = {"*"};
  const auto directory = make_agent_directory(config, tools);
  ASSERT_TRUE(directory);
  const std::string schema = directory->profile_for(Job{})->tools.back().parameters_schema;
  EXPECT_NE(schema.find("explorer: looks around"), std::string::npos) << schema;
  EXPECT_EQ(schema.find("secret"), std::string::npos);
  EXPECT_NE(schema.find("output_level"), std::string::npos);
}

}  // namespace

}  // namespace ba::runtime
