// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/served_tools.hpp"

#include "tests/simulation/checker.hpp"
#include "tests/simulation/tool_server_link.hpp"

namespace ba::sim {
namespace {

class RefusedAtOnce final : public ToolRun {
 public:
  RefusedAtOnce(Process& process, std::function<void(RawToolResult)> done)
      : timer_(process.after(Milliseconds(0), [done = std::move(done)] {
          RawToolResult result;
          result.error = ToolError{ToolErrorType::NotFound, "TOOL_NOT_FOUND", "there is none yet"};
          result.never_happened = true;
          done(std::move(result));
        })) {}

 private:
  std::unique_ptr<Timer> timer_;
};

class StandIn final : public Tool {
 public:
  StandIn(ToolStage* const& stage, const std::string& name, EffectClass effect)
      : stage_(stage), effect_(effect) {
    for (ToolDescriptor* each : {&once_, &pure_}) {
      each->name = each->description = name;
      each->parameters_schema = R"({"type":"object"})";
      each->timeout = kServedTimeout;
    }
    once_.effect = EffectClass::Once;
    pure_.effect = EffectClass::Pure;
  }

  const ToolDescriptor& descriptor() const override {
    const Tool* tool = served();
    const EffectClass effect = tool ? tool->descriptor().effect : effect_;
    return effect == EffectClass::Pure ? pure_ : once_;
  }

  /// The server learns which call it is, so that it can tell the checker.
  std::unique_ptr<ToolRun> run(ToolInvocation call,
                               std::function<void(RawToolResult)> done) override {
    ToolStage& stage = *stage_;
    Process& process = *stage.world.current();
    stage.checker.tool_asked(call, process);
    Tool* const tool = served();
    if (tool == nullptr) return std::make_unique<RefusedAtOnce>(process, std::move(done));
    const int run = ++stage.tries;
    stage.served[run] = call;
    call.parameters = R"({"for":")" + call.tenant.value + R"(","run":)" + std::to_string(run) + "}";
    return tool->run(std::move(call), [&stage, run, done = std::move(done)](RawToolResult result) {
      told(stage, stage.served.at(run), result);
      done(std::move(result));
    });
  }

 private:
  static void told(ToolStage& stage, const ToolInvocation& call, const RawToolResult& result) {
    if (result.outcome_unknown) stage.world.mark(Mark::ServedCallUnknown);
    if (result.never_happened) stage.world.mark(Mark::ServedCallDidNothing);
    if (!result.error || result.outcome_unknown) return;
    const std::string& key = call.idempotency_key;
    const bool maybe_done = stage.done.contains(key) || stage.under_way[key] > 0;
    stage.checker.served_call_failed(call, *result.error,
                                     maybe_done && call.tool_name == kSendTool);
  }

  Tool* served() const {
    Process* const process = stage_ ? stage_->world.current() : nullptr;
    if (process == nullptr || process->served_tools == nullptr) return nullptr;
    return process->served_tools->find(once_.name);
  }

  ToolStage* const& stage_;
  const EffectClass effect_;
  ToolDescriptor once_;
  ToolDescriptor pure_;
};

}  // namespace

ServedTools::ServedTools(ToolServer& server, const ToolStage& stage, Process& process, Log& log)
    : server_(server),
      stage_(stage),
      process_(process),
      servers_(server.config(),
               {.executor = process,
                .log = log,
                .make_transport = [this](const mcp::McpServerConfig&) { return connect(); },
                .version = "simulated",
                .add_tool = [this](tools::MadeTool made) -> Result<bool> {
                  tools_[made.descriptor->name] = std::move(made.tool);
                  return true;
                }}) {}

Result<std::unique_ptr<mcp::Transport>> ServedTools::connect() {
  if (++connections_ > 1) stage_.world.mark(Mark::ServerConnectedAgain);
  return std::unique_ptr<mcp::Transport>(
      std::make_unique<ToolServerLink>(server_, stage_.world, process_, stage_.link));
}

Tool* ServedTools::find(const std::string& name) {
  const auto found = tools_.find(name);
  if (found == tools_.end()) missed_.insert(name);
  if (found == tools_.end()) return nullptr;
  if (missed_.erase(name) > 0) stage_.world.mark(Mark::ServedToolCameLate);
  return found->second.get();
}

std::unique_ptr<Tool> stand_in(ToolStage* const& stage, const std::string& name,
                               EffectClass effect) {
  return std::make_unique<StandIn>(stage, name, effect);
}

}  // namespace ba::sim
