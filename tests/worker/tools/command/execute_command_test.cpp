// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/execute_command.hpp"

#include <sys/resource.h>

#include <csignal>
#include <optional>

#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/tool/schema_check.hpp"
#include "tests/worker/tools/command/sandbox_case.hpp"

namespace ba::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

using ExecuteCommandTool = SandboxCase;

TEST_F(ExecuteCommandTool, GivesExitCodeAndBothOutputs) {
  const Json data = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(data.at("ended"), "exit");
  EXPECT_EQ(data.at("exit_code"), 3);
  EXPECT_FALSE(data.contains("signal"));
  EXPECT_EQ(data.at("stdout"), "out\n");
  EXPECT_EQ(data.at("stderr"), "err\n");
  EXPECT_GE(data.at("duration_ms").get<int>(), 0);
}

TEST_F(ExecuteCommandTool, PassesInputAndFiles) {
  const RawToolResult raw = call({{"command", "cat; cat a.txt b-1; pwd"},
                                  {"stdin", "in "},
                                  {"files", {{"a.txt", "of a "}, {"b-1", "of b "}}}});
  EXPECT_EQ(Json::parse(raw.data).at("stdout"), "in of a of b /box\n");
}

TEST_F(ExecuteCommandTool, HasAnArtifactAsAFile) {
  config.artifacts = true;
  const Json given = {{"command", "cat artifact.*"}, {"artifact_id", "artifact_1"}};
  artifact = R"([{"n":1.10}])";
  EXPECT_EQ(Json::parse(call(given).data).at("stdout"), "[{\"n\":1.10}]\n");
  artifact = R"("a\nb")";
  EXPECT_EQ(Json::parse(call(given).data).at("stdout"), "a\nb");
  Json twice = given;
  twice["files"]["artifact.json"] = "x";
  EXPECT_EQ(call(twice).error->code, "INVALID_FILE_NAME");
  artifact = '"' + std::string(600'000, 'x') + '"';
  const RawToolResult large = call(given);
  ASSERT_TRUE(large.error);
  EXPECT_EQ(large.error->code, "ARTIFACT_TOO_LARGE");
  EXPECT_TRUE(large.never_happened);
}

TEST_F(ExecuteCommandTool, RunsScriptsOfActiveSkillsAndChangesNoneOfThem) {
  Skill skill;
  skill.name = "totals";
  skill.files = {{"scripts/sum.sh", 24, "#!/bin/sh\necho $(($1+$2))"},
                 {"logo.png", 9, std::nullopt},
                 {"table.csv", 4, "a,b\n"}};
  active_skills = {std::make_shared<const Skill>(skill)};
  EXPECT_EQ(output("/skills/totals/scripts/sum.sh 2 3; cat /skills/totals/table.csv"), "5\na,b\n");
  EXPECT_EQ(output("cd /skills/totals; find . -type f | sort"), "./scripts/sum.sh\n./table.csv\n");
  for (const char* change : {"echo x >> /skills/totals/table.csv", "rm -f /skills/totals/table.csv",
                             "echo x > /skills/new", "chmod u+w /skills/totals/table.csv"})
    EXPECT_NE(run(change).at("exit_code"), 0) << change;
  active_skills.clear();
  EXPECT_NE(run("ls /skills").at("exit_code"), 0);
}

TEST_F(ExecuteCommandTool, IsGivenSoManyFilesOfSkillsAtMost) {
  Skill skill;
  skill.name = "many";
  for (int i = 0; i < 257; ++i) skill.files.push_back({"f" + std::to_string(i), 1, "x"});
  active_skills = {std::make_shared<const Skill>(skill)};
  const RawToolResult raw = call({{"command", "true"}});
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->code, "TOO_MANY_SCRIPTS");
  EXPECT_TRUE(raw.never_happened);
}

TEST_F(ExecuteCommandTool, ACommandMayBeginWithADash) {
  EXPECT_EQ(run("-c 'echo x'").at("exit_code"), 127);
}

TEST_F(ExecuteCommandTool, NamesTheSignalThatKilledIt) {
  const Json killed = run("kill -9 $$");
  EXPECT_EQ(killed.at("ended"), "signal");
  EXPECT_EQ(killed.at("signal"), 9);
  EXPECT_EQ(killed.at("exit_code"), 128 + 9);
  EXPECT_EQ(killed.at("note"), "killed by signal 9 (SIGKILL)");
}

TEST_F(ExecuteCommandTool, SaysThatItsCpuTimeWasUp) {
  config.cpu_seconds_max = 1;
  const Json data = run("while :; do :; done");
  EXPECT_EQ(data.at("signal"), SIGXCPU);
  EXPECT_THAT(data.at("note").get<std::string>(), HasSubstr("it used up its CPU time"));
}

