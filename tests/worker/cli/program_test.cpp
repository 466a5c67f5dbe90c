// SPDX-License-Identifier: Apache-2.0
// The built program as a user runs it: exit codes, streams, streams without colours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(ProgramTest, HelpAndVersionGoToStandardOutput) {
  const ProgramRun help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("worker"));
  EXPECT_THAT(help.err, IsEmpty());
  const ProgramRun version = run("version --json");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(nlohmann::json::parse(version.out)["version"], Not(IsEmpty()));
}

TEST_F(ProgramTest, OutputThatCanNotBeWrittenIsAFailure) {
  for (const char* line : {"config print", "version", "--help"}) {
    const ProgramRun full = run(line, "", "", "/dev/full");
    EXPECT_EQ(full.exit_code, 1) << line;
    EXPECT_THAT(full.err, HasSubstr("can't write to standard output")) << line;
  }
}

TEST_F(ProgramTest, AWrongLineExitsWithTwo) {
  for (const char* line : {"", "bogus", "submit", "show", "version --bogus"}) {
    const ProgramRun wrong = run(line);
    EXPECT_EQ(wrong.exit_code, 2) << line;
    EXPECT_THAT(wrong.out, IsEmpty());
    EXPECT_THAT(wrong.err, Not(IsEmpty()));
  }
}

TEST_F(ProgramTest, AWrongConfigurationExitsWith78AndSaysWhere) {
  write("bad.yaml", "kafka:\n  broker: a:1\n");
  for (const char* line : {"config check", "config print", "submit q", "worker", "topics verify"}) {
    const ProgramRun wrong = run(std::string(line) + " --config bad.yaml");
    EXPECT_EQ(wrong.exit_code, 78) << line;
    EXPECT_THAT(wrong.out + wrong.err,
                HasSubstr("bad.yaml:2: kafka.broker: unknown key; did you mean \"brokers\"?"));
  }
  EXPECT_EQ(run("config check --config none.yaml").exit_code, 78);
  EXPECT_EQ(run("config check", "BA_LOG_LEVEL=loud").exit_code, 78);
  for (const char* line : {"config check", "config check --json"}) {
    const ProgramRun masked = run(line, "BA__POSTGRES__URL_FILE=postgresql://u:sesame1@h/d");
    EXPECT_EQ(masked.exit_code, 78);
    EXPECT_THAT(masked.out, AllOf(HasSubstr("u:***@h"), Not(HasSubstr("sesame1"))));
  }
}

TEST_F(ProgramTest, ProblemsOfTheConfigurationAreData) {
  write("data.yaml",
        "kafka:\n  broker: a:1\nllm: {providers: {p: {api_key: [sk-hunter2hunter2],\n"
        "  protocol: opnai}}}\npostgres: {schema: 'Äh', url: 'postgresql://u:sesame1@h/d?x=y'}\n");
  const ProgramRun ran = run("config check --json --config data.yaml", "BA_LOG_LEVEL=lowd");
  EXPECT_EQ(ran.exit_code, 78);
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("hunter2")), Not(HasSubstr("sesame1"))));
  const auto document = nlohmann::json::parse(ran.out);
  std::map<std::string, nlohmann::json> problems;
  for (const auto& one : document["problems"]) problems[one["key"].get<std::string>()] = one;
  ASSERT_EQ(problems.size(), document["errors"].size()) << ran.out;
  EXPECT_EQ(problems["kafka.broker"]["message"], document["errors"][0]);
  const auto has = [&](const char* key, const nlohmann::json& wanted) {
    for (const auto& [field, value] : wanted.items())
      EXPECT_EQ(problems[key][field], value) << key << ": " << field << "\n" << ran.out;
  };
  has("kafka.broker", {{"file", "data.yaml"},
                       {"line", 2},
                       {"column", 3},
                       {"kind", "unknown_key"},
                       {"value", nullptr},
                       {"nearest", "brokers"}});
  has("llm.providers.p.api_key",
      {{"line", 3}, {"column", 32}, {"kind", "wrong_shape"}, {"value", "a list"}});
  has("llm.providers.p.protocol", {{"line", 4},
                                   {"column", 13},
                                   {"kind", "not_a_choice"},
                                   {"value", "opnai"},
                                   {"allowed", "anthropic, openai_chat, openai_responses"}});
  has("postgres.schema", {{"line", 5}, {"kind", "not_allowed"}, {"value", "Äh"}});
  has("postgres.url", {{"line", 5}, {"kind", "not_allowed"}, {"value", nullptr}});
  has("observability.log_level", {{"file", nullptr},
                                  {"line", nullptr},
                                  {"column", nullptr},
                                  {"origin", "environment BA_LOG_LEVEL"},
                                  {"kind", "not_a_choice"},
                                  {"value", "lowd"}});
}

