// SPDX-License-Identifier: Apache-2.0
// `ba-agent tool`: what it shows without a server.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

/// Takes connections and answers nobody.
class SilentServer {
 public:
  SilentServer() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() { close(socket_); }

  std::string url;

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

class ToolCommands : public ProgramTest {
 protected:
  static std::vector<Json> lines(const std::string& text) {
    std::vector<Json> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }

  static std::string call(const Json& id, const std::string& sql) {
    return Json{{"id", id}, {"args", {{"sql", sql}}}}.dump() + "\n";
  }

  /// One call's explanation.
  Json explained(const std::string& sql, const std::string& flags = "") {
    const ProgramRun ran = run("tool explain query_database --jsonl " + flags, "", call(1, sql));
    const auto answers = lines(ran.out);
    return answers.size() == 1 ? answers[0] : Json();
  }
};

TEST_F(ToolCommands, ListShowsEachToolWithItsClassPermissionAndCachePolicy) {
  const ProgramRun ran = run("tool list --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json tools = Json::parse(ran.out);
  std::map<std::string, Json> by_name;
  for (const Json& tool : tools) by_name[tool["name"]] = tool;
  EXPECT_EQ(by_name.at("query_database")["effect"], "pure");
  EXPECT_EQ(by_name.at("query_database")["cache_policy"], "ttl_short");
  EXPECT_EQ(by_name.at("query_database")["configured"], false);
  EXPECT_EQ(by_name.at("database_write")["effect"], "keyed");
  EXPECT_EQ(by_name.at("database_write")["permission"], "admin");
  EXPECT_EQ(by_name.at("database_write")["cache_policy"], "no_cache");
  EXPECT_EQ(by_name.at("execute_command")["effect"], "once");
  EXPECT_EQ(by_name.at("execute_command")["permission"], "admin");
  EXPECT_EQ(by_name.at("execute_command")["cache_policy"], "no_cache");
  EXPECT_EQ(by_name.at("execute_command")["configured"], false);
  EXPECT_THAT(run("tool list").out, HasSubstr("query_database"));
}

TEST_F(ToolCommands, EachBuiltInToolDeclaresItsClassPermissionPolicyAndHowItsParametersAreRead) {
  struct Row {
    const char* tool;
    const char* effect;
    const char* permission;
    const char* cache_policy;
    const char* parameter;  ///< with its x-semantic
    const char* kind;
  };
  const std::vector<Row> rows{
      {"query_database", "pure", "default", "ttl_short", "sql", "sql"},
      {"file_reader", "pure", "default", "ttl_short", "path", "path"},
      {"web_search", "pure", "default", "ttl_short", "query", "text"},
      {"vector_search", "pure", "default", "ttl_short", "query", "text"},
      {"database_write", "keyed", "admin", "no_cache", "sql", "sql"},
      {"file_write", "keyed", "admin", "no_cache", "path", "path"},
      {"execute_command", "once", "admin", "no_cache", "timeout_ms", "ignore"},
      {"task", "keyed", "restricted", "no_cache", "", ""},
      {"activate_skill", "keyed", "restricted", "no_cache", "resource", "path"},
      {"deactivate_skill", "keyed", "restricted", "no_cache", "", ""}};
  const Json tools = Json::parse(run("tool list --json").out);
  EXPECT_EQ(tools.size(), rows.size());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.tool);
    const Json described =
        Json::parse(run(std::string("tool describe --json ") + row.tool).out, nullptr, false);
    ASSERT_TRUE(described.is_object());
    EXPECT_EQ(described["effect"], row.effect);
    EXPECT_EQ(described["permission"], row.permission);
    EXPECT_EQ(described["cache_policy"], row.cache_policy);
    EXPECT_FALSE(described["version"].get<std::string>().empty());
    const Json& parameters = described["parameters"];
    EXPECT_EQ(parameters["additionalProperties"], false) << "a name that is mistaken is refused";
    EXPECT_TRUE(parameters["properties"].contains("output_level"));
    if (*row.parameter != '\0') {
      EXPECT_EQ(parameters["properties"][row.parameter]["x-semantic"], row.kind);
    }
  }
}