TEST_F(ExecuteCommandTool, OpensNoMoreFilesThanItMay) {
  config.open_files_max = 20;
  EXPECT_EQ(run("perl -e 'for (1..99) { open($f[$_], q{<}, q{/dev/null}) or last; $n++ } "
                "print $n, q{ }, $!+0'")
                .at("stdout"),
            "17 24");  // three are open at the start; EMFILE
}

TEST_F(ExecuteCommandTool, TakesNoMoreThanItsSchemaSays) {
  const ExecuteCommand made(config, executor);
  const auto schema = SchemaCheck::compile(made.descriptor().parameters_schema);
  ASSERT_TRUE(schema);
  const auto refusal = [&](const char* parameter, const Json& value) -> std::string {
    Json parameters = Json::object();
    parameters["command"] = "true";
    parameters[parameter] = value;
    const auto checked = schema->check(parameters.dump(), 100'000'000);
    return checked ? "" : checked.error().message;
  };
  const auto files = [](int count) {
    Json all = Json::object();
    for (int i = 0; i < count; ++i) all["f" + std::to_string(i)] = "x";
    return all;
  };
  EXPECT_EQ(refusal("command", std::string(30'000, 'x')), "");
  EXPECT_NE(refusal("command", std::string(30'001, 'x')), "");
  EXPECT_NE(refusal("command", ""), "");
  EXPECT_EQ(refusal("timeout_ms", 86'400'000), "");
  EXPECT_NE(refusal("timeout_ms", 86'400'001), "");
  EXPECT_NE(refusal("timeout_ms", 1e30), "");
  EXPECT_EQ(refusal("stdin", std::string(1'000'000, 'x')), "");
  EXPECT_NE(refusal("stdin", std::string(1'000'001, 'x')), "");
  EXPECT_EQ(refusal("files", files(32)), "");
  EXPECT_NE(refusal("files", files(33)), "");
}

TEST_F(ExecuteCommandTool, TakesLongInput) {
  const std::string text(900'000, 'x');
  const RawToolResult raw = call({{"command", "wc -c < a; wc -c # " + std::string(29'000, 'x')},
                                  {"stdin", text},
                                  {"files", {{"a", text}}}});
  EXPECT_EQ(Json::parse(raw.data).at("stdout"), "900000\n900000\n");
}

TEST_F(ExecuteCommandTool, RefusesFilesOutsideItsDirectory) {
  for (const std::string& name :
       {std::string("../x"), std::string("a/b"), std::string("/x"), std::string("."),
        std::string(".."), std::string(".x"), std::string("-x"), std::string(),
        std::string("a\0b", 3), std::string("é"), std::string(101, 'x')}) {
    Json parameters = Json::object();
    parameters["command"] = "ls";
    parameters["files"][name] = "x";
    const RawToolResult raw = call(parameters);
    ASSERT_TRUE(raw.error) << name;
    EXPECT_EQ(raw.error->type, ToolErrorType::InvalidParameters);
    EXPECT_EQ(raw.error->code, "INVALID_FILE_NAME");
    EXPECT_EQ(tool->refusal(parameters.dump()), raw.error);
  }
  EXPECT_EQ(tool->refusal(R"({"command":"x","files":{"a.b-C_1":"x"}})"), std::nullopt);
  EXPECT_EQ(tool->refusal(R"({"command":"x"})"), std::nullopt);
}

TEST_F(ExecuteCommandTool, RefusesACommandThatWouldBeCutAtANul) {
  const Json parameters{{"command", std::string("echo a\0; echo b", 16)}};
  const RawToolResult raw = call(parameters);
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::InvalidParameters);
  EXPECT_THAT(raw.error->message, HasSubstr("U+0000"));
  EXPECT_EQ(tool->refusal(parameters.dump()), raw.error);
}

TEST_F(ExecuteCommandTool, SaysThatAFileIsTooLarge) {
  const Json data = run("exec head -c 2000000 /dev/zero > x");
  EXPECT_EQ(data.at("signal"), SIGXFSZ);
  EXPECT_THAT(data.at("note").get<std::string>(), HasSubstr("a file that is too large"));
}

TEST_F(ExecuteCommandTool, ReplacesWhatIsNoText) {
  const Json data = run("printf 'a\\377b'");
  EXPECT_EQ(data.at("stdout"), "a\uFFFDb");
  EXPECT_TRUE(data.contains("not_utf8"));
}

TEST_F(ExecuteCommandTool, KillsWhatWritesTooMuchAndGivesTheBegin) {
  for (const char* command : {"yes", "yes >&2", "head -c 70000 /dev/zero | tr '\\0' y"}) {
    const Json data = run(command);
    EXPECT_EQ(data.at("ended"), "output_limit");
    EXPECT_FALSE(data.contains("exit_code"));
    EXPECT_TRUE(data.at("truncated"));
    EXPECT_THAT(data.at("note").get<std::string>(), HasSubstr("more than is taken"));
    EXPECT_EQ(
        data.at("stdout").get<std::string>().size() + data.at("stderr").get<std::string>().size(),
        static_cast<std::size_t>(config.output_bytes_max));
  }
  EXPECT_FALSE(run("head -c 65536 /dev/zero | tr '\\0' y").contains("truncated"));
}

TEST_F(ExecuteCommandTool, ATimeoutKillsAndKeepsWhatWasWritten) {
  const std::string seconds = marker(1);
  const RawToolResult raw =
      call({{"command", "echo begun; setsid sleep " + seconds + " & sleep " + seconds}},
           Milliseconds(5000));
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::Timeout);
  EXPECT_EQ(raw.error->code, "TIMEOUT");
  EXPECT_EQ(raw.error->message, "Tool execution timed out after 5000ms");
  EXPECT_FALSE(raw.retry_useless);
  const Json data = Json::parse(raw.data);
  EXPECT_EQ(data.at("ended"), "timeout");
  EXPECT_FALSE(data.contains("exit_code"));
  EXPECT_EQ(data.at("stdout"), "begun\n");
  EXPECT_GT(raw.metrics.at("memory_peak_mb"), 0);
  EXPECT_EQ(processes_with(seconds), 0);
}

TEST_F(ExecuteCommandTool, TheModelMayAskForLessTime) {
  const RawToolResult raw = call({{"command", "sleep 60"}, {"timeout_ms", 200}});
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->message, "Tool execution timed out after 200ms");
  EXPECT_TRUE(raw.retry_useless);
}

TEST_F(ExecuteCommandTool, ADestroyedCallLeavesNoProcess) {
  const std::string seconds = marker(2);
  auto handle = start({{"command", "setsid sleep " + seconds + " & sleep " + seconds}});
  ASSERT_TRUE(executor.run_until(
      [&] { return processes_with(std::string("sleep") + '\0' + seconds) >= 2; }));
  const auto group = std::filesystem::read_symlink(process_of({"sleep", seconds}) / "ns/pid");
  EXPECT_GE(processes_in(group), 3) << "two that sleep, and the first";
  EXPECT_NE(group, std::filesystem::read_symlink("/proc/self/ns/pid"));
  handle.reset();
  EXPECT_TRUE(executor.run_until([&] { return processes_in(group) == 0; }));
  EXPECT_TRUE(nothing_left(seconds));
  EXPECT_FALSE(answer);
}

TEST_F(ExecuteCommandTool, ADestroyedToolLeavesNoProcess) {
  const std::string seconds = marker(3);
  auto handle = start({{"command", "sleep " + seconds}});
  handle.reset();
  tool.reset();
  EXPECT_EQ(processes_with(seconds), 0);
}

TEST_F(ExecuteCommandTool, MeasuresMemoryAndTime) {
  const RawToolResult raw =
      call({{"command", "perl -e '$x = \"y\" x 50e6; $i++ while (times)[0] < 0.3'"}});
  EXPECT_GT(raw.metrics.at("memory_peak_mb"), 45);
  EXPECT_GE(raw.metrics.at("cpu_ms"), 300);
  EXPECT_GT(raw.metrics.at("cpu_percent"), 0);
}

TEST_F(ExecuteCommandTool, MeasuresWhatIsOverBeforeItIsLookedAt) {
  const RawToolResult raw = call({{"command", "i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done"}});
  EXPECT_GT(raw.metrics.at("cpu_ms"), 0);
}

TEST_F(ExecuteCommandTool, ACallThatWaitsTooLongIsNotStarted) {
  config.threads = 1;
  config.wait_max = Milliseconds(1000);  // a thread may begin late on a busy machine
  const std::string first = marker(6);
  const std::string second = marker(7);
  const auto running = occupy("sleep " + first);
  ASSERT_TRUE(executor.run_until([&] { return !process_of({"sleep", first}).empty(); }));
  const RawToolResult raw = call({{"command", "sleep " + second}});
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::ResourceError);
  EXPECT_EQ(raw.error->code, "TOO_MANY_COMMANDS");
  EXPECT_EQ(raw.error->message,
            "The command was not started: as many as may run at a time (1) were running for "
            "1000ms. Try again later.");
  EXPECT_TRUE(raw.never_happened);
  EXPECT_EQ(processes_with(second), 0);
  EXPECT_EQ(processes_in(std::filesystem::read_symlink(process_of({"sleep", first}) / "ns/pid")), 3)
      << "the first one runs on: bubblewrap's, the shell, sleep";
}

TEST_F(ExecuteCommandTool, WaitingIsToldAndTakesNothingOfTheModelsTime) {
  config.threads = 1;
  const auto running = occupy("sleep 6");
  const RawToolResult raw = call({{"command", "sleep 0.2; echo done"}, {"timeout_ms", 4500}});
  ASSERT_FALSE(raw.error) << raw.error->message;
  const Json data = Json::parse(raw.data);
  EXPECT_EQ(data.at("stdout"), "done\n");
  EXPECT_GE(data.at("waited_ms").get<int>(), 4500) << "more than the model's time";
  EXPECT_EQ(raw.metrics.at("queue_wait_ms"), data.at("waited_ms").get<double>());
}

/// The bounds lie seconds apart from what they tell apart, so that a busy machine breaks none.
TEST_F(ExecuteCommandTool, WaitingIsPartOfTheCallsTime) {
  config.threads = 1;
  const auto running = occupy("sleep 4");
  const RawToolResult raw = call({{"command", "echo begun; sleep 60"}}, Milliseconds(10'000));
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->message, "Tool execution timed out after 10000ms");
  const Json data = Json::parse(raw.data);
  EXPECT_EQ(data.at("stdout"), "begun\n");
  EXPECT_GE(data.at("waited_ms").get<int>(), 2000);
  EXPECT_LT(data.at("duration_ms").get<int>(), 9000) << "not all of the call's time once more";
}

TEST_F(ExecuteCommandTool, RefusesWhereThereIsNoSandbox) {
  config.bubblewrap = "/no/such/bwrap";
  const RawToolResult missing = call({{"command", "echo x"}});
  ASSERT_TRUE(missing.error);
  EXPECT_EQ(missing.error->type, ToolErrorType::DependencyError);
  EXPECT_EQ(missing.error->code, "SANDBOX_UNAVAILABLE");
  EXPECT_THAT(missing.error->message, Not(HasSubstr("/no/such")));
  EXPECT_TRUE(missing.data.empty());
  const auto test = Sandbox(config).self_test();
  ASSERT_FALSE(test);
  EXPECT_THAT(test.error().message, HasSubstr("/no/such/bwrap"));
  EXPECT_THAT(test.error().message, HasSubstr("Install bubblewrap"));
}

TEST_F(ExecuteCommandTool, RefusesWhereBubblewrapFails) {
  config.bubblewrap = "/usr/bin/false";
  EXPECT_EQ(call({{"command", "echo x"}}).error->code, "SANDBOX_UNAVAILABLE");
}

/// Until it is gone, the process may have only so much of something.
class LowLimit {
 public:
  LowLimit(decltype(RLIMIT_NOFILE) what, rlim_t value) : what_(what) {
    EXPECT_EQ(getrlimit(what, &before_), 0);
    const rlimit low{value, before_.rlim_max};
    EXPECT_EQ(setrlimit(what, &low), 0);
  }
  ~LowLimit() { setrlimit(what_, &before_); }

 private:
  decltype(RLIMIT_NOFILE) what_;
  rlimit before_{};
};

TEST_F(ExecuteCommandTool, RefusesWithoutADescriptorForItsListOfSystemCalls) {
  std::optional<Sandbox> sandbox;
  {
    const LowLimit none(RLIMIT_NOFILE, 0);
    sandbox.emplace(config);
  }
  const auto test = sandbox->self_test();
  ASSERT_FALSE(test) << "nothing runs without the list";
  EXPECT_EQ(test.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(test.error().message, HasSubstr("(memfd_create: Too many open files)"));
  EXPECT_THAT(test.error().message, HasSubstr("start the worker again"));
}

TEST_F(ExecuteCommandTool, RefusesWhereItsListOfSystemCallsCannotBeWritten) {
  std::optional<Sandbox> sandbox;
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  {
    const LowLimit none(RLIMIT_FSIZE, 0);
    sandbox.emplace(config);
  }
  std::signal(SIGXFSZ, signal_before);
  const auto test = sandbox->self_test();
  ASSERT_FALSE(test) << "nothing runs without the list";
  EXPECT_EQ(test.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(test.error().message, HasSubstr("(seccomp_export_bpf: File too large)"));
}

TEST_F(ExecuteCommandTool, TestsItself) { EXPECT_TRUE(Sandbox(config).self_test()); }

TEST_F(ExecuteCommandTool, IsForAdminsAndRunsOnce) {
  const ExecuteCommand made(config, executor);
  EXPECT_EQ(made.descriptor().permission, PermissionLevel::Admin);
  EXPECT_EQ(made.descriptor().effect, EffectClass::Once);
  EXPECT_FALSE(made.descriptor().may_be_cached);
  EXPECT_EQ(made.descriptor().cache_policy, CachePolicy::NoCache);
}

}  // namespace
}  // namespace ba::command