TEST_F(ProgramTest, ANameOfNothingIsAProblemWithTheNameAlone) {
  write("names.yaml",
        "agents:\n  a: {data_sources: [sales], sub_agents: [cleark], tools: [query_databse]}\n"
        "  clerk: {model: small}\n");
  const ProgramRun ran = run("config check --json --config names.yaml");
  std::map<std::string, nlohmann::json> problems;
  const auto document = nlohmann::json::parse(ran.out);
  for (const auto& one : document["problems"]) problems[one["key"].get<std::string>()] = one;
  const auto has = [&](const char* key, const nlohmann::json& value, const nlohmann::json& near) {
    EXPECT_EQ(problems[key]["kind"], "not_there") << key << "\n" << ran.out;
    EXPECT_EQ(problems[key]["value"], value) << key << "\n" << ran.out;
    EXPECT_EQ(problems[key]["nearest"], near) << key << "\n" << ran.out;
  };
  has("agents.a.data_sources", "sales", nullptr);
  has("agents.a.sub_agents", "cleark", "clerk");
  has("agents.a.tools", "query_databse", "query_database");
  has("agents.clerk.model", "small", nullptr);
  EXPECT_EQ(problems["agents.a.data_sources"]["allowed"], nullptr) << "there are none";
  EXPECT_EQ(problems["agents.clerk.model"]["allowed"], nullptr);
}

TEST_F(ProgramTest, AFileThatCanNotBeReadIsAProblemWithItsPlace) {
  write("open.yaml", "agents:\n  a:\n    tools: [one, two\n");
  write("none.yaml", "a: 1\nb: ${BA_SURELY_NOT_SET}\n");
  const auto problem = [this](const std::string& file) {
    const auto problems =
        nlohmann::json::parse(run("config check --json --config " + file).out)["problems"];
    EXPECT_EQ(problems.size(), 1U) << file;
    return problems.at(0);
  };
  EXPECT_EQ(problem("open.yaml")["kind"], "unreadable");
  EXPECT_EQ(problem("open.yaml")["file"], "open.yaml");
  EXPECT_EQ(problem("none.yaml")["line"], 2);
  EXPECT_EQ(problem("none.yaml")["column"], 4);
  EXPECT_EQ(problem("missing.yaml")["line"], nullptr);
}

TEST_F(ProgramTest, AWorkerWithoutItsServersAddressesSaysWhichAndEnds) {
  const ProgramRun database = run("worker");
  EXPECT_EQ(database.exit_code, 78);
  EXPECT_THAT(database.err, HasSubstr("postgres.url is not set: set BA_POSTGRES_URL"));
  const ProgramRun brokers = run("worker", "BA_POSTGRES_URL=postgresql://a@127.0.0.1:1/x");
  EXPECT_EQ(brokers.exit_code, 78);
  EXPECT_THAT(brokers.err, HasSubstr("kafka.brokers is not set: set BA_KAFKA_BROKERS"));
}