TEST_F(ToolCommands, DescribeShowsWhatAModelReads) {
  const ProgramRun ran = run("tool describe query_database --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json tool = Json::parse(ran.out);
  EXPECT_EQ(tool["parameters"]["properties"]["sql"]["x-semantic"], "sql");
  EXPECT_TRUE(tool["parameters"]["properties"].contains("output_level"));
  const ProgramRun unknown = run("tool describe query_databse");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no tool 'query_databse'; did you mean "
                                     "'query_database'? there are: "));
}

TEST_F(ToolCommands, AToolThatIsNotThereIsNamedWithTheNearestOneAndWhereToSeeAll) {
  for (const char* command : {"run query_databse '{}'", "describe query_databse",
                              "explain query_databse '{}'", "explain query_databse --jsonl"}) {
    const ProgramRun ran = run(std::string("tool ") + command);
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("there is no tool 'query_databse'; did you mean "
                                "'query_database'? there are: activate_skill, "),
                      HasSubstr("`ba-agent tool list`"), HasSubstr("`ba-agent tool list --mcp`")))
        << command;
  }
  write("ba-agent.yaml", "tools: {settings: {web_search: {enabled: false}}}\n");
  EXPECT_THAT(
      run("tool run web_search '{}'").err,
      HasSubstr("there is no tool 'web_search'; tools.settings.web_search.enabled is false"));
}

TEST_F(ToolCommands, AnAgentThatIsNotThereIsNamedWithTheNearestOne) {
  write("ba-agent.yaml", "agents: {analyst: {permission: default}}\n");
  for (const char* command :
       {"run query_database '{}'", "explain query_database '{}'", "describe query_database"}) {
    const ProgramRun ran = run(std::string("tool ") + command + " --agent analist");
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.err,
                HasSubstr("there is no agent 'analist'; did you mean 'analyst'? there are: "))
        << command;
  }
}

TEST_F(ToolCommands, RunOfAToolThatIsNotConfiguredNamesTheKey) {
  const ProgramRun ran = run("tool run query_database '{\"sql\": \"SELECT 1\"}'");
  EXPECT_EQ(ran.exit_code, 78);
  EXPECT_THAT(ran.err, HasSubstr("query_database is not configured: set tools.data_sources (no "
                                 "configuration file was found)"));
  EXPECT_THAT(run("tool run web_search '{}'").err, HasSubstr("set tools.web_search.base_url"));
}

TEST_F(ToolCommands, ExplainAnswersALogOfCallsInOrderWithoutAnyServer) {
  const ProgramRun ran = run(
      "tool explain query_database --jsonl", "",
      call(1, "SELECT 1") + call("b", "select 1") + "\n \r\n" + call(nullptr, "SELECT now()") +
          call(Json{{"any", 1}}, "DELETE FROM t") + Json{{"id", 5}, {"args", {{"sq", 1}}}}.dump());
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto answers = lines(ran.out);
  ASSERT_EQ(answers.size(), 5U);
  for (const Json& answer : answers) {
    std::vector<std::string> names;
    for (const auto& item : answer.items()) names.push_back(item.key());
    EXPECT_THAT(names, ElementsAre("id", "allowed", "cacheable", "key", "canonical", "reason"));
  }
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(answers[0]["allowed"], true);
  EXPECT_EQ(answers[0]["cacheable"], true);
  EXPECT_EQ(answers[0]["reason"], nullptr);
  EXPECT_EQ(answers[1]["id"], "b");
  EXPECT_EQ(answers[1]["key"], answers[0]["key"]);
  EXPECT_EQ(answers[2]["allowed"], true);
  EXPECT_EQ(answers[2]["cacheable"], false);
  EXPECT_EQ(answers[2]["reason"], "it asks for the time: now()");
  EXPECT_EQ(answers[3]["id"], (Json{{"any", 1}}));
  EXPECT_EQ(answers[3]["allowed"], false);
  EXPECT_THAT(answers[3]["reason"].get<std::string>(), HasSubstr("DELETE is not allowed"));
  EXPECT_EQ(answers[4]["allowed"], false);
  EXPECT_EQ(answers[4]["key"], nullptr);
  EXPECT_THAT(answers[4]["reason"].get<std::string>(), HasSubstr("sq: there is no such parameter"));
}

