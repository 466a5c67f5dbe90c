#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool `execute_command` for tests, and what of its commands can be seen from outside. One
// thread.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/support/loop_executor.hpp"
#include "worker/tools/command/execute_command.hpp"

namespace ba::command {

/// How many processes of the machine have this text on their command line.
inline int processes_with(const std::string& text) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    count += line.find(text) != std::string::npos ? 1 : 0;
  }
  return count;
}

/// How many processes are in the process namespace with this name ("pid:[4026532181]"). Those that
/// may not be looked at are none of a command's: it runs as this user, or as nobody under root.
inline int processes_in(const std::filesystem::path& process_namespace) {
  int count = 0;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    count += std::filesystem::read_symlink(entry.path() / "ns/pid", problem) == process_namespace
                 ? 1
                 : 0;
  return count;
}

/// The directory below /proc of a process with exactly these words; empty: there is none.
inline std::filesystem::path process_of(const std::vector<std::string>& words) {
  std::string wanted;
  for (const std::string& word : words) wanted += word + '\0';
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    if (std::string((std::istreambuf_iterator<char>(file)), {}) == wanted) return entry.path();
  }
  return {};
}

class SandboxCase : public testing::Test {
 protected:
  SandboxCase() {
    config.enabled = true;
    config.memory_bytes_max = 256LL << 20;
    config.disk_bytes_max = 1LL << 20;
    config.processes_max = 16;
    config.output_bytes_max = 64 * 1024;
  }

  std::unique_ptr<ToolRun> start(nlohmann::json parameters, Milliseconds timeout = Seconds(30)) {
    if (!tool) tool = std::make_unique<ExecuteCommand>(config, executor);
    ToolInvocation invocation;
    invocation.parameters = parameters.dump();
    invocation.timeout = timeout;
    if (!artifact.empty()) invocation.artifacts["artifact_id"] = artifact;
    invocation.active_skills = active_skills;
    answer.reset();
    return tool->run(invocation, [this](RawToolResult raw) { answer = std::move(raw); });
  }

  /// A command whose answer nobody wants; it takes a thread.
  std::unique_ptr<ToolRun> occupy(const std::string& command) {
    if (!tool) tool = std::make_unique<ExecuteCommand>(config, executor);
    ToolInvocation invocation;
    invocation.parameters = nlohmann::json{{"command", command}}.dump();
    return tool->run(invocation, [](const RawToolResult&) {});
  }

  RawToolResult call(nlohmann::json parameters, Milliseconds timeout = Seconds(30)) {
    const auto run = start(std::move(parameters), timeout);
    EXPECT_TRUE(executor.run_until([&] { return answer.has_value(); }, Seconds(60)));
    return answer.value_or(RawToolResult{});
  }

  /// What a command of which no error is expected gives.
  nlohmann::json run(const std::string& command) {
    const RawToolResult raw = call({{"command", command}});
    EXPECT_FALSE(raw.error) << raw.error->message;
    return nlohmann::json::parse(raw.data, nullptr, false);
  }
  std::string output(const std::string& command) { return run(command).value("stdout", "?"); }

  /// Seconds to sleep that stand on no other command line.
  static std::string marker(int number) {
    return "98765" + std::to_string(getpid()) + std::to_string(number);
  }
  bool nothing_left(const std::string& text) {
    return executor.run_until([&] { return processes_with(text) == 0; }, Seconds(10));
  }

  using Seconds = std::chrono::seconds;
  LoopExecutor executor;
  std::vector<std::shared_ptr<const Skill>> active_skills;
  std::string artifact;  ///< the data of the one that calls name; empty: they name none
  CommandConfig config;
  std::unique_ptr<ExecuteCommand> tool;
  std::optional<RawToolResult> answer;
};

}  // namespace ba::command