TEST_F(ProgramTest, AnAgentsToolThatCanNotBeItsOwnIsAConfigurationError) {
  const auto problem = [this](const std::string& tool, const std::string& more = "") {
    write("tools.yaml", "agents:\n  files:\n    tools: [" + tool + "]\n" + more);
    const ProgramRun checked = run("config check --config tools.yaml");
    EXPECT_EQ(checked.exit_code, checked.out.starts_with("error") ? 78 : 0) << checked.out;
    return checked.out;
  };
  EXPECT_THAT(problem("file_raeder"),
              AllOf(HasSubstr("tools.yaml:3: agents.files.tools: there is no tool \"file_raeder\"; "
                              "did you mean \"file_reader\"? (there are: "),
                    HasSubstr("query_database")));
  EXPECT_THAT(problem("query_database"),
              HasSubstr("\"query_database\" is not configured: set tools.data_sources"));
  EXPECT_THAT(problem("execute_command", "tools: {execute_command: {enabled: true}}\n"),
              HasSubstr("\"execute_command\" needs permission admin; the agent's is default"));
  EXPECT_THAT(problem("file_reader", "tools: {settings: {file_reader: {enabled: false}}}\n"),
              HasSubstr("is switched off by tools.settings.file_reader.enabled"));
  EXPECT_THAT(problem("file_reader"), HasSubstr("configuration is valid"));
  const std::string server = "mcp: {servers: {mini: {command: [mini]}}}\n";
  EXPECT_THAT(problem("mini_add", server), HasSubstr("configuration is valid"));
  EXPECT_THAT(problem("mimi_add", server), HasSubstr("there is no tool \"mimi_add\""));
  write("tools.yaml", "agents:\n  files:\n    tools: [file_raeder]\n");
  EXPECT_EQ(run("worker --config tools.yaml").exit_code, 78);
}

TEST_F(ProgramTest, ACheckedConfigurationSaysWhoWritesSummaries) {
  std::string prices;
  const auto note = [this, &prices](const std::string& context) {
    write("summaries.yaml",
          "llm:\n  providers: {p: {protocol: openai_chat, base_url: 'http://127.0.0.1:1/v1'}}\n"
          "  models: {large: {provider: p, model_id: l, context_window: 100000},"
          " small: {provider: p, model_id: s, context_window: 100000" +
              prices +
              "}}\n"
              "  default_model: large\n"
              "agents: {analyst: {model: small}}\n" +
              context);
    return run("config check --config summaries.yaml").out;
  };
  const std::string summaries = "note     summaries of long conversations: ";
  EXPECT_THAT(note(""), HasSubstr(summaries + "by each agent's own model (analyst \"small\", "
                                              "default \"large\")\n"));
  EXPECT_THAT(note("context: {summary: {model: small}}\n"),
              HasSubstr(summaries + "by model \"small\"\n"));
  EXPECT_THAT(note("context: {summary: {model: off}}\n"),
              HasSubstr(summaries + "none, as context.summary.model is \"off\"\n"));
  EXPECT_THAT(note("context: {mode: extract}\n"),
              HasSubstr(summaries + "none, as context.mode is \"extract\"\n"));
  EXPECT_THAT(note("context: {enable_llm_summarization: false}\n"),
              HasSubstr("none, as context.enable_llm_summarization is false\n"));
  prices = ", prices: {input_per_mtok_usd: 15, output_per_mtok_usd: 75}";
  EXPECT_THAT(note(""), HasSubstr("; by \"small\" one may cost more than "
                                  "context.max_compression_cost_per_hour ($0.1 of all workers)"));
  EXPECT_THAT(note("context: {max_compression_cost_per_hour: 5}\n"),
              Not(HasSubstr("one may cost more")));
}