TEST_F(ToolCommands, ExplainAnswersLinesThatHoldNoCallAndSaysSoAtTheEnd) {
  const ProgramRun ran = run("tool explain query_database --jsonl", "",
                             "nonsense\n[]\n{\"id\":3}\n" + call(4, "SELECT 1") + "{\"id\":5,");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("4 of 5 lines hold no call"));
  const auto answers = lines(ran.out);
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_THAT(answers[0]["reason"].get<std::string>(), HasSubstr("line 1: not JSON"));
  EXPECT_THAT(answers[1]["reason"].get<std::string>(), HasSubstr("line 2: not an object"));
  EXPECT_THAT(answers[2]["reason"].get<std::string>(), HasSubstr("line 3: \"args\" is missing"));
  EXPECT_EQ(answers[2]["id"], 3);
  EXPECT_EQ(answers[3]["allowed"], true);
  EXPECT_EQ(answers[4]["allowed"], false);
}

TEST_F(ToolCommands, ExplainGivesAnIdBackAsItWasWritten) {
  const ProgramRun ran = run("tool explain query_database --jsonl", "",
                             "{\"id\":12345678901234567890123,\"args\":{\"sql\":\"SELECT 1\"}}\n"
                             "{\"args\":{\"sq\":1},\"id\":{\"n\": 1.50}}\n"
                             "{\"id\":0.10000000000000000001}\n");
  EXPECT_THAT(ran.out, ::testing::StartsWith("{\"id\":12345678901234567890123,\"allowed\":true,"));
  EXPECT_THAT(ran.out, HasSubstr("\n{\"id\":{\"n\": 1.50},\"allowed\":false,"));
  EXPECT_THAT(ran.out, HasSubstr("\n{\"id\":0.10000000000000000001,\"allowed\":false,"));
}

TEST_F(ToolCommands, ExplainSaysHowDeepALineMayBe) {
  const std::string deep(64, '[');
  const auto answers = lines(run("tool explain query_database --jsonl", "",
                                 "{\"id\":1,\"args\":" + deep + std::string(64, ']') + "}\n")
                                 .out);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["reason"], "line 1: JSON of more than 64 levels");
}

