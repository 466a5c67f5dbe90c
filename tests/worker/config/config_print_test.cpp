// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/print_settings.hpp"

namespace ba::config {
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
agents: {analyst: {model: y, system_prompt: "a: \"b\"\n# c", tools: [q], output_level: full},
  spender: {model: y, system_prompt: 'pay $$5 for $${HOME} or $$$$ or $$$${x}'}}
tools:
  data_sources: [{name: one, url: host=a}, {name: two, url: host=b, row_limit: 5}]
  files: {roots: [{name: r, path: /tmp}]}
  execute_command: {enabled: true, permission: default, processes_max: 5}
mcp: {servers: {fs: {command: [a, "b c"], trusted: true, tools: {w.x: {effect: pure, permission: admin,
  cache_policy: ttl_short}, find: {effect: pure}, pay: {effect: reconcilable, key_argument: reference,
  status_tool: find, status_arguments: {reference: "{{key}}", of: "{{arguments.account}}"}, status_path: /state,
  status_happened: ["true", booked], status_did_not_happen: [absent], status_result_path: /payment}}}, web: {url: "http://h/mcp", timeout_ms: 5}}}
observability: {extra_tags: {a b: "1"}}
)";
  const LoadedConfig first = load(yaml);
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  const mcp::McpToolSettings& pay = first.config.mcp.servers.at(0).tools.at("pay");
  EXPECT_EQ(pay.effect, EffectClass::Reconcilable);
  EXPECT_EQ(pay.status.happened, (std::vector<std::string>{"true", "booked"}));
  EXPECT_EQ(pay.status.arguments.at("of"), "{{arguments.account}}");
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
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
  exact_counting_timeout_ms: 700
llm: {providers: {a: {protocol: openai_chat, base_url: "http://h:1"}}, models: {y: {provider: a}}}
skills: {roots: [s, "t u"], skills_max: 7, refresh_interval_ms: 0, tenants: {a.b: {skills: [x, "*"]}, c: {skills: []}}}
tools: {artifacts: {directory: /tmp/kept, max_age_hours: 3, max_size_gb: 2, cleanup_interval_seconds: 70,
  remove_when_closed: true}}
outbox: {shards: 3, linger_ms: 4, batch_records_max: 5, own_interval_ms: 60}
retention: {jobs_days: 30, dead_letters_days: 0, outbox_days: 2, tenants: {a.b: {jobs_days: 1}, c: {jobs_days: 0}}}
)";
  const LoadedConfig first = load(yaml);
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
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
    EXPECT_EQ(back.tools, given.tools) << printed;
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