TEST_F(ProgramTest, AToolThatIsNotThereIsToldBesideAllElseThatIsWrong) {
  for (const char* other : {"tools: {files: {roots: [{name: data, path: /no/such/place}]}}\n",
                            "tools: {settings: {database_write: {cache_policy: ttl_short}}}\n",
                            "tools: {data_sources: [{name: A, url: 'host=h'}]}\n",
                            "http: {port: x}\n", "skills: {roots: [/no/such/place]}\n"}) {
    write("tools.yaml", std::string("agents:\n  a:\n    tools: [query_databse]\n") + other);
    EXPECT_THAT(
        run("config check --config tools.yaml").out,
        HasSubstr("tools.yaml:3: agents.a.tools: there is no tool \"query_databse\"; did you "
                  "mean \"query_database\"? (there are: "))
        << other;
  }
  write("tools.yaml", "agents:\n  a:\n    tools: ['*', query_databse]\n");
  EXPECT_THAT(
      run("config check --config tools.yaml").out,
      HasSubstr("warning  tools.yaml:3: agents.a.tools: there is no tool \"query_databse\""))
      << "a worker begins all the same";
  write("tools.yaml", "agents: {a: {tool_settings: {web_serch: {timeout_ms: 1000}}}}\n");
  EXPECT_THAT(run("config check --config tools.yaml").out,
              HasSubstr("tools.yaml:1: agents.a.tool_settings.web_serch: there is no tool "
                        "\"web_serch\"; did you mean \"web_search\"?"));
  write("tools.yaml", "agents: {a: {tool_settings: {web_search: {timeout_ms: 1000}}}}\n");
  EXPECT_THAT(run("config check --config tools.yaml").out, HasSubstr("configuration is valid"));
  write("tools.yaml", "tools: {settings: {web_serch: {timeout_ms: 1000}}}\n");
  EXPECT_THAT(run("config check --config tools.yaml").out,
              HasSubstr("warning  tools.yaml:1: tools.settings.web_serch: there is no tool "
                        "\"web_serch\"; did you mean \"web_search\"?"));
}

TEST_F(ProgramTest, ConfigCheckWarnsOfAServerOfToolsWhoseProgramIsNotHere) {
  const auto warned = [this](const std::string& server, const std::string& variables = "") {
    write("mcp.yaml", "mcp:\n  servers:\n    a: " + server + "\n");
    const ProgramRun ran = run("config check --config mcp.yaml", variables);
    EXPECT_EQ(ran.exit_code, 0) << ran.out;
    return ran.out;
  };
  EXPECT_THAT(warned("{command: [no-such-program, x]}"),
              HasSubstr("warning  mcp.yaml:3: mcp.servers.a.command: there is no program "
                        "'no-such-program' on the PATH here"));
  EXPECT_THAT(warned("{command: [/no/such/program]}"),
              HasSubstr("there is no program '/no/such/program' here"));
  write("mini", "#!/bin/sh\n");
  EXPECT_THAT(warned("{command: [./mini]}"), HasSubstr("there is no program './mini'"))
      << "it may not be run";
  ASSERT_EQ(::chmod((folder_ / "mini").c_str(), 0755), 0);
  const std::string path = "PATH=/nowhere:'" + folder_.string() + "'";
  for (const std::string& server :
       {std::string("{command: [./mini]}"), std::string("{command: [mini]}"),
        std::string("{command: [no-such-program], enabled: false}"),
        std::string("{url: 'http://127.0.0.1:1'}")})
    EXPECT_THAT(warned(server, path), Not(HasSubstr("there is no program"))) << server;
  write("mcp.yaml", "mcpServers:\n  a: {command: no-such-program}\n");
  EXPECT_THAT(run("config check --config mcp.yaml").out,
              HasSubstr("mcp.yaml:2: mcpServers.a.command: there is no program"));
}

TEST_F(ProgramTest, ConfigPrintLeavesOutWhatNothingReads) {
  write("unused.yaml",
        "tools: {settings: {web_serch: {timeout_ms: 1000}, web_search: {timeout_ms: 2000}}}\n");
  const ProgramRun ran = run("config print --config unused.yaml");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("web_search:"), HasSubstr("timeout_ms: 2000")));
  EXPECT_THAT(ran.out, Not(HasSubstr("web_serch")));
  EXPECT_THAT(ran.err, HasSubstr("tools.settings.web_serch is left out: nothing reads it"));
  EXPECT_THAT(run("config print --config unused.yaml --json").out, Not(HasSubstr("web_serch")));
}

