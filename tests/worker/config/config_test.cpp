// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/load_config.hpp"
#include "worker/tools/base/tool_settings.hpp"

namespace ba::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(ConfigTest, NothingAtAllGivesTheDefaults) {
  const LoadedConfig loaded = load("");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.limits, LimitsConfig{});
  EXPECT_EQ(loaded.config.limits.attempts_max, 3);
  EXPECT_EQ(loaded.config.limits.steps_per_round_max, 20);
  EXPECT_EQ(loaded.config.limits.conversation_wait_max_s, 604'800);
  EXPECT_EQ(loaded.config.worker.lease, Milliseconds(10'000));
  EXPECT_EQ(loaded.config.agents.count(kDefaultAgent), 1U);
  EXPECT_TRUE(loaded.config.kafka.brokers.empty());
}

TEST_F(ConfigTest, ReadsEverySection) {
  const LoadedConfig loaded = load(R"(
kafka: {brokers: "k:9092", topics: {jobs: my.jobs}, intake: {on_offset_out_of_range: EARLIEST},
  publisher: {encoding: protobuf}}
postgres: {url: postgresql://a@b/c, committers: 5}
outbox: {shards: 7}
limits: {running_jobs_max: 10, cost_per_job_max_usd: 0.25}
worker: {name: w1, lease_ms: 20_000}
observability: {log_level: Warning, log_format: TEXT, extra_tags: {team: a}}
http: {port: 9464}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const Config& config = loaded.config;
  EXPECT_EQ(config.kafka.brokers, "k:9092");
  EXPECT_EQ(config.kafka.topics.jobs[1], "my.jobs");
  EXPECT_EQ(config.kafka.intake.on_offset_out_of_range, kafka::OutOfRange::Earliest);
  EXPECT_EQ(config.kafka.outbox.encoding, Encoding::Protobuf);
  EXPECT_EQ(config.kafka.topic_settings.shards, 7);
  EXPECT_EQ(config.postgres.shards, 7);
  EXPECT_EQ(config.postgres.committers, 5);
  EXPECT_EQ(config.limits.cost_per_job_max_micro_usd, 250'000);
  EXPECT_EQ(config.worker.lease, Milliseconds(20'000));
  EXPECT_EQ(config.observability.log_level, LogLevel::Warning);
  EXPECT_EQ(config.observability.log_format, LogFormat::Text);
  EXPECT_EQ(config.http.port, 9464);
}

TEST_F(ConfigTest, ReadsWhatMayBeWritten) {
  const LoadedConfig loaded = load(R"(
tools:
  database_write:
    data_sources:
      - {name: shop, url: "host=h", tables: [orders, sales.notes], statements: Insert,
         row_limit: 5, lock_timeout_ms: 100, keep_days: 7}
      - {name: other, url: "host=h", tables: orders}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  ASSERT_EQ(loaded.config.tools.of<sql::SqlConfig>().write_sources.size(), 2U);
  const sql::WriteSourceConfig& shop = loaded.config.tools.of<sql::SqlConfig>().write_sources[0];
  EXPECT_THAT(shop.rules.tables, ElementsAre("orders", "sales.notes"));
  EXPECT_THAT(shop.rules.statements, ElementsAre(sql::WriteStatement::Insert));
  EXPECT_EQ(shop.row_limit, 5);
  EXPECT_EQ(shop.lock_timeout, Milliseconds(100));
  EXPECT_EQ(shop.keep_days, 7);
  EXPECT_EQ(loaded.config.tools.of<sql::SqlConfig>().write_sources[1].rules.statements,
            sql::WriteRules{}.statements);
}

TEST_F(ConfigTest, RefusesAStatementThatIsNone) {
  const LoadedConfig loaded = load(
      "tools: {database_write: {data_sources: [{name: a, url: host=h, tables: t, statements: "
      "drop}]}}");
  EXPECT_THAT(loaded.findings.errors(),
              ElementsAre(HasSubstr("Invalid statements: drop (allowed: insert, update, delete)")));
}

TEST_F(ConfigTest, EnvironmentWinsOverTheFileAndFlagsOverBoth) {
  const std::string yaml = "kafka:\n  brokers: file:1\n  group_id: file\n  client_id: file\n";
  const Environment environment{{{"BA_KAFKA_BROKERS", "env:1"}, {"BA__KAFKA__GROUP_ID", "env"}}};
  const LoadedConfig loaded = load(yaml, environment, {{"--set", "kafka.brokers", "flag:1"}});
  EXPECT_EQ(loaded.config.kafka.brokers, "flag:1");
  EXPECT_EQ(loaded.config.kafka.group_id, "env");
  EXPECT_EQ(loaded.config.kafka.client_id, "file");
  EXPECT_EQ(setting(loaded, "kafka.brokers")->origin.text(), "flag --set");
  EXPECT_EQ(setting(loaded, "kafka.group_id")->origin.text(), "environment BA__KAFKA__GROUP_ID");
  EXPECT_THAT(setting(loaded, "kafka.client_id")->origin.text(), HasSubstr("c.yaml:4"));
  EXPECT_EQ(setting(loaded, "worker.lease_ms")->origin.text(), "default");
}

TEST_F(ConfigTest, WhatIsNotBuiltYetIsSaidOfEachKeyThatIsSet) {
  EXPECT_THAT(load("observability: {service_name: a, environment: b}").findings.warnings(),
              IsEmpty());
  const LoadedConfig loaded = load(R"(
observability: {enable_tracing: true, trace_sampling: always, trace_export_timeout_ms: 1,
  trace_batch_size: 1, metrics_export_interval_s: 1, metrics_export_timeout_ms: 1,
  otlp_endpoint: "http://c:4318", otlp_headers: {a: b}, otlp_compression: none}
)");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.findings.warnings().size(), 2U);
  EXPECT_THAT(loaded.findings.warnings(),
              Contains(HasSubstr("c.yaml:3: observability.metrics_export_interval_s: has no effect "
                                 "in this version: metrics are read from /metrics")));
  EXPECT_THAT(load("observability: {trace_sampling: HIGH}\n").findings.warnings(),
              ElementsAre(HasSubstr("has no effect without otlp_endpoint: set that, too")));
}

TEST_F(ConfigTest, WhereTracesGoIsAUrlWithoutALogin) {
  for (const char* good : {"http://c:4318", "https://h/api/public/otel", "http://127.0.0.1:4317"})
    EXPECT_THAT(errors("observability: {otlp_endpoint: '" + std::string(good) + "'}\n"), IsEmpty());
  EXPECT_THAT(
      errors("observability:\n  otlp_endpoint: c:4318\n"),
      ElementsAre(HasSubstr("c.yaml:2: observability.otlp_endpoint: 'c:4318' is not allowed: "
                            "must be http(s)://host[:port][/path]")));
  const auto login = errors("observability:\n  otlp_endpoint: http://u:hunter2@h\n");
  ASSERT_EQ(login.size(), 1U);
  EXPECT_THAT(login[0], ::testing::Not(HasSubstr("hunter2")));
}

TEST_F(ConfigTest, WhatIsSentWithTracesMustFitIntoAHeader) {
  EXPECT_THAT(errors("observability: {otlp_headers: {'a b': c}}\n"),
              ElementsAre(HasSubstr("observability.otlp_headers.a b: is no name of a header")));
  EXPECT_THAT(errors("observability: {otlp_headers: {a: \"b\\nc\"}}\n"),
              ElementsAre(HasSubstr("has a control character")));
}

TEST_F(ConfigTest, ABatchOfSpansFitsIntoTheQueue) {
  EXPECT_THAT(
      errors("observability: {trace_batch_size: 200, trace_queue_max: 199}\n"),
      ElementsAre(HasSubstr("c.yaml:1: observability.trace_queue_max: trace_queue_max (199) "
                            "must not be below trace_batch_size (200)")));
}

TEST_F(ConfigTest, AWorkersNameHasALengthAndTheErrorTellsThatOfTheGivenOne) {
  EXPECT_THAT(errors("worker:\n  name: ''\n"),
              ElementsAre("c.yaml:2: worker.name: must have 1 to 200 characters, and has 0"));
  EXPECT_THAT(errors("worker:\n  name: " + std::string(201, 'w') + "\n"),
              ElementsAre("c.yaml:2: worker.name: must have 1 to 200 characters, and has 201"));
  EXPECT_THAT(errors("worker:\n  name: " + std::string(200, 'w') + "\n"), IsEmpty());
}

TEST_F(ConfigTest, UnknownKeysAreErrorsWithTheNearestKnownOne) {
  EXPECT_THAT(errors("kafka:\n  broker: a:1\n"),
              ElementsAre("c.yaml:2: kafka.broker: unknown key; did you mean \"brokers\"?"));
  EXPECT_THAT(errors("limit: {}\n"),
              ElementsAre("c.yaml:1: limit: unknown key; did you mean \"limits\"?"));
  EXPECT_THAT(errors("http:\n  zzzzzzzz: 1\n"),
              ElementsAre("c.yaml:2: http.zzzzzzzz: unknown key; known here: enabled, address, "
                          "port"));
  EXPECT_THAT(errors("", {{{"BA__KAFKA__BROKRES", "x"}}}),
              ElementsAre("environment BA__KAFKA__BROKRES: kafka.brokres: unknown key; did you "
                          "mean \"brokers\"?"));
}

TEST_F(ConfigTest, ASettingOfAnyDepthIsAnUnknownKey) {
  std::string path = "kafka";
  for (int i = 0; i < 60'000; ++i) path += ".k";
  EXPECT_THAT(load("", {}, {{"--set", path, "1"}}).findings.errors(),
              ElementsAre(HasSubstr("unknown key")));
}

TEST_F(ConfigTest, EachErrorNamesFileLineKeyValueAndWhatIsAllowed) {
  EXPECT_THAT(errors("limits:\n  attempts_max: x\n"),
              ElementsAre("c.yaml:2: limits.attempts_max: \"x\" is not allowed: must be a whole "
                          "number from 1 to 100"));
  EXPECT_THAT(errors("limits:\n  attempts_max: 101\n"),
              ElementsAre(HasSubstr("\"101\" is not allowed: must be a whole number from 1 to")));
  EXPECT_THAT(errors("limits:\n  attempts_max: 99999999999999999999\n"),
              ElementsAre(HasSubstr("is not allowed")));
  EXPECT_THAT(errors("limits:\n  conversation_wait_max_s: -1\n"),
              ElementsAre(HasSubstr("conversation_wait_max_s must be non-negative: -1")));
  EXPECT_THAT(errors("http:\n  enabled: maybe\n"),
              ElementsAre(HasSubstr("http.enabled: \"maybe\" is not allowed: must be true or")));
  EXPECT_THAT(errors("http:\n  address: localhost\n"),
              ElementsAre(HasSubstr(
                  "c.yaml:2: http.address: \"localhost\" is not allowed: must be an IP address")));
  EXPECT_THAT(errors("http: 5\n"), ElementsAre("c.yaml:1: http: must be a map of keys and values"));
  EXPECT_THAT(errors("http:\n  port: [1]\n"),
              ElementsAre("c.yaml:2: http.port: is the list [1]; must be a single value: a whole "
                          "number from 0 to 65535"));
  EXPECT_THAT(errors("limits:\n  cost_per_job_max_usd: 1e3\n"),
              ElementsAre(HasSubstr("an amount of dollars")));
  EXPECT_THAT(errors("postgres:\n  schema: Robert'); DROP\n"),
              ElementsAre(HasSubstr("must be [a-z_][a-z0-9_]{0,62}")));
}

TEST_F(ConfigTest, NamesHaveALength) {
  struct Name {
    std::string before;
    std::size_t length_max;
    std::string after;
  };
  for (const Name& name : {Name{"kafka: {topics: {results: ", 249, "}}"},
                           {"postgres: {schema: ", 63, "}"},
                           {"worker: {name: ", 200, "}"}}) {
    const auto errors_of = [&](std::size_t length) {
      return errors(name.before + std::string(length, 'n') + name.after + "\n");
    };
    EXPECT_THAT(errors_of(name.length_max), IsEmpty()) << name.before;
    EXPECT_THAT(errors_of(name.length_max + 1), SizeIs(1)) << name.before;
  }
}

TEST_F(ConfigTest, ValidationTextsOfObservability) {
  EXPECT_THAT(errors("observability:\n  log_level: LOUD\n"),
              ElementsAre(HasSubstr("c.yaml:2: observability.log_level: Invalid log_level: LOUD "
                                    "(allowed: debug, info, warning, error, critical)")));
  EXPECT_THAT(errors("observability:\n  log_format: xml\n"),
              ElementsAre(HasSubstr("Invalid log_format: xml")));
  EXPECT_THAT(errors("observability:\n  metrics_export_interval_s: 0\n"),
              ElementsAre(HasSubstr("metrics_export_interval_s must be positive")));
  EXPECT_THAT(errors("worker:\n  drain_grace_ms: -1\n"),
              ElementsAre(HasSubstr("drain_grace_ms must be non-negative")));
  EXPECT_THAT(errors("observability:\n  log_output: [syslog]\n"),
              ElementsAre(HasSubstr("Invalid log_output: syslog (allowed: stdout, stderr, file)")));
  EXPECT_THAT(errors("observability:\n  log_output: [file]\n"),
              ElementsAre(HasSubstr("log_file must name one")));
}

TEST_F(ConfigTest, AnAgentsCallsOfAToolHaveSettingsOfTheirOwn) {
  const std::string begin = "agents:\n  a:\n    tool_settings:\n      query_database: ";
  const LoadedConfig loaded = load(begin +
                                   "{default_level: FULL, timeout_ms: 700, retry_on_timeout: "
                                   "false, cache_policy: no_cache}\n");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.agents.at("a").tool_settings,
            (ToolCallSettings{{"query_database",
                               {.level = OutputLevel::Full,
                                .timeout = Milliseconds(700),
                                .cache_policy = CachePolicy::NoCache,
                                .retry_on_timeout = false}}}));
  const LoadedConfig plain = load(begin + "{default_level: auto, timeout_ms: 0}\n");
  EXPECT_EQ(plain.config.agents.at("a").tool_settings.at("query_database"), CallSettings{});
  EXPECT_THAT(errors(begin + "{default_level: loud}\n"),
              ElementsAre(HasSubstr("agents.a.tool_settings.query_database.default_level")));
  EXPECT_THAT(errors(begin + "{timeout_ms: 99999999}\n"),
              ElementsAre(HasSubstr("agents.a.tool_settings.query_database.timeout_ms")));
  EXPECT_THAT(errors(begin + "{timeout: 1}\n"), SizeIs(1));
}

TEST_F(ConfigTest, TheLogGoesWhereTheDesignHasItInAnyCase) {
  const LoadedConfig loaded =
      load("observability: {log_output: [STDOUT, File], log_file: /tmp/w.log}\n");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(loaded.config.observability.log_output, ElementsAre("stdout", "file"));
  EXPECT_THAT(load("").config.observability.log_output, ElementsAre("stderr"));
}

TEST_F(ConfigTest, AListInThePlaceOfAValueIsNamedWithWhatIsAllowed) {
  EXPECT_THAT(errors("observability:\n  log_level: [info, loud]\n"),
              ElementsAre("c.yaml:2: observability.log_level: is the list [info, loud]; must be a "
                          "single value: one of debug, info, warning, error, critical"));
  EXPECT_THAT(errors("llm: {providers: {p: {api_key: [sk-secret]}}, models: {m: {provider: p}}}\n"),
              Contains(AllOf(HasSubstr("api_key: is a list; must be a single value"),
                             Not(HasSubstr("sk-secret")))));
}

TEST_F(ConfigTest, AListMayBeWrittenAsInYamlOnACommandLine) {
  const LoadedConfig loaded =
      load("", {}, {{"--set", "observability.log_output", "[stdout, stderr]"}});
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(loaded.config.observability.log_output, ElementsAre("stdout", "stderr"));
  EXPECT_THAT(load("", {}, {{"--set", "observability.log_output", "[syslog]"}}).findings.errors(),
              ElementsAre("flag --set: observability.log_output: Invalid log_output: syslog "
                          "(allowed: stdout, stderr, file)"));
}

TEST_F(ConfigTest, AConflictSaysWhereEachOfTheTwoComesFrom) {
  EXPECT_THAT(load("worker:\n  lease_ms: 9000\n", {}, {{"--set", "worker.lease_ms", "3000"}})
                  .findings.errors(),
              ElementsAre(AllOf(HasSubstr("flag --set: worker.renew_interval_ms: "),
                                HasSubstr("(renew_interval_ms: default, lease_ms: flag --set)"))));
  EXPECT_THAT(load("", {{{"BA__LIMITS__RUNNING_JOBS_MAX", "9"}}},
                   {{"--set", "limits.window_jobs_max", "3"}})
                  .findings.errors(),
              ElementsAre(HasSubstr("(running_jobs_max: environment BA__LIMITS__RUNNING_JOBS_MAX, "
                                    "window_jobs_max: flag --set)")));
}

TEST_F(ConfigTest, WhatTheLibrariesCanNotReadIsSaidWhereItStands) {
  EXPECT_THAT(errors("postgres:\n  url: postgresql://u:hunter2%zz@h/d\n"),
              ElementsAre(AllOf(HasSubstr("c.yaml:2: postgres.url: there is a \"%\" in it"),
                                Not(HasSubstr("hunter2")))));
  EXPECT_THAT(
      errors("tools:\n  data_sources:\n  - name: a\n    url: postgresql://h:x/d\n"),
      ElementsAre(HasSubstr("c.yaml:4: tools.data_sources[0].url: a port must be a number")));
  EXPECT_THAT(errors("kafka:\n  properties:\n    sasl.mechanism: PLAIN\n"
                     "    sasl.pasword: hunter2\n    socket.timeout.ms: never\n"),
              ElementsAre(AllOf(HasSubstr("c.yaml:4: kafka.properties.sasl.pasword: is not known"),
                                Not(HasSubstr("hunter2"))),
                          HasSubstr("c.yaml:5: kafka.properties.socket.timeout.ms: has a value")));
}

TEST_F(ConfigTest, WhatKafkaCanNotTakeIsRefusedWhereItStands) {
  EXPECT_THAT(
      errors("kafka:\n  intake:\n    batch_linger_ms: 5000\n  publisher:\n    linger_ms: 5000\n"),
      ElementsAre(HasSubstr("c.yaml:3: kafka.intake.batch_linger_ms: "),
                  HasSubstr("c.yaml:5: kafka.publisher.linger_ms: ")));
  EXPECT_THAT(errors("kafka: {intake: {session_timeout_ms: 9000, poll_interval_max_ms: 5000}}\n"),
              ElementsAre(HasSubstr("kafka.intake.poll_interval_max_ms: 5000 is not at least "
                                    "kafka.intake.session_timeout_ms, which is 9000")));
}

TEST_F(ConfigTest, ShowsEverythingThatIsWrongAtOnce) {
  EXPECT_EQ(errors("a: 1\nhttp: {port: x}\nworker: {lease_ms: 1}\n").size(), 3U);
}

TEST_F(ConfigTest, ValuesThatDoNotFitTogetherAreErrors) {
  EXPECT_THAT(errors("worker:\n  lease_ms: 2000\n  renew_interval_ms: 1500\n"),
              ElementsAre(HasSubstr("c.yaml:3: worker.renew_interval_ms: renew_interval_ms (1500) "
                                    "must be at most half of lease_ms (2000)")));
  EXPECT_THAT(errors("limits: {running_jobs_max: 10, window_jobs_max: 5}\n"),
              ElementsAre(HasSubstr("can't be above window_jobs_max (5)")));
  EXPECT_THAT(errors("limits: {waiting_jobs_max: 10, window_jobs_max: 300}\n"),
              ElementsAre(HasSubstr("can't be below window_jobs_max (300)")));
  EXPECT_THAT(errors("limits:\n  result_bytes_max: 9000000\nkafka:\n  publisher:\n"
                     "    record_bytes_max: 9000000\n"),
              ElementsAre(HasSubstr("c.yaml:2: limits.result_bytes_max: 9000000 must be at least "
                                    "65536 below kafka.publisher.record_bytes_max")));
  EXPECT_THAT(errors("agents:\n  a:\n    model: nope\n"),
              ElementsAre("c.yaml:3: agents.a.model: \"nope\" is not a configured model (there "
                          "are: none)"));
}

TEST_F(ConfigTest, AnAgentSaysWhoIsAskedAboutAnUnknownOutcome) {
  const auto loaded = load("agents:\n  a: {on_unknown: wait_for_person}\n  b: {}\n");
  EXPECT_EQ(loaded.config.agents.at("a").on_unknown, OnUnknown::WaitForPerson);
  EXPECT_EQ(loaded.config.agents.at("b").on_unknown, OnUnknown::TellModel);
  EXPECT_THAT(errors("agents:\n  a:\n    on_unknown: wait\n"),
              ElementsAre(HasSubstr("c.yaml:3: agents.a.on_unknown")));
}

TEST_F(ConfigTest, AnAgentTellsTheDateInItsZone) {
  const auto loaded = load(
      "agents:\n  a: {tell_time: false}\n  b: {time_zone: Europe/Berlin}\n  c: {time_zone: UTC}\n");
  EXPECT_FALSE(loaded.config.agents.at("a").tell_time);
  EXPECT_TRUE(loaded.config.agents.at("b").tell_time);
  EXPECT_EQ(loaded.config.agents.at("a").time_zone.name(), "UTC");
  const TimeZone& berlin = loaded.config.agents.at("b").time_zone;
  EXPECT_EQ(berlin.name(), "Europe/Berlin");
  EXPECT_EQ(berlin.offset_at(*parse_rfc3339("2026-07-01T00:00:00Z")), std::chrono::hours(2));
  EXPECT_EQ(berlin.offset_at(*parse_rfc3339("2100-01-01T00:00:00Z")), std::chrono::hours(1));
}

TEST_F(ConfigTest, AZoneThatIsNoneIsNamedWithWhatWouldBeRight) {
  for (const char* name : {"Europe/Berln", "europe/berlin", "Europe", "CEST", "+01:00", "..",
                           "../zoneinfo/Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
                           "right/Europe/Berlin", "localtime", "zone.tab", "tzdata.zi", "''"})
    EXPECT_THAT(errors(std::string("agents:\n  a:\n    time_zone: ") + name + "\n"),
                ElementsAre(AllOf(HasSubstr("c.yaml:3: agents.a.time_zone: "),
                                  HasSubstr("such as Europe/Berlin"))))
        << name;
}

TEST_F(ConfigTest, SubAgentsAtOnceHaveALimit) {
  EXPECT_EQ(load("").config.tool_runtime.gates.at("task").concurrency_max, 64);
  const auto more = load("tools: {settings: {task: {concurrency_max: 200}}}\n");
  EXPECT_EQ(more.config.tool_runtime.gates.at("task").concurrency_max, 200);
  const auto other = load("tools: {settings: {task: {default_level: full}}}\n");
  EXPECT_EQ(other.config.tool_runtime.gates.at("task").concurrency_max, 64);
}

TEST_F(ConfigTest, EveryValueIsAText) {
  EXPECT_THAT(errors("agents:\n  default:\n    system_prompt: \"a\xff\xfe\"\n"),
              ElementsAre("c.yaml:3: agents.default.system_prompt: is not valid UTF-8: byte 2 of "
                          "the value"));
  EXPECT_THAT(errors("agents:\n  default:\n    system_prompt: \"a\\x00b\"\n"),
              ElementsAre(HasSubstr("system_prompt: holds a NUL character, as character 2")));
  EXPECT_THAT(errors("agents: {\"\xff\": {}}\n"), ElementsAre(HasSubstr("is not valid UTF-8")));
}

TEST_F(ConfigTest, WhatRunsOnceIsNeverAnsweredByWhatWasKept) {
  EXPECT_THAT(
      errors("mcp:\n  servers:\n    s: {command: [x], tools: {t: {effect: once, cache_policy: "
             "ttl_short}}}\n"),
      ElementsAre(HasSubstr("mcp.servers.s.tools.t.cache_policy: 'ttl_short' is not no_cache: what "
                            "runs once is never answered by what was kept")));
}

TEST_F(ConfigTest, AToolMayBeToldNotToTryAgainAfterATimeout) {
  const auto loaded = load("tools: {settings: {web_search: {retry_on_timeout: false}}}\n");
  ToolDescriptor descriptor;
  tools::apply(loaded.config.tools.settings.at("web_search"), descriptor);
  EXPECT_FALSE(descriptor.retry_on_timeout);
  descriptor.retry_on_timeout = false;  // a tool's own word stays
  tools::apply(tools::ToolSettings{}, descriptor);
  EXPECT_FALSE(descriptor.retry_on_timeout);
}

TEST_F(ConfigTest, ShowsNoQueryOfAUrl) {
  const auto loaded = load("tools: {web_search: {base_url: 'http://h/?k=hunter2'}}\n");
  EXPECT_THAT(setting(loaded, "tools.web_search.base_url")->value_json,
              ::testing::Not(HasSubstr("hunter2")));
}

TEST_F(ConfigTest, DataSourcesHaveTheirRateWhateverAsksThem) {
  const auto gates =
      load(
          "tools:\n"
          "  data_sources:\n"
          "    - {name: kb, url: postgresql://r@h/d, calls_per_minute: 30}\n"
          "  database_write:\n"
          "    data_sources: [{name: orders, url: postgresql://w@h/d, tables: [orders], "
          "calls_per_minute: 6}]\n"
          "  vector_search:\n"
          "    {base_url: 'http://h/v1', model: m, dimensions: 3,\n"
          "     indexes: [{name: passages, data_source: kb, table: p, shared_by_tenants: true}]}\n")
          .config.tool_runtime.gates;
  EXPECT_EQ(gates.at("query_database/kb").calls_per_minute, 30);
  EXPECT_EQ(gates.at("vector_search/passages").calls_per_minute, 30);
  EXPECT_EQ(gates.at("database_write/orders").calls_per_minute, 6);
}

TEST_F(ConfigTest, SubAgentsAreAgentsThatWaitForNobody) {
  const auto loaded = load("agents:\n  a: {sub_agents: [b, a]}\n  b: {description: counts}\n");
  EXPECT_EQ(loaded.config.agents.at("a").sub_agents, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(loaded.config.agents.at("b").description, "counts");
  EXPECT_EQ(sub_agent_types(loaded.config.agents), (SubAgentTypes{{"a", {"a", "b"}}}));
  EXPECT_THAT(errors("agents:\n  a:\n    sub_agents: [nobody]\n"),
              ElementsAre("c.yaml:3: agents.a.sub_agents: there is no agent 'nobody' (there "
                          "are: a, default)"));
  EXPECT_THAT(
      errors("agents:\n  a: {sub_agents: [helpr]}\n  helper: {description: d}\n"),
      ElementsAre(HasSubstr("there is no agent 'helpr'; did you mean 'helper'? (there are: ")));
  EXPECT_THAT(errors("agents:\n  a:\n    tools: [look, task]\n"),
              ElementsAre("c.yaml:3: agents.a.tools: 'task' needs agents.a.sub_agents, the agents "
                          "that it may give work to"));
  EXPECT_THAT(errors("agents:\n  a: {sub_agents: [b]}\n  b: {on_unknown: wait_for_person}\n"),
              ElementsAre(HasSubstr("'b' waits for a person (agents.b.on_unknown)")));
}

TEST_F(ConfigTest, WhatTheToolsRefuseIsRefusedWhereItStands) {
  const auto source = [](const char* setting) {
    return "tools:\n  data_sources:\n  - name: a\n    url: host=h\n    " + std::string(setting) +
           "\n";
  };
  for (const char* setting : {"pool_size: 65", "connect_timeout_ms: 60001",
                              "result_bytes_max: 67108865", "row_limit: 0"}) {
    const auto wrong = errors(source(setting));
    ASSERT_EQ(wrong.size(), 1U) << setting;
    EXPECT_THAT(wrong[0], HasSubstr("c.yaml:5: tools.data_sources[0]."));
  }
  EXPECT_THAT(errors(source("pool_size: 64")), IsEmpty());
  EXPECT_THAT(errors("tools: {observation_bytes_max: 4095}\n"),
              ElementsAre(HasSubstr("must be a whole number from 4096 to 1073741824")));
}

TEST_F(ConfigTest, AMissingFileIsAnErrorOnlyWhereItWasAskedFor) {
  const LoadedConfig asked = load_config({folder_ / "none.yaml", {}, {}});
  EXPECT_THAT(asked.findings.errors(), ElementsAre(HasSubstr("No such file")));
  const LoadedConfig variable =
      load_config({std::nullopt, {{{"BA_CONFIG", folder_ / "none.yaml"}}}, {}});
  EXPECT_THAT(variable.findings.errors(), ElementsAre(HasSubstr("No such file")));
  const std::string other = write("other.yaml", "http: {port: 1}\n");
  EXPECT_EQ(load_config({std::nullopt, {{{"BA_CONFIG", other}}}, {}}).config.http.port, 1);
}

TEST_F(ConfigTest, ReadsHowToolsAreCalled) {
  const LoadedConfig loaded = load(
      "tools: {output_level: BRIEF, max_input_mb: 1, retry: {max_retries: 0, retry_on: timeout}}");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.tool_runtime.output_level, OutputLevel::Brief);
  EXPECT_EQ(loaded.config.tool_runtime.max_input_mb, 1);
  EXPECT_EQ(loaded.config.tool_runtime.retry.max_retries, 0);
  EXPECT_THAT(loaded.config.tool_runtime.retry.retry_on, ElementsAre(ToolErrorType::Timeout));
  EXPECT_THAT(errors("tools: {retry: {retry_on: [internal_error]}}\n"),
              ElementsAre(HasSubstr("Invalid retry_on: internal_error (allowed: timeout")));
  EXPECT_THAT(errors("tools:\n  data_sources:\n  - url: host=h\n    name: A\n"),
              ElementsAre(HasSubstr("c.yaml:4: tools.data_sources[0].name: 'A' is not")));
}

TEST_F(ConfigTest, ReadsEachKeyOfRetries) {
  const LoadedConfig loaded = load(R"(
tools:
  retry: {max_retries: 5, retry_on: [TIMEOUT, Rate_Limit], backoff_multiplier: 3, initial_delay_ms: 7,
    max_delay_ms: 70, timeout_multiplier: 1.5, max_timeout_ms: 700}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  ToolRetryPolicy wanted;
  wanted.max_retries = 5;
  wanted.retry_on = {ToolErrorType::Timeout, ToolErrorType::RateLimit};
  wanted.backoff_multiplier = 3;
  wanted.initial_delay = Milliseconds(7);
  wanted.max_delay = Milliseconds(70);
  wanted.timeout_multiplier = 1.5;
  wanted.max_timeout = Milliseconds(700);
  EXPECT_EQ(loaded.config.tool_runtime.retry, wanted);
}

TEST_F(ConfigTest, ToolsAreCalledLikeThisUnlessSaidOtherwise) {
  const Config usual = load("").config;
  EXPECT_EQ(usual.tool_runtime.output_level, OutputLevel::Standard);
  EXPECT_EQ(usual.tool_runtime.brief_above_window_percent, 80);
  EXPECT_EQ(usual.tool_runtime.max_input_mb, 10);
  EXPECT_EQ(usual.tool_runtime.encoding, std::nullopt) << "each tool's own";
  EXPECT_FALSE(usual.tool_runtime.stable_prefix);
  EXPECT_EQ(usual.tool_runtime.retry, ToolRetryPolicy{});
  EXPECT_TRUE(usual.tool_cache.enabled);
  EXPECT_EQ(usual.tool_cache.local.entries_max, 10'000) << "results in each process";
}

TEST_F(ConfigTest, ReadsHowResultsAreEncoded) {
  const LoadedConfig loaded = load(
      "tools: {encoding: compact, stable_prefix: true, settings: {a: {encoding: xml}, b: "
      "{encoding: auto}, c: {encoding: default}}}");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.tool_runtime.encoding, DataEncoding::Compact);
  EXPECT_TRUE(loaded.config.tool_runtime.stable_prefix);
  EXPECT_EQ(loaded.config.tools.settings.at("a").encoding, DataEncoding::Xml);
  EXPECT_EQ(loaded.config.tools.settings.at("b").encoding, DataEncoding::Auto);
  EXPECT_EQ(loaded.config.tools.settings.at("c").encoding, std::nullopt);
  EXPECT_THAT(errors("tools: {encoding: toon}\n"), ElementsAre(HasSubstr("compact")));
}

TEST_F(ConfigTest, TheAnalyticsUrlMakesADataSourceWhereNoneIsConfigured) {
  const Environment environment{{{"BA_ANALYTICS_URL", "host=h"}}};
  const LoadedConfig made = load("", environment);
  ASSERT_THAT(made.findings.errors(), IsEmpty());
  ASSERT_EQ(made.config.tools.of<sql::SqlConfig>().data_sources.size(), 1U);
  EXPECT_EQ(made.config.tools.of<sql::SqlConfig>().data_sources.front().name, "analytics");
  EXPECT_THAT(
      load("tools: {data_sources: []}", environment).config.tools.of<sql::SqlConfig>().data_sources,
      IsEmpty());
}

TEST_F(ConfigTest, KeepsForEverUnlessDaysAreGiven) {
  EXPECT_EQ(load("").config.retention, RetentionConfig{});
  constexpr Milliseconds kDay = std::chrono::hours(24);
  const RetentionRules rules =
      load(
          "retention: {jobs_days: 30, outbox_days: 3, tenants: {a: {jobs_days: 90},"
          " b: {jobs_days: 0}, c: {}}}")
          .config.retention.rules;
  EXPECT_EQ(rules.jobs, 30 * kDay);
  EXPECT_EQ(rules.outbox, 3 * kDay);
  EXPECT_EQ(rules.dead_letters, std::nullopt);
  EXPECT_EQ(rules.tenants.at(TenantId("a")), 90 * kDay);
  EXPECT_EQ(rules.tenants.at(TenantId("b")), std::nullopt);
  EXPECT_EQ(rules.tenants.at(TenantId("c")), 30 * kDay);
}

TEST_F(ConfigTest, JobsAreKeptAsLongAsTheirRecordsMayBeReadAgain) {
  EXPECT_THAT(errors("retention:\n  jobs_days: 13\n  tenants:\n    a:\n      jobs_days: 20\n"),
              ElementsAre(HasSubstr("c.yaml:2: retention.jobs_days: 13 days are less than "
                                    "kafka.topic_settings.results_retention_ms (1209600000)")));
  EXPECT_THAT(errors("retention:\n  tenants:\n    a:\n      jobs_days: 2\n"),
              ElementsAre(HasSubstr("retention.tenants.a.jobs_days: 2 days are less than")));
}

TEST_F(ConfigTest, KeysWithDotsAreReached) {
  Environment environment;
  environment.variables["BA__KAFKA__PROPERTIES__SECURITY__PROTOCOL"] = "plaintext";
  const LoadedConfig loaded = load("llm: {providers: {p: {protocol: anthropic}}}", environment,
                                   {{"--set", "kafka.properties.socket.max.fails", "3"},
                                    {"--set", "llm.models.\"m-5.4\".provider", "p"},
                                    {"--set", "llm.models.\"m-5.4\".model_id", "m-5.4"},
                                    {"--set", "llm.default_model", "m-5.4"}});
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.kafka.properties.at("socket.max.fails"), "3");
  EXPECT_EQ(loaded.config.kafka.properties.at("security.protocol"), "plaintext");
  ASSERT_NE(loaded.config.llm.model("m-5.4"), nullptr);
}

TEST_F(ConfigTest, AnAgentThatCannotReadTheRestOfALargeResultIsWarnedOfByName) {
  const auto warnings = [&](const std::string& agent, const std::string& more = "") {
    return load("tools: {data_sources: {db: {url: 'postgresql://h/d'}}}\n" + more +
                "\nagents: {counter: " + agent + ", helper: {tools: [file_reader]}}\n")
        .findings.warnings();
  };
  EXPECT_THAT(warnings("{tools: [query_database]}"),
              ElementsAre(AllOf(HasSubstr("c.yaml:3: agents.counter.tools: "),
                                HasSubstr("agent 'counter'"), HasSubstr("add file_reader"))));
  EXPECT_THAT(warnings("{tools: [query_database, file_reader]}"), IsEmpty());
  EXPECT_THAT(warnings("{tools: ['*']}"), IsEmpty());
  EXPECT_THAT(warnings("{tools: [database_write]}"), IsEmpty()) << "it gives no data";
  EXPECT_THAT(warnings("{tools: [query_database], sub_agents: [helper]}"), IsEmpty());
  EXPECT_THAT(warnings("{tools: [crm_find]}", "mcp: {servers: {crm: {url: 'http://h/'}}}"),
              ElementsAre(HasSubstr("agent 'counter'")));
}

TEST_F(ConfigTest, AVariableThatLooksLikeOneOfOursIsWarnedOf) {
  Environment environment;
  environment.variables = {{"BA_KAFKA_BROKER", "a:1"},       {"BA_LLM_MODLE", "m"},
                           {"BA_KAFKA_PROXY", "a:1"},        {"BA_STACK_DIR", "/s"},
                           {"BA_KAFKA_PASSWORD", "p"},       {"BA_LOG_LEVEL", "info"},
                           {"BA_SOMETHING_ELSE", "unheard"}, {"BA_POSTGRES_UR", "x"}};
  const LoadedConfig loaded = load("worker: {name: \"${BA_POSTGRES_UR}\"}", environment);
  EXPECT_THAT(
      loaded.findings.warnings(),
      ElementsAre("environment BA_KAFKA_BROKER: is not used: nothing reads it; did you mean "
                  "BA_KAFKA_BROKERS?",
                  "environment BA_LLM_MODLE: is not used: nothing reads it; did you mean "
                  "BA_LLM_MODEL?"));
}

TEST_F(ConfigTest, ReadsWhatBecomesOfALongConversation) {
  const CompressionRules rules =
      load("context: {strategy: TRUNCATE, threshold_percent: 70, decision_words: [agreed]}")
          .config.context;
  EXPECT_EQ(rules.mode, CompressionMode::Truncate);
  EXPECT_EQ(rules.threshold_percent, 70);
  EXPECT_THAT(rules.decision_words, ElementsAre("agreed"));
  EXPECT_THAT(errors("context: {mode: summarize}"), IsEmpty()) << "by the agent's own model";
  EXPECT_THAT(errors("context: {mode: summarize, summary: {model: off}}"),
              ElementsAre(HasSubstr("context.summary.model is \"off\": name a model there")));
  EXPECT_THAT(errors("context: {summary: {model: off}}"), IsEmpty());
  EXPECT_THAT(errors("llm: {providers: {p: {protocol: openai, url: 'http://127.0.0.1:1/v1'}},"
                     " models: {off: {provider: p, id: o}}}\n"
                     "context: {summary: {model: off}}"),
              testing::Contains(HasSubstr("a model in llm.models has that name")));
  EXPECT_THAT(errors("context: {summary: {model: nope}}"),
              ElementsAre(HasSubstr("context.summary.model: \"nope\" is not a configured model")));
  EXPECT_THAT(errors("context: {mode: auto, strategy: auto}"),
              ElementsAre(HasSubstr("another name of mode")));
  EXPECT_THAT(errors("context: {target_percent: 90}"),
              ElementsAre(HasSubstr("target_percent (90) can't be above threshold_percent (80)")));
}

TEST_F(ConfigTest, ReadsWhenSummariesAreWritten) {
  const CompressionRules defaults = load("").config.context;
  EXPECT_TRUE(defaults.summary.enabled);
  EXPECT_EQ(defaults.summary.messages_min, 50);
  EXPECT_EQ(defaults.summary.reuse_hours, 24);
  EXPECT_EQ(defaults.summary.cost_micro_usd_per_hour, 100'000);
  EXPECT_EQ(defaults.summary.tokens_max, 500);
  EXPECT_EQ(defaults.summary.timeout, Milliseconds(10'000));
  EXPECT_THAT(defaults.summary.focus_areas, ElementsAre("tool_calls", "errors", "decisions"));
  EXPECT_EQ(defaults.refocus.every_steps, 5);
  const CompressionRules rules =
      load(
          "context: {llm_threshold: 40, max_cost_per_hour: 0.25, summary_cache_ttl: 2, "
          "enable_llm_summarization: false, refocus_every_steps: 0}")
          .config.context;
  EXPECT_EQ(rules.summary.messages_min, 40);
  EXPECT_EQ(rules.summary.cost_micro_usd_per_hour, 250'000);
  EXPECT_EQ(rules.summary.reuse_hours, 2);
  EXPECT_FALSE(rules.summary.enabled);
  EXPECT_EQ(rules.refocus.every_steps, 0);
}

TEST_F(ConfigTest, SaysWhatIsWrongOfSummaries) {
  const auto wrong = [this](const std::string& key, const std::string& value) {
    return errors("context:\n  " + key + ": " + value + "\n");
  };
  for (const std::string key : {"llm_threshold", "llm_summarization_threshold"})
    EXPECT_THAT(wrong(key, "-1"),
                ElementsAre("c.yaml:2: context." + key + ": " + key + " must be non-negative: -1"));
  for (const std::string key : {"max_cost_per_hour", "max_compression_cost_per_hour"})
    EXPECT_THAT(wrong(key, "-0.5"), ElementsAre("c.yaml:2: context." + key + ": " + key +
                                                " must be non-negative: -0.5"));
  EXPECT_THAT(wrong("summary_cache_ttl", "-24"),
              ElementsAre("c.yaml:2: context.summary_cache_ttl: summary_cache_ttl must be "
                          "non-negative: -24"));
  EXPECT_THAT(wrong("summary_cost_per_1000_tokens_usd", "-1"),
              ElementsAre("c.yaml:2: context.summary_cost_per_1000_tokens_usd: "
                          "summary_cost_per_1000_tokens_usd must be non-negative: -1"));
  EXPECT_THAT(errors("context: {llm_threshold: 40, llm_summarization_threshold: 50}"),
              ElementsAre(HasSubstr("another name of llm_summarization_threshold")));
}

TEST_F(ConfigTest, ASchemaOfPostgresItselfIsRefused) {
  for (const char* name : {"pg_catalog", "pg_mine", "information_schema"})
    EXPECT_THAT(errors("postgres:\n  schema: " + std::string(name)),
                ElementsAre(HasSubstr("belongs to PostgreSQL itself")))
        << name;
}

}  // namespace
}  // namespace ba::config
