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

TEST_F(ConfigTest, EachSectionThatIsPrintedCanBeLoadedAgain) {
  const std::string yaml = R"(
kafka:
  brokers: "k1:9092,k2:9092"
  client_id: mine
  topics: {jobs_high: a.high, results: a.results}
  intake: {on_offset_out_of_range: earliest, batch_linger_ms: 7}
  publisher: {compression: zstd, encoding: json, transactional_id_prefix: t}
  topic_settings: {job_partitions: 5, results_retention_ms: 3600000}
postgres: {url: "postgresql://u@h/d", schema: other, committers: 3, group_bytes_max: 2048, retry_window_ms: 5}
context:
  strategy: summarize
  threshold_percent: 70
  target_percent: 40
  decision_words: ["yes: so", 选择]
  llm_threshold: 9
  max_cost_per_hour: 0.25
  summary: {model: y, max_summary_tokens: 20, focus_areas: [errors]}
  refocus_every_steps: 0
llm: {providers: {a: {protocol: openai_chat, base_url: "http://h:1"}}, models: {y: {provider: a}}}
skills: {roots: [s, "t u"], skills_max: 7, refresh_interval_ms: 0, tenants: {a.b: {skills: [x, "*"]}, c: {skills: []}}}
tools: {artifacts: {directory: /tmp/kept, max_age_hours: 3, max_size_gb: 2, cleanup_interval_seconds: 70,
  remove_when_closed: true}}
outbox: {shards: 3, linger_ms: 4, batch_records_max: 5, own_interval_ms: 60}
retention: {jobs_days: 30, dead_letters_days: 0, outbox_days: 2, tenants: {a.b: {jobs_days: 1}, c: {jobs_days: 0}}}
)";
  const LoadedConfig first = load(yaml);
  ASSERT_THAT(first.findings.errors, IsEmpty());
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors, IsEmpty()) << printed;
    const Config& given = first.config;
    const Config& back = second.config;
    EXPECT_EQ(back.kafka.brokers, given.kafka.brokers) << printed;
    EXPECT_EQ(back.kafka.topics.results, "a.results") << printed;
    EXPECT_EQ(back.kafka.intake.batch_linger, given.kafka.intake.batch_linger) << printed;
    EXPECT_EQ(back.kafka.outbox.compression, "zstd") << printed;
    EXPECT_EQ(back.kafka.outbox.encoding, given.kafka.outbox.encoding) << printed;
    EXPECT_EQ(back.kafka.topic_settings.job_partitions, 5) << printed;
    EXPECT_EQ(back.postgres.access.url, given.postgres.access.url) << printed;
    EXPECT_EQ(back.postgres.access.schema, "other") << printed;
    EXPECT_EQ(back.postgres.committers, 3) << printed;
    EXPECT_EQ(back.postgres.group_bytes_max, 2048U) << printed;
    EXPECT_EQ(back.context, given.context) << printed;
    EXPECT_EQ(back.skills, given.skills) << printed;
    EXPECT_EQ(back.artifacts, given.artifacts) << printed;
    EXPECT_EQ(back.outbox, given.outbox) << printed;
    EXPECT_EQ(back.retention, given.retention) << printed;
    EXPECT_EQ(settings_as_yaml(second.findings.settings, false),
              settings_as_yaml(first.findings.settings, false));
  }
  // What was set has arrived: defaults alone would be equal, too.
  EXPECT_EQ(first.config.outbox.shards, 3);
  EXPECT_EQ(first.config.context.summary.model, "y");
  EXPECT_EQ(first.config.retention.rules.tenants.size(), 2U);
}

}  // namespace
}  // namespace ba