TEST_F(ProgramTest, WhatIsSaidOfASecretsSettingIsSaidWhole) {
  write("key.yaml", "llm: {providers: {p: {api_key: [sk-hunter2hunter2]}}}\n");
  const ProgramRun ran = run("worker --config key.yaml");
  EXPECT_EQ(ran.exit_code, 78);
  EXPECT_THAT(ran.err, HasSubstr("llm.providers.p.api_key: is a list; must be a single value"));
  EXPECT_THAT(ran.err, Not(HasSubstr("hunter2")));
}

TEST_F(ProgramTest, AWrongValueOfAFlagIsUsageAndOfAVariableConfiguration) {
  const ProgramRun flag = run("config check --log-level loud");
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.err, HasSubstr("must be one of debug, info, warning, error, critical"));
  EXPECT_EQ(run("config check", "BA_LOG_LEVEL=loud").exit_code, 78);
}

TEST_F(ProgramTest, ASecretFileThatIsMissingIsOneFailureOfDoctor) {
  write(
      "none.yaml",
      "postgres: {url_file: /no/such/pg}\n"
      "llm:\n  providers: {p: {protocol: anthropic, base_url: 'http://127.0.0.1:1', api_key_file: "
      "/no/such/key}}\n  models: {m: {provider: p}}\n  default_model: m\n"
      "tools: {data_sources: [{name: sales, url_file: /no/such/url}]}\n");
  const ProgramRun ran = run("doctor --config none.yaml");
  EXPECT_EQ(ran.exit_code, 78);
  for (const char* file : {"/no/such/pg", "/no/such/key", "/no/such/url"})
    EXPECT_THAT(ran.out, HasSubstr(std::string("can't read ") + file));
  for (const char* follow_up : {"postgres.url is not set", "provider p", "data source sales",
                                "no data source and no file root"})
    EXPECT_THAT(ran.out, Not(HasSubstr(follow_up)));
}

TEST_F(ProgramTest, HelpNamesOptionsAsTheyAreGiven) {
  EXPECT_THAT(run("config print --help").out,
              AllOf(HasSubstr("--no-origins"), Not(HasSubstr("{false}"))));
  EXPECT_THAT(run("config print").out, HasSubstr("# default"));
  EXPECT_THAT(run("config print --no-origins").out, Not(HasSubstr("# default")));
}

TEST_F(ProgramTest, AConfigurationWithoutAModelIsToldSo) {
  EXPECT_THAT(run("config check").out,
              HasSubstr("warning  no model is configured, which a worker needs: set "));
  EXPECT_THAT(run("config check", "OPENAI_API_KEY=k").out, Not(HasSubstr("no model")));
}

TEST_F(ProgramTest, AConfigurationWithoutItsServersIsToldSo) {
  const std::string told = run("config check").out;
  EXPECT_THAT(told, HasSubstr("warning  kafka.brokers is not set: set BA_KAFKA_BROKERS"));
  EXPECT_THAT(told, HasSubstr("warning  postgres.url is not set: set BA_POSTGRES_URL"));
  EXPECT_THAT(run("config check", "BA_KAFKA_BROKERS=h:1 BA_POSTGRES_URL=host=h").out,
              Not(HasSubstr("is not set")));
}

TEST_F(ProgramTest, AMissingSettingExitsWith78AndSaysHowToSetIt) {
  EXPECT_THAT(run("submit question").err, HasSubstr("set BA_KAFKA_BROKERS"));
  EXPECT_EQ(run("submit question").exit_code, 78);
  EXPECT_EQ(run("show job").exit_code, 78);
  EXPECT_EQ(run("migrate").exit_code, 78);
  EXPECT_EQ(run("results").exit_code, 78);
}