/// More than a command line can hold.
TEST_F(ToolCommands, ArgumentsComeFromAFileOrFromStandardInput) {
  const std::string args =
      Json{{"sql", "SELECT 1 -- " + std::string(200'000, 'x')}, {"limit", 7}}.dump();
  write("args.json", args + "\n");
  const Json first = Json::parse(
      run("tool explain query_database --args-file args.json --json", "", "nothing").out);
  EXPECT_THAT(first["reason"].get<std::string>(), HasSubstr("The statement has 200012 bytes"));
  for (const char* from : {"-", "--args-file -"}) {
    const ProgramRun ran = run(std::string("tool explain query_database --json ") + from, "", args);
    EXPECT_EQ(Json::parse(ran.out), first) << ran.err;
  }
  std::filesystem::create_directory(folder_ / "root");
  write("root/a.csv", "x\n1\n");
  write("ba-agent.yaml",
        "tools: {files: {roots: [{name: data, path: " + (folder_ / "root").string() + "}]}}\n");
  const std::string padded = "{\"path\": \"a.csv\"" + std::string(200'000, ' ') + "}";
  write("args.json", padded);
  for (const char* from : {"--args-file args.json", "-", "--args-file -"}) {
    const ProgramRun ran = run(std::string("tool run file_reader ") + from, "", padded);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("[1]{x}:\n  1"));
  }
}

TEST_F(ToolCommands, ArgumentsThatCannotBeReadAreAMatterOfUsage) {
  const auto fails = [this](const std::string& words, int code, const std::string& text,
                            const std::string& input = "") {
    for (const char* command : {"run", "explain"}) {
      const ProgramRun ran =
          run(std::string("tool ") + command + " query_database " + words, "", input);
      EXPECT_EQ(ran.exit_code, code) << ran.err;
      EXPECT_THAT(ran.err, HasSubstr(text));
    }
  };
  fails("--args-file nowhere", 1, "can't read nowhere: No such file");
  fails("'{}' --args-file nowhere", 2, "--args-file");
  fails("", 2, "--args-file");
  fails("-", 2, "standard input: byte 1 is not valid UTF-8", "\"\xff\"");
  const std::string large = "{\"sql\":\"" + std::string(2'097'143, 'x') + "\"}";
  write("large.json", large);
  fails("--args-file large.json", 2,
        "large.json: more than 2097152 bytes, which is what the arguments of a model's call may "
        "have (llm.limits.tool_args_bytes_max)");
  fails("-", 2, "standard input: more than 2097152 bytes", large);
  write("ba-agent.yaml", "llm: {limits: {tool_args_bytes_max: 10}}\n");
  fails("'{\"sql\": \"SELECT 1\"}'", 2, "the arguments: more than 10 bytes");
}

TEST_F(ToolCommands, ExplainRefusesALineWhoseArgumentsNoModelCanWrite) {
  const auto answers = lines(run("tool explain query_database --jsonl", "",
                                 call(1, std::string(9'000'000, 'x')) + call(2, "SELECT 1"))
                                 .out);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(answers[0]["allowed"], false);
  EXPECT_EQ(answers[0]["key"], nullptr);
  EXPECT_THAT(answers[0]["reason"].get<std::string>(),
              HasSubstr("the arguments: more than 2097152 bytes"));
  EXPECT_EQ(answers[1]["allowed"], true);
}

TEST_F(ToolCommands, ExplainReadsAFileAndSplitsItAtLineEndsOnly) {
  write("calls", call(1, "SELECT '\xE2\x80\xA8'") + call(2, "SELECT 2"));
  const ProgramRun ran = run("tool explain query_database --jsonl calls");
  EXPECT_EQ(lines(ran.out).size(), 2U) << ran.err;
  const ProgramRun missing = run("tool explain query_database --jsonl nowhere");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("can't read nowhere: No such file"));
}

TEST_F(ToolCommands, ExplainHasAKeyForEachTenantAgentPermissionAndGivenKey) {
  const Json key = explained("SELECT 1")["key"];
  EXPECT_NE(explained("SELECT 1", "--tenant acme")["key"], key);
  EXPECT_NE(explained("SELECT 1", "--permission admin")["key"], key);
  EXPECT_NE(explained("SELECT 1", "--idempotency-key k")["key"], key);
  EXPECT_EQ(explained("SELECT 1", "--idempotency-key k")["key"],
            explained("SELECT 2", "--idempotency-key k")["key"]);
  EXPECT_EQ(explained("SELECT 1", "--cache-policy ttl_long")["key"], key);
  const Json never = explained("SELECT 1", "--cache-policy no_cache");
  EXPECT_EQ(never["key"], key);
  EXPECT_EQ(never["cacheable"], false);
  EXPECT_EQ(never["reason"], "the cache policy is no_cache");
}

TEST_F(ToolCommands, ExplainSaysThatAToolIsNeverCachedAndWhatItsPermissionIs) {
  const Json args = {{"sql", "INSERT INTO t VALUES (1)"}};
  const std::string line = Json{{"id", 1}, {"args", args}}.dump();
  const auto refused = lines(run("tool explain database_write --jsonl", "", line).out);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0]["allowed"], false);
  EXPECT_THAT(refused[0]["reason"].get<std::string>(), HasSubstr("needs permission level admin"));
  EXPECT_NE(refused[0]["key"], nullptr);
  write("ba-agent.yaml",
        "tools: {database_write: {data_sources: [{name: db, url: 'postgresql://x/y', tables: "
        "[t]}]}}\n");
  const auto allowed =
      lines(run("tool explain database_write --jsonl --permission admin", "", line).out);
  ASSERT_EQ(allowed.size(), 1U);
  EXPECT_EQ(allowed[0]["allowed"], true);
  EXPECT_EQ(allowed[0]["cacheable"], false);
  EXPECT_EQ(allowed[0]["reason"], "results of database_write are never cached");
}

