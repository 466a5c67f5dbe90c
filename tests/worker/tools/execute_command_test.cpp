// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/execute_command.hpp"

#include "tests/worker/tools/sandbox_case.hpp"

namespace ba {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

using ExecuteCommandTool = SandboxCase;

TEST_F(ExecuteCommandTool, GivesExitCodeAndBothOutputs) {
  const Json data = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(data.at("exit_code"), 3);
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

TEST_F(ExecuteCommandTool, ACommandMayBeginWithADash) {
  EXPECT_EQ(run("-c 'echo x'").at("exit_code"), 127);
}

TEST_F(ExecuteCommandTool, NamesTheSignalThatKilledIt) {
  EXPECT_EQ(run("kill -9 $$").at("exit_code"), 128 + 9);
}

TEST_F(ExecuteCommandTool, ReplacesWhatIsNoText) {
  const Json data = run("printf 'a\\377b'");
  EXPECT_EQ(data.at("stdout"), "a\uFFFDb");
  EXPECT_TRUE(data.contains("not_utf8"));
}

TEST_F(ExecuteCommandTool, KillsWhatWritesTooMuchAndGivesTheBegin) {
  for (const char* command : {"yes", "yes >&2", "head -c 70000 /dev/zero | tr '\\0' y"}) {
    const Json data = run(command);
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
           Milliseconds(2000));
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::Timeout);
  EXPECT_EQ(raw.error->code, "TIMEOUT");
  EXPECT_EQ(raw.error->message, "Tool execution timed out after 2000ms");
  EXPECT_FALSE(raw.retry_useless);
  EXPECT_EQ(Json::parse(raw.data).at("stdout"), "begun\n");
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
  handle.reset();
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
      call({{"command", "perl -e '$x = \"y\" x 50e6; $i++ while time - $^T < 2'"}});
  EXPECT_GT(raw.metrics.at("memory_peak_mb"), 45);
  EXPECT_GT(raw.metrics.at("cpu_ms"), 100);
  EXPECT_GT(raw.metrics.at("cpu_percent"), 5);
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

TEST_F(ExecuteCommandTool, TestsItself) { EXPECT_TRUE(Sandbox(config).self_test()); }

TEST_F(ExecuteCommandTool, IsForAdminsAndRunsOnce) {
  const ExecuteCommand made(config, executor);
  EXPECT_EQ(made.descriptor().permission, PermissionLevel::Admin);
  EXPECT_EQ(made.descriptor().effect, EffectClass::Once);
  EXPECT_FALSE(made.descriptor().may_be_cached);
  EXPECT_EQ(made.descriptor().cache_policy, CachePolicy::NoCache);
}

}  // namespace
}  // namespace ba
