// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/print_settings.hpp"

namespace ba {
namespace {

using ::testing::IsEmpty;

TEST_F(ConfigTest, WhatIsPrintedCanBeLoadedAgain) {
  const std::string yaml = R"(
llm:
  providers: {a: {protocol: openai_chat, base_url: "http://h:1", timeouts: {idle_ms: 7}}}
  models: {"x.1": {provider: a, temperature: 0.5}, y: {provider: a, prices:
    {input_per_mtok_usd: 2.5, output_per_mtok_usd: 10,
      changes: [{from: 2027-02-01, input_per_mtok_usd: 1, output_per_mtok_usd: 2}]}}}
  default_model: y
agents: {analyst: {model: y, system_prompt: "a: \"b\"\n# c", tools: [q], output_level: full}}
tools:
  data_sources: [{name: one, url: host=a}, {name: two, url: host=b, row_limit: 5}]
  files: {roots: [{name: r, path: /tmp}]}
  execute_command: {enabled: true, permission: default, processes_max: 5}
mcp: {servers: {fs: {command: [a, "b c"], trusted: true, tools: {w.x: {effect: pure, permission: admin,
  cache_policy: ttl_short}}}, web: {url: "http://h/mcp", timeout_ms: 5}}}
observability: {extra_tags: {a b: "1"}}
)";
  const LoadedConfig first = load(yaml);
  ASSERT_THAT(first.findings.errors, IsEmpty());
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors, IsEmpty()) << printed;
    EXPECT_EQ(second.config.llm, first.config.llm) << printed;
    EXPECT_EQ(second.config.agents, first.config.agents);
    EXPECT_EQ(second.config.tools, first.config.tools);
    EXPECT_EQ(second.config.mcp, first.config.mcp);
    EXPECT_EQ(second.config.limits, first.config.limits);
    EXPECT_EQ(second.config.worker, first.config.worker);
    EXPECT_EQ(second.config.observability, first.config.observability);
    EXPECT_EQ(settings_as_yaml(second.findings.settings, false),
              settings_as_yaml(first.findings.settings, false));
  }
}

}  // namespace
}  // namespace ba