TEST_F(ToolCommands, ExplainLooksAtAPathWithoutOpeningIt) {
  const auto answers = lines(run("tool explain file_reader --jsonl", "",
                                 "{\"id\":1,\"args\":{\"path\":\"a/./b.csv\"}}\n"
                                 "{\"id\":2,\"args\":{\"path\":\"a/b.csv\"}}\n"
                                 "{\"id\":3,\"args\":{\"path\":\"/etc/passwd\"}}\n"
                                 "{\"id\":4,\"args\":{\"path\":\"../a\"}}\n")
                                 .out);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0]["allowed"], true);
  EXPECT_EQ(answers[0]["key"], answers[1]["key"]);
  EXPECT_EQ(answers[2]["allowed"], false);
  EXPECT_EQ(answers[3]["allowed"], false);
}

TEST_F(ToolCommands, ExplainOfOneCallIsForPeople) {
  const ProgramRun good = run("tool explain query_database '{\"sql\": \"SELECT 1\"}'");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("allowed    yes\ncacheable  yes\nkey        "));
  EXPECT_THAT(good.err, HasSubstr("query_database is not configured"));
  const ProgramRun bad = run("tool explain query_database '{\"sql\": \"DROP TABLE t\"}'");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.out, HasSubstr("reason     DROP is not allowed"));
  EXPECT_EQ(run("tool explain query_database").exit_code, 2);
  EXPECT_EQ(run("tool explain nothing '{}'").exit_code, 2);
  EXPECT_EQ(run("tool explain query_database '{}' --agent nobody").exit_code, 2);
  EXPECT_EQ(run("tool explain query_database '{}' --permission root").exit_code, 2);
}

TEST_F(ToolCommands, RunGivesTheObservationAsAJobWouldGetIt) {
  std::filesystem::create_directory(folder_ / "root");
  write("root/a.csv", "x,y\n1,2\n");
  write("ba-agent.yaml",
        "tools: {files: {roots: [{name: data, path: " + (folder_ / "root").string() + "}]}}\n");
  const ProgramRun good = run("tool run file_reader '{\"path\": \"a.csv\"}' --json");
  ASSERT_EQ(good.exit_code, 0) << good.err;
  const Json result = Json::parse(good.out);
  EXPECT_EQ(result["state"], "succeeded");
  EXPECT_THAT(result["observation"].get<std::string>(), HasSubstr("[1]{x,y}:\n  1,2"));
  std::vector<std::string> members;
  for (const auto& [name, value] : result.items()) members.push_back(name);
  EXPECT_THAT(members, UnorderedElementsAreArray(
                           {"schema_version", "tool_call_id",    "observation",   "output_level",
                            "artifact_id",    "data_size_bytes", "data_hash",     "data_summary",
                            "note",           "retry_count",     "last_error",    "success",
                            "error_code",     "error_type",      "error_message",
                            "duration_ms",  // and beside the versioned record:
                            "state",          "semantic_key",    "cache_hit",     "telemetry"}));
  const ProgramRun bad = run("tool run file_reader '{\"path\": \"../a.csv\"}'");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.out, HasSubstr("Error Type: permission_denied\nError Code: FILE_NOT_ALLOWED"));
  const ProgramRun brief =
      run("tool run file_reader '{\"path\": \"a.csv\", \"output_level\": \"brief\"}'");
  EXPECT_THAT(brief.out, HasSubstr("Found "));
  EXPECT_EQ(run("tool run file_reader").exit_code, 2);
}

/// As a model reads it, and what a job would keep is told: nobody could ask for an artifact of
/// this.
TEST_F(ToolCommands, RunTellsOfWhatAJobWouldKeepAndPrintsAllOfItAtLevelFull) {
  std::filesystem::create_directory(folder_ / "root");
  write("root/large.txt", std::string(1'500'000, 'x'));
  write("root/small.txt", "small");
  write("ba-agent.yaml", "tools: {files: {result_bytes_max: 2097152, roots: [{name: data, path: " +
                             (folder_ / "root").string() + "}]}}\n");
  const ProgramRun brief =
      run("tool run file_reader '{\"path\": \"large.txt\", \"output_level\": \"brief\"}'");
  ASSERT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_LT(brief.out.size(), 1000U);
  EXPECT_THAT(brief.err, ContainsRegex("a job would keep this result of 150[0-9]+ bytes as an "
                                       "artifact; with \"output_level\": \"full\" all of it is "
                                       "printed"));
  const ProgramRun full =
      run("tool run file_reader '{\"path\": \"large.txt\", \"output_level\": \"full\"}'");
  const ProgramRun usual = run("tool run file_reader '{\"path\": \"large.txt\"}'");
  EXPECT_LT(usual.out.size(), 5000U) << "the beginning, as a model reads it";
  EXPECT_THAT(usual.out, HasSubstr(" more characters"));
  EXPECT_THAT(usual.err, HasSubstr("with \"output_level\": \"full\" all of it is printed"));
  EXPECT_GT(full.out.size(), 1'500'000U) << "not cut at tools.observation_bytes_max";
  EXPECT_THAT(full.err, HasSubstr("as an artifact; here all of it is printed"));
  EXPECT_EQ(run("tool run file_reader '{\"path\": \"small.txt\", \"output_level\": \"full\"}'").err,
            "");
  EXPECT_EQ(run("tool run file_reader '{\"path\": \"small.txt\"}'").err, "");
}

