// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/tool_runtime.hpp"

#include <utility>

#include "pipeline/core/tool/call_run.hpp"
#include "pipeline/core/tool/observation.hpp"

namespace ba {

void apply_call_settings(const ToolCallSettings& settings, ToolRequest& request) {
  const auto found = settings.find(request.call.name);
  if (found == settings.end()) return;
  const CallSettings& call = found->second;
  request.tool_level = call.level;
  request.timeout = call.timeout;
  request.cache_policy = call.cache_policy;
  request.retry_on_timeout = call.retry_on_timeout;
}

ToolRuntime::ToolRuntime(const ToolRegistry& registry, ToolRuntimeConfig config, const Clock& clock,
                         Executor& executor, Random& random)
    : registry_(registry),
      config_(std::move(config)),
      clock_(clock),
      executor_(executor),
      random_(random),
      gates_(config_.gates, clock, executor) {}

std::unique_ptr<ToolRun> ToolRuntime::run(ToolRequest request,
                                          std::function<void(ToolResult)> done) {
  const CallRunPorts ports{registry_,
                           config_,
                           clock_,
                           executor_,
                           random_,
                           memory_ ? &*memory_ : nullptr,
                           artifacts_ ? &*artifacts_ : nullptr,
                           &gates_,
                           artifact_reads_ ? &*artifact_reads_ : nullptr};
  return std::make_unique<CallRun>(ports, std::move(request), std::move(done));
}

const ToolDescriptor* ToolRuntime::descriptor(std::string_view tool_name) const {
  const ToolRegistry::Entry* entry = registry_.find(tool_name);
  return entry ? &entry->tool->descriptor() : nullptr;
}

std::vector<ToolSpec> ToolRuntime::specs(const AllowedTools& allowed) const {
  return registry_.specs(allowed);
}

}  // namespace ba