TEST_F(ProgramTest, AnUnreachableDatabaseExitsWith69) {
  for (const char* line : {"show job", "migrate", "migrate --status", "migrate --dry-run"}) {
    const ProgramRun down = run(line, "BA_POSTGRES_URL=postgresql://u:hunter2@127.0.0.1:1/d");
    EXPECT_EQ(down.exit_code, 69) << line << ": " << down.err;
    EXPECT_THAT(down.err, AllOf(StartsWith("ba-agent: PostgreSQL 127.0.0.1:1/d: "),
                                HasSubstr("start the server, or correct postgres.url"),
                                Not(HasSubstr("hunter2"))));
  }
}

TEST_F(ProgramTest, AFifoThatNobodyWritesToIsRefused) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const std::string both =
      "BA_KAFKA_BROKERS=127.0.0.1:1 BA_POSTGRES_URL=postgresql://127.0.0.1:1/d";
  for (const char* line : {"config check --config pipe", "submit --file pipe",
                           "job resolve j --happened --result-file pipe",
                           "config check --set postgres.url_file=pipe"}) {
    const ProgramRun refused = run(line, both);
    EXPECT_NE(refused.exit_code, 0) << line;
    EXPECT_THAT(refused.err + refused.out, HasSubstr("no regular file")) << line;
  }
  EXPECT_EQ(run("config check --config /dev/stdin", "", "http: {port: 4711}\n").exit_code, 0);
}