/// Neither is it asked for a built-in tool.
TEST_F(ToolCommands, AToolOfAServerThatIsDownIsNamedWithIt) {
  write("ba-agent.yaml", "mcp: {servers: {late: {command: [/nonexistent/server]}}}\n");
  for (const char* command :
       {"describe late_echo", "explain late_echo '{}'", "run late_echo '{}'"}) {
    const ProgramRun ran = run(std::string("tool ") + command);
    EXPECT_EQ(ran.exit_code, 69) << command;
    EXPECT_THAT(ran.err,
                HasSubstr("there is no late_echo now: the server of tools 'late' is down"));
  }
  const ProgramRun listed = run("tool list --mcp --json");
  EXPECT_EQ(listed.exit_code, 69);
  EXPECT_THAT(listed.err, HasSubstr("the server of tools 'late' is down"));
  EXPECT_THAT(listed.out, HasSubstr("query_database"));
  EXPECT_EQ(run("tool list").exit_code, 0);
  EXPECT_EQ(run("tool explain query_database '{\"sql\": \"SELECT 1\"}'").exit_code, 0);
  EXPECT_EQ(run("tool describe lat_echo").exit_code, 2);
}

TEST_F(ToolCommands, ExplainAndRunRefuseWhatTheAgentsModelIsNotOffered) {
  std::filesystem::create_directory(folder_ / "root");
  write("root/a.csv", "x\n1\n");
  write("ba-agent.yaml",
        "tools:\n  files: {roots: [{name: data, path: " + (folder_ / "root").string() +
            "}]}\n  data_sources: [{name: d, url: postgresql://r@127.0.0.1:1/d, tables: t}]\n"
            "agents:\n  narrow: {tools: [query_database]}\n  wide: {}\n");
  const std::string call = "file_reader '{\"path\": \"a.csv\"}' --agent ";
  const ProgramRun narrow = run("tool explain " + call + "narrow --json");
  EXPECT_EQ(narrow.exit_code, 1);
  const Json explained = Json::parse(narrow.out);
  EXPECT_EQ(explained["allowed"], false);
  EXPECT_THAT(explained["reason"].get<std::string>(), HasSubstr("query_database"));
  EXPECT_TRUE(explained["key"].is_string());
  EXPECT_EQ(run("tool explain " + call + "wide").exit_code, 0);
  EXPECT_THAT(run("tool run " + call + "narrow").out, HasSubstr("TOOL_NOT_ALLOWED"));
  EXPECT_EQ(run("tool run " + call + "wide").exit_code, 0);
}

