#pragma once
// SPDX-License-Identifier: Apache-2.0
// The engine with the tool `task`: agent "default" may ask "explorer", whose model looks once and
// answers, and "writer", whose model answers at once.

#include <gmock/gmock.h>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {

constexpr std::string_view kPromptOfExplorer = "You explore.";
constexpr std::string_view kPromptOfWriter = "You write.";

class SubAgentTest : public EngineTest {
 protected:
  SubAgentTest() {
    SubAgentTypes types{{"default", {"explorer", "writer"}}};
    EXPECT_TRUE(registry_.add(std::make_unique<TaskTool>(types, 1h, desk_, executor_)));
    set_agents();
    ports_.sub_agents = &desk_;
    model_.script = [this](const ModelRequest& request) { return reply(request); };
  }

  void set_agents() {
    RunProfile asking = default_;
    asking.model = "two-step";
    asking.tools = registry_.specs({});
    asking.system_prompt = "You ask.";
    RunProfile explorer = explorer_;
    explorer.name = "explorer";
    explorer.model = "two-step";
    explorer.tools = registry_.specs({});
    explorer.system_prompt = kPromptOfExplorer;
    RunProfile writer = explorer;
    writer.name = "writer";
    writer.system_prompt = kPromptOfWriter;
    agents_ = AgentDirectory({asking, explorer, writer}, {{"two-step", kContextWindow}});
  }

  static ToolCall task(int number, const std::string& type, const std::string& more = "") {
    ToolCall call;
    call.id = ToolCallId("task_" + std::to_string(number));
    call.name = kTaskTool;
    call.args_json = R"({"description":"look around","prompt":"look at part )" +
                     std::to_string(number) + R"(","subagent_type":")" + type + "\"" + more + "}";
    return call;
  }

  /// The asking model calls what `asks` has, step by step, then answers.
  std::optional<AiMessage> reply(const ModelRequest& request) {
    requests.push_back(request.system);
    for (const ToolSpec& tool : request.tools) tools_of[request.system].insert(tool.name);
    if (request.system == kPromptOfExplorer) return explores(request);
    AiMessage message;
    message.text = "the answer";
    if (request.system == kPromptOfWriter) return message;
    std::size_t step = 0;
    for (const Message* old : request.messages) step += std::holds_alternative<AiMessage>(*old);
    if (step < asks.size()) {
      message.tool_calls = asks[step];
      message.text.clear();
    }
    return message;
  }

  std::optional<AiMessage> explores(const ModelRequest& request) {
    prompts.push_back(std::get<HumanMessage>(*request.messages.front()).text);
    if (!explorer_asks) return std::nullopt;
    AiMessage message;
    message.tool_calls = {*explorer_asks};
    return message;
  }

  std::vector<const FakeJob*> sub_agents() const {
    std::vector<const FakeJob*> found;
    for (const auto& [id, job] : ledger_.jobs())
      if (job.asked_by) found.push_back(&job);
    return found;
  }

  bool run_until_done(const std::string& id = "a", Milliseconds limit = 120s) {
    return executor_.run_until(
        [&] {
          const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId(id));
          return found && found->finished;
        },
        limit);
  }

  /// Tokens of all replies that the ledger has, of whatever job.
  std::int64_t tokens_stored() const {
    std::int64_t tokens = 0;
    for (const auto& [id, job] : ledger_.jobs())
      for (const auto& [where, step] : job.steps) tokens += step.message.usage.total();
    return tokens;
  }

  int replies_stored() const {
    int replies = 0;
    for (const auto& [id, job] : ledger_.jobs()) replies += static_cast<int>(job.steps.size());
    return replies;
  }

  SubAgentDesk desk_;
  RunProfile default_;
  RunProfile explorer_;
  std::vector<std::vector<ToolCall>> asks{{task(1, "explorer")}};
  std::optional<ToolCall> explorer_asks;                  ///< again and again; none: it looks once
  std::vector<std::string> requests;                      ///< the system prompt of each
  std::vector<std::string> prompts;                       ///< the explorer's
  std::map<std::string, std::set<std::string>> tools_of;  ///< by system prompt
};

}  // namespace ba::driver