TEST_F(ProgramTest, AnIdThatCanBeNoneIsCutInTheError) {
  const std::string url = "BA_POSTGRES_URL=postgresql://127.0.0.1:1/d";
  for (const std::string& id : {std::string(50'000, 'x'), std::string("'a\nb'")}) {
    const ProgramRun refused = run("show " + id, url);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_LT(refused.err.size(), 300U);
    EXPECT_THAT(refused.err, HasSubstr("ids have 200 characters at most"));
  }
}

TEST_F(ProgramTest, FindsTheFileInItsFolder) {
  write("ba-agent.yaml", "http: {port: 4711}\n");
  EXPECT_THAT(run("config print").out,
              HasSubstr("  port: 4711                                # ba-agent.yaml:1\n"));
  EXPECT_THAT(run("config print", "BA_HTTP_PORT=4712").out,
              HasSubstr("# environment BA_HTTP_PORT\n"));
  const ProgramRun flag = run("config print --set http.port=4713", "BA_HTTP_PORT=4712");
  EXPECT_THAT(flag.out, HasSubstr("port: 4713"));
  EXPECT_THAT(flag.out, HasSubstr("# flag --set\n"));
}

TEST_F(ProgramTest, ChecksAndPrintsWhatACommandMayTake) {
  write("ba-agent.yaml", "tools:\n  execute_command:\n    enabled: true\n    processes_max: 5\n");
  EXPECT_EQ(run("config check").exit_code, 0);
  EXPECT_THAT(run("config print").out,
              AllOf(HasSubstr("  execute_command:\n    enabled: true "),
                    HasSubstr("    processes_max: 5 "), HasSubstr("    permission: \"admin\" ")));
  write("ba-agent.yaml", "tools:\n  execute_command:\n    proceses_max: 5\n    threads: 0\n");
  const ProgramRun wrong = run("config check");
  EXPECT_EQ(wrong.exit_code, 78);
  EXPECT_THAT(wrong.out + wrong.err,
              AllOf(HasSubstr("ba-agent.yaml:3: tools.execute_command.proceses_max: unknown key; "
                              "did you mean \"processes_max\"?"),
                    HasSubstr("ba-agent.yaml:4: tools.execute_command.threads")));
}

TEST_F(ProgramTest, PrintsJsonWithoutSecrets) {
  const ProgramRun print = run("config print --json", "ANTHROPIC_API_KEY=sk-secret-secret");
  EXPECT_EQ(print.exit_code, 0);
  EXPECT_TRUE(nlohmann::json::accept(print.out));
  EXPECT_THAT(print.out + print.err, Not(HasSubstr("sk-secret-secret")));
  EXPECT_THAT(print.out, HasSubstr("environment ANTHROPIC_API_KEY"));
  const auto check = nlohmann::json::parse(run("config check --json").out);
  EXPECT_EQ(check["ok"], true);
}

TEST_F(ProgramTest, TextThatIsNotUtf8IsRefusedWithItsPlace) {
  const std::string brokers = "BA_KAFKA_BROKERS=127.0.0.1:1";
  const ProgramRun typed = run("submit \"caf\xe9\"", brokers);
  EXPECT_EQ(typed.exit_code, 2);
  EXPECT_THAT(typed.err, HasSubstr("argument 2: byte 3 is not valid UTF-8"));
  const ProgramRun piped = run("submit -", brokers, "one\ncaf\xe9");
  EXPECT_EQ(piped.exit_code, 2);
  EXPECT_THAT(piped.err, HasSubstr("standard input line 2: byte 7 is not valid UTF-8"));
  write("jobs.json", "{\"messages\":[\"caf\xe9\"]}");
  const ProgramRun filed = run("submit --file jobs.json", brokers);
  EXPECT_EQ(filed.exit_code, 2);
  EXPECT_THAT(filed.err, HasSubstr("jobs.json line 1: byte 17 is not valid UTF-8"));
  EXPECT_EQ(run("show \"caf\xe9\"", "BA_POSTGRES_URL=postgresql://127.0.0.1:1/d").exit_code, 2);
}

TEST_F(ProgramTest, AnEmptyQuestionIsAWrongLine) {
  for (const char* line : {"submit \"\"", "submit \"  \"", "submit hello \"\""}) {
    const ProgramRun empty = run(line, "BA_KAFKA_BROKERS=127.0.0.1:1");
    EXPECT_EQ(empty.exit_code, 2) << line;
    EXPECT_THAT(empty.err, HasSubstr("the question is empty")) << line;
  }
}

TEST_F(ProgramTest, SubmitTakesNoMoreThanItsLimit) {
  write("jobs.json", "");
  std::filesystem::resize_file(folder_ / "jobs.json", (256U << 20U) + 1);  // sparse
  const ProgramRun refused = run("submit --file jobs.json", "BA_KAFKA_BROKERS=127.0.0.1:1");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("can't read jobs.json: larger than 268435456 bytes"));
}

TEST_F(ProgramTest, BrokersThatDoNotAnswerAreAReasonOfTheirOwn) {
  for (const char* line :
       {"submit q", "submit q --wait", "results", "topics verify", "topics create"}) {
    const ProgramRun down = run(std::string(line) + " --set kafka.request_timeout_ms=300",
                                "BA_KAFKA_BROKERS=127.0.0.1:1");
    EXPECT_EQ(down.exit_code, 69) << line << ": " << down.err;
    EXPECT_THAT(down.err,
                AllOf(StartsWith("ba-agent: kafka: no answer from 127.0.0.1:1 within 0.3 s"),
                      HasSubstr("start the brokers, or correct kafka.brokers")));
  }
}

TEST_F(ProgramTest, WrongJobsAreRefusedBeforeAnythingIsSent) {
  const ProgramRun wrong = run("submit -", "BA_KAFKA_BROKERS=127.0.0.1:1", "{\"messages\": []}");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("messages"));
}

TEST_F(ProgramTest, AWorkerNeedsDescriptors) {
  const ProgramRun worker = run("worker",
                                "BA_KAFKA_BROKERS=127.0.0.1:1 BA_LLM_BASE_URL=http://127.0.0.1:1/v1"
                                " BA_POSTGRES_URL=postgresql://u@127.0.0.1:1/d"
                                " /bin/sh -c 'ulimit -n 64; exec \"$0\" \"$@\"'");
  EXPECT_EQ(worker.exit_code, 78);
  EXPECT_THAT(worker.err, AllOf(HasSubstr("may open 64 files"), HasSubstr("LimitNOFILE")));
}