TEST_F(ToolCommands, AnAgentMayNameItsOwnDataSourcesOnly) {
  write("ba-agent.yaml",
        "tools:\n  data_sources:\n"
        "    - {name: sales, url: postgresql://r@127.0.0.1:1/d, tables: t}\n"
        "    - {name: stock, url: postgresql://r@127.0.0.1:1/e, tables: t}\n"
        "agents:\n  keeper: {tools: ['*'], data_sources: [stock]}\n");
  const auto reason = [this](const std::string& source) {
    const ProgramRun ran = run(
        "tool explain query_database --agent keeper --jsonl", "",
        Json{{"id", 1}, {"args", {{"sql", "SELECT 1"}, {"data_source", source}}}}.dump() + "\n");
    return lines(ran.out).at(0)["reason"];
  };
  EXPECT_EQ(reason("sales"), "The data_source 'sales' may not be used here. Allowed: stock");
  EXPECT_TRUE(reason("stock").is_null());
  const std::string described = run("tool describe query_database --agent keeper").out;
  EXPECT_THAT(described, HasSubstr("Data source stock"));
  EXPECT_THAT(described, Not(HasSubstr("sales")));
  EXPECT_THAT(run("tool describe query_database").out, HasSubstr("Data source sales"));
  const ProgramRun unoffered = run("tool describe database_write --agent keeper");
  EXPECT_EQ(unoffered.exit_code, 1);
  EXPECT_THAT(unoffered.err, HasSubstr("agent 'keeper' is not offered database_write"));
  write("ba-agent.yaml",
        "tools: {data_sources: [{name: sales, url: postgresql://r@127.0.0.1:1/d, tables: t}]}\n"
        "agents:\n  keeper: {data_sources: [sale]}\n");
  EXPECT_THAT(run("config check").out,
              HasSubstr("ba-agent.yaml:3: agents.keeper.data_sources: there is no data source "
                        "'sale'; did you mean 'sales'? (there are: sales)"));
}

TEST_F(ToolCommands, ExplainRefusesASubAgentOrSkillThatIsNotThere) {
  for (const char* skill : {"sales", "stock", "secret"}) {
    std::filesystem::create_directories(folder_ / "s" / skill);
    write(std::string("s/") + skill + "/SKILL.md",
          std::string("---\nname: ") + skill + "\ndescription: d\n---\nDo it.\n");
  }
  write("ba-agent.yaml",
        "skills: {roots: [s], tenants: {acme: {skills: [sales]}}}\n"
        "agents:\n  default: {sub_agents: [explorer], skills: [sales, stock]}\n"
        "  explorer: {description: looks around}\n");
  const auto reason = [this](const std::string& call, const std::string& flags = "") {
    const Json answer = Json::parse(run("tool explain " + call + " --json " + flags).out);
    EXPECT_EQ(
        answer["allowed"],
        answer["reason"] == "results of " + call.substr(0, call.find(' ')) + " are never cached");
    EXPECT_TRUE(answer["key"].is_string()) << "what it means is no secret";
    return answer["reason"].get<std::string>();
  };
  const auto task = [](const std::string& type) {
    return R"(task '{"description":"d","prompt":"p","subagent_type":")" + type + "\"}'";
  };
  EXPECT_EQ(reason(task("explorer")), "results of task are never cached");
  EXPECT_EQ(reason(task("expl")), "subagent_type 'expl' may not be asked; there are: explorer");
  EXPECT_EQ(reason(task("default")),
            "subagent_type 'default' may not be asked; there are: explorer");
  const auto skill = [](const std::string& name) {
    return R"(activate_skill '{"skill_name":")" + name + "\"}'";
  };
  EXPECT_EQ(reason(skill("stock")), "results of activate_skill are never cached");
  EXPECT_EQ(reason(skill("sale")),
            "There is no skill 'sale'; did you mean 'sales'? There are: sales, stock");
  EXPECT_EQ(reason(skill("secret")), "There is no skill 'secret'. There are: sales, stock");
  EXPECT_EQ(reason(skill("stock"), "--tenant acme"), "There is no skill 'stock'. There are: sales");
}

TEST_F(ToolCommands, TheKeyOfACallIsAnotherOneWhereItAsksAnotherDatabase) {
  const auto key = [this](const std::string& url) {
    write("ba-agent.yaml", "tools: {data_sources: [{name: d, url: '" + url + "', tables: t}]}\n");
    return explained("SELECT 1")["key"];
  };
  const Json first = key("postgresql://r:one@h:5432/d");
  ASSERT_TRUE(first.is_string());
  EXPECT_EQ(key("postgresql://r:two@h:5432/d"), first);  // another password
  for (const char* other : {"postgresql://r:one@i:5432/d", "postgresql://r:one@h:5433/d",
                            "postgresql://s:one@h:5432/d", "postgresql://r:one@h:5432/e"})
    EXPECT_NE(key(other), first) << other;
}