TEST_F(ConfigTest, LimitsWorkerAndHttpArePrintedAndCanBeLoadedAgain) {
  const LoadedConfig first = load(R"(
limits:
  window_jobs_max: 900
  running_jobs_max: 100
  waiting_jobs_max: 5000
  retried_jobs_max: 7
  result_bytes_max: 1000000
  dead_letter_conversation_bytes_max: 4096
  attempts_max: 5
  rounds_per_job_max: 9
  steps_per_round_max: 11
  tool_calls_per_step_max: 3
  answer_repairs_max: 1
  tokens_per_job_max: 12345
  cost_per_job_max_usd: 0.25
  deadline_ms: 60000
  conversation_wait_max_s: 90
  record_bytes_max: 2048
  history_bytes_max: 4096
worker: {name: w1, lease_ms: 20000, renew_interval_ms: 1000, reap_interval_ms: 3000,
  claim_interval_ms: 70, drain_grace_ms: 5}
http: {enabled: false, address: "::1", port: 9464}
)");
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  const LimitsConfig limits{.window_jobs_max = 900,
                            .waiting_jobs_max = 5000,
                            .running_jobs_max = 100,
                            .retried_jobs_max = 7,
                            .attempts_max = 5,
                            .rounds_per_job_max = 9,
                            .steps_per_round_max = 11,
                            .tool_calls_per_step_max = 3,
                            .answer_repairs_max = 1,
                            .tokens_per_job_max = 12345,
                            .cost_per_job_max_micro_usd = 250'000,
                            .deadline = Milliseconds(60'000),
                            .conversation_wait_max_s = 90,
                            .record_bytes_max = 2048,
                            .history_bytes_max = 4096,
                            .result_bytes_max = 1'000'000,
                            .dead_letter_conversation_bytes_max = 4096};
  EXPECT_EQ(first.config.limits, limits);
  EXPECT_EQ(first.config.worker,
            (WorkerConfig{"w1", Milliseconds(20'000), Milliseconds(1'000), Milliseconds(3'000),
                          Milliseconds(70), Milliseconds(5)}));
  EXPECT_EQ(first.config.http, (HttpConfig{false, "::1", 9464}));
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
    EXPECT_EQ(second.config.limits, limits) << printed;
    EXPECT_EQ(second.config.worker, first.config.worker) << printed;
    EXPECT_EQ(second.config.http, first.config.http) << printed;
  }
}

TEST_F(ConfigTest, ObservabilityIsPrintedAndCanBeLoadedAgain) {
  const LoadedConfig first = load(R"(
observability:
  enable_logging: false
  enable_metrics: false
  enable_tracing: false
  log_level: error
  log_format: text
  log_output: [stdout, file]
  log_file: /tmp/w.log
  trace_sampling: low
  trace_export_timeout_ms: 7
  trace_batch_size: 8
  trace_queue_max: 9
  trace_content: true
  trace_content_bytes_max: 300
  metrics_export_interval_s: 5
  metrics_export_timeout_ms: 6
  otlp_endpoint: "http://c:4318/x"
  otlp_proxy: "http://p:3128"
  otlp_ca_file: /ca
  otlp_compression: none
  core_dumps: true
  service_name: mine
  environment: test
  extra_tags: {region: eu}
)");
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  ObservabilityConfig observability;
  observability.enable_logging = false;
  observability.enable_metrics = false;
  observability.enable_tracing = false;
  observability.log_level = LogLevel::Error;
  observability.log_format = LogFormat::Text;
  observability.log_output = {"stdout", "file"};
  observability.log_file = "/tmp/w.log";
  observability.trace_sampling = trace::TraceSampling::Low;
  observability.trace_export_timeout = Milliseconds(7);
  observability.trace_batch_size = 8;
  observability.trace_queue_max = 9;
  observability.trace_content = true;
  observability.trace_content_bytes_max = 300;
  observability.metrics_export_interval_s = 5;
  observability.metrics_export_timeout = Milliseconds(6);
  observability.otlp_endpoint = "http://c:4318/x";
  observability.otlp_proxy = "http://p:3128";
  observability.otlp_ca_file = "/ca";
  observability.otlp_compression = trace::OtlpCompression::None;
  observability.core_dumps = true;
  observability.service_name = "mine";
  observability.environment = "test";
  observability.extra_tags = {{"region", "eu"}};
  EXPECT_EQ(first.config.observability, observability);
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
    EXPECT_EQ(second.config.observability, observability) << printed;
  }
}

TEST_F(ConfigTest, DefaultsThatArePrintedAndReadAgainAreNotWarnedOf) {
  const LoadedConfig first = load("");
  EXPECT_THAT(load(settings_as_yaml(first.findings.settings, true)).findings.warnings(), IsEmpty());
}