TEST_F(ProgramTest, DoctorSaysWhatToDo) {
  const ProgramRun doctor = run("doctor --json");
  EXPECT_EQ(doctor.exit_code, 78) << "what failed first is that Kafka isn't configured";
  const auto json = nlohmann::json::parse(doctor.out);
  EXPECT_EQ(json["ok"], false);
  bool kafka = false;
  for (const auto& check : json["checks"]) {
    if (check["status"] == "FAIL") {
      EXPECT_NE(check["remedy"], "") << check;
    }
    kafka = kafka || (check["name"] == "kafka" && check["status"] == "FAIL");
  }
  EXPECT_TRUE(kafka);
  const std::string nobody = "BA_KAFKA_BROKERS=127.0.0.1:1 BA_LLM_BASE_URL=http://127.0.0.1:1";
  for (const char* leaky :
       {"BA_POSTGRES_URL='postgresql://u:%zzhunter2@h/d'",
        "BA_POSTGRES_URL='postgresql://u:hunter2@[::1/d'", "BA_KAFKA_BROKERS=u:hunter2@h:1"}) {
    EXPECT_THAT(run("doctor", leaky).out, Not(HasSubstr("hunter2"))) << leaky;
    EXPECT_THAT(run("doctor --json", leaky).out, Not(HasSubstr("hunter2"))) << leaky;
  }
  EXPECT_EQ(run("doctor", nobody).exit_code, 69) << "what failed first is that nobody is there";
  EXPECT_THAT(run("doctor").out, AllOf(HasSubstr("FAIL  kafka"), Not(HasSubstr("\x1b["))));
}

TEST_F(ProgramTest, EncodesAndDecodesWithoutAnyConfiguration) {
  const std::string json = R"([{"id":1,"name":"é"},{"id":2,"name":"#"}])";
  const ProgramRun encoded = run("encode --format compact --config none.yaml", "", json);
  EXPECT_EQ(encoded.exit_code, 0) << encoded.err;
  EXPECT_EQ(encoded.out, "[2]{id,name}:\n  1,é\n  2,\"#\"\n");
  EXPECT_EQ(run("encode --format compact --decode", "", encoded.out).out, json + "\n");
  write("data.json", "{\"a\":1}");
  EXPECT_EQ(run("encode --format xml --name t data.json").out,
            "<tool_result name=\"t\"><summary>Dictionary with 1 keys. Top keys: "
            "a</summary><data><a>1</a></data></tool_result>\n");
  EXPECT_EQ(run("encode --format compact --delimiter tab --indent 4", "", R"({"a":[[1,2]]})").out,
            "a[1\t]:\n    - [2\t]: 1\t2\n");
}

TEST_F(ProgramTest, EncodeSaysWhatItCanNotRead) {
  const ProgramRun broken = run("encode --format yaml --decode", "", "result: [");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.err, HasSubstr("standard input: line "));
  EXPECT_THAT(run("encode --format yaml none.json").err,
              HasSubstr("can't read none.json: No such"));
  for (const char* line : {"encode", "encode --format json", "encode --format xml --indent 3",
                           "encode --format compact --lenient", "encode --format compact a b"})
    EXPECT_EQ(run(line).exit_code, 2) << line;
}

TEST_F(ProgramTest, EncodesLinesEachOnItsOwn) {
  const ProgramRun lines =
      run("encode --format compact --jsonl", "",
          "{\"id\":1,\"value\":[]}\nnonsense\n{\"id\":2,\"value\":{\"a\":\"b\"}}\n");
  EXPECT_EQ(lines.exit_code, 1);
  EXPECT_THAT(lines.out, StartsWith("{\"id\":1,\"text\":\"[]\"}\n{\"id\":null,\"error\":\""));
  EXPECT_THAT(lines.out, HasSubstr("\n{\"id\":2,\"text\":\"a: b\"}\n"));
  EXPECT_EQ(run("encode --format xml --jsonl --decode", "",
                R"({"id":1,"text":"<data><item>1</item></data>"})")
                .out,
            "{\"id\":1,\"value\":[1]}\n");
}

}  // namespace
}  // namespace ba::cli