TEST_F(ToolCommands, WebSearchIsListedDescribedAndExplainedWithoutAnAddress) {
  EXPECT_THAT(run("tool list --json").out, HasSubstr("\"web_search\""));
  const ProgramRun described = run("tool describe web_search");
  EXPECT_THAT(described.out,
              ContainsRegex("web_search 2\\.0\\.0\\+[0-9a-f]{8} \\(not configured\\)"));
  EXPECT_THAT(described.out, HasSubstr("\"time_range\""));
  const auto answers = lines(
      run("tool explain web_search --jsonl", "",
          "{\"id\":1,\"args\":{\"query\":\"a b\"}}\n{\"id\":2,\"args\":{\"query\":\" a  b\"}}\n")
          .out);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["key"], answers[1]["key"]);
  EXPECT_EQ(answers[0]["key"].get<std::string>().size(), 64U);
}

TEST_F(ToolCommands, RunOfWebSearchSaysWhatIsWrongWithItsService) {
  write("ba-agent.yaml",
        "tools: {web_search: {base_url: 'http://127.0.0.1:1'}, "
        "retry: {max_retries: 0}}\n");
  const ProgramRun ran = run("tool run web_search '{\"query\": \"q\"}'");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("Error Type: transient_error\nError Code: SEARCH_UNREACHABLE"));
}

TEST_F(ToolCommands, RunTellsAPersonOfEachTryThatFailed) {
  write("ba-agent.yaml",
        "tools: {web_search: {base_url: 'http://127.0.0.1:1'}, "
        "retry: {max_retries: 1, initial_delay_ms: 1}}\n");
  EXPECT_THAT(run("tool run web_search '{\"query\": \"q\"}'").err,
              AllOf(HasSubstr("try 1 failed: "), HasSubstr("; next in "),
                    HasSubstr(", for 30.0 s at most")));
  EXPECT_EQ(run("tool run web_search '{\"query\": \"q\"}' --json").err, "");
}

TEST_F(ToolCommands, APolicyOnAToolThatIsNeverCachedIsAConfigurationError) {
  write("ba-agent.yaml", "tools: {settings: {database_write: {cache_policy: ttl_short}}}\n");
  const ProgramRun ran = run("config check");
  EXPECT_EQ(ran.exit_code, 78);
  EXPECT_THAT(ran.out, HasSubstr("tools.settings.database_write.cache_policy: ttl_short is not "
                                 "no_cache: results of this tool are never kept"));
}

TEST_F(ToolCommands, ThePolicyOfTheConfigurationHolds) {
  write("ba-agent.yaml",
        "tools: {settings: {query_database: {cache_policy: NO_CACHE, cache_scope: tenant}}}\n");
  const Json answer = explained("SELECT 1");
  EXPECT_EQ(answer["cacheable"], false);
  EXPECT_EQ(answer["reason"], "the cache policy is no_cache");
  EXPECT_THAT(answer["canonical"].get<std::string>(), ::testing::Not(HasSubstr("caller")));
}

TEST_F(ToolCommands, RunTakesATimeForThisCallAlone) {
  const SilentServer nobody;
  write("ba-agent.yaml", "tools: {web_search: {base_url: '" + nobody.url +
                             "'}, retry: {max_retries: 2, initial_delay_ms: 1}}\n");
  const std::string call = "tool run web_search '{\"query\": \"q\"}' ";
  const ProgramRun once = run(call + "--timeout-ms 100 --no-retry-on-timeout --json");
  EXPECT_EQ(once.exit_code, 1);
  EXPECT_EQ(Json::parse(once.out)["telemetry"]["attempts"], 1) << once.out;
  EXPECT_EQ(Json::parse(run(call + "--timeout-ms 20 --json").out)["telemetry"]["attempts"], 3);
  EXPECT_EQ(run(call + "--timeout-ms 0").exit_code, 2);
}

TEST_F(ToolCommands, WhatIsNoJsonIsSaidInPlainWords) {
  const ProgramRun ran = run("tool explain query_database '{\"sql\": SELECT 1}'");
  EXPECT_THAT(ran.err + ran.out, HasSubstr("not JSON: "));
  EXPECT_THAT(ran.err + ran.out, ::testing::Not(HasSubstr("json.exception")));
}

}  // namespace
}  // namespace ba::cli