TEST_F(ConfigTest, HowToolsAreCalledIsPrintedAndCanBeLoadedAgain) {
  const LoadedConfig first = load(R"yaml(
tools:
  output_level: brief
  encoding: yaml
  stable_prefix: true
  brief_above_window_percent: 30
  max_input_mb: 3
  observation_bytes_max: 5000
  inline_full_max_bytes: 6000
  preview_bytes: 700
  retry: {max_retries: 5, retry_on: [timeout, rate_limit], backoff_multiplier: 1.5, initial_delay_ms: 10,
    max_delay_ms: 2000, timeout_multiplier: 1.25, max_timeout_ms: 400000}
  data_sources: [{name: kb, url: host=h, description: all, tables: "t(a)", row_limit: 5,
    result_bytes_max: 2048, statement_timeout_ms: 6, connect_timeout_ms: 7, pool_size: 3, calls_per_minute: 8}]
  database_write: {data_sources: [{name: shop, url: host=h, description: orders, tables: [orders, s.notes],
    statements: [insert, delete], row_limit: 5, result_bytes_max: 2048, statement_timeout_ms: 6,
    lock_timeout_ms: 7, connect_timeout_ms: 8, pool_size: 3, calls_per_minute: 9, keep_days: 11}]}
  cache: {enabled: false, entries_max: 5, bytes_max: 4096, result_bytes_max: 2048, local_entries_max: 6,
    local_bytes_max: 7, confirm_after_ms: 8, clean_interval_ms: 9000}
  settings:
    file_reader: {encoding: auto}
    query_database: {default_level: full, encoding: xml, timeout_ms: 77, retry_on_timeout: false,
      cache_policy: ttl_short, cache_scope: tenant, concurrency_max: 4, calls_per_minute: 5}
    database_write: {enabled: false}
  web_search: {preset: searxng, base_url: "http://search:8080", method: post, time_range_values: {day: pd},
    results_optional: true, timeout_ms: 11, connect_timeout_ms: 12, response_bytes_max: 2048,
    concurrency_max: 3, title_chars_max: 4, snippet_chars_max: 5, proxy: "http://p:1", ca_file: /ca}
  vector_search: {base_url: "http://embeddings", model: e, dimensions: 3, timeout_ms: 13, concurrency_max: 2,
    indexes: [{name: handbook, description: rules, data_source: kb, table: s.t, tenant_column: tenant,
      metadata_columns: [p, q], distance: l2, rows_max: 6, read_bytes_max: 70000, results_max: 7,
      text_chars_max: 8}]}
)yaml");
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  const Config& given = first.config;
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const LoadedConfig second = load(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
    EXPECT_EQ(second.config.tools, given.tools) << printed;
    EXPECT_EQ(second.config.tool_runtime, given.tool_runtime) << printed;
    EXPECT_EQ(second.config.tool_cache, given.tool_cache) << printed;
    EXPECT_EQ(settings_as_yaml(second.findings.settings, false),
              settings_as_yaml(first.findings.settings, false));
  }
  // What was set has arrived: defaults alone would be equal, too.
  EXPECT_EQ(given.tool_runtime.output_level, OutputLevel::Brief);
  EXPECT_EQ(given.tool_runtime.encoding, DataEncoding::Yaml);
  EXPECT_EQ(given.tool_runtime.retry.max_retries, 5);
  EXPECT_EQ(given.tool_runtime.retry.retry_on,
            (std::set{ToolErrorType::Timeout, ToolErrorType::RateLimit}));
  EXPECT_EQ(given.tool_runtime.retry.timeout_multiplier, 1.25);
  EXPECT_EQ(given.tool_cache.store.entries_max, 5);
  EXPECT_FALSE(given.tool_cache.enabled);
  ASSERT_EQ(given.tools.of<sql::SqlConfig>().write_sources.size(), 1U);
  EXPECT_EQ(given.tools.of<sql::SqlConfig>().write_sources[0].keep_days, 11);
  EXPECT_FALSE(given.tools.settings.at("database_write").enabled);
  EXPECT_EQ(given.tools.settings.at("query_database").timeout, Milliseconds(77));
  EXPECT_EQ(given.tools.of<search::WebSearchConfig>().path, "/search") << "of the preset";
  EXPECT_EQ(given.tools.of<search::WebSearchConfig>().timeout, Milliseconds(11));
  ASSERT_EQ(given.tools.of<vector::VectorSearchConfig>().indexes.size(), 1U);
  EXPECT_EQ(given.tools.of<vector::VectorSearchConfig>().indexes[0].rows_max, 6);
}

}  // namespace
}  // namespace ba::config
