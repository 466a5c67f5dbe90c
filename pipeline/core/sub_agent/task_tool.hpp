#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `task`: gives a piece of work to a sub-agent, which has a conversation, tools and limits
// of its own, and waits for its final answer. Keyed: a call that runs again finds the sub-agent of
// its earlier run. Owned by the registry; control thread.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

inline constexpr std::string_view kTaskTool = "task";

/// By agent: which others it may ask.
using SubAgentTypes = std::map<std::string, std::set<std::string>>;

/// Of a call by this agent for a sub-agent that it may not ask, or that there is not.
std::optional<ToolError> sub_agent_refused(const SubAgentTypes& types, const std::string& caller,
                                           const std::string& type);

class TaskTool final : public Tool {
 public:
  /// `timeout` is longer than any sub-agent may take: those end by their own deadlines. Borrows the
  /// desk and the executor. `artifacts`: how they are given to a sub-agent; none: none are kept.
  TaskTool(SubAgentTypes types, Milliseconds timeout, const SubAgentDesk& desk, Executor& executor,
           std::optional<HandOverLimits> artifacts = std::nullopt);

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only
  std::optional<ItemRange> artifact_range(const std::string& parameters) const override;
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

  static ToolDescriptor description();

 private:
  std::optional<ToolError> refusal_of(const ToolInvocation& invocation,
                                      SubAgentRequest& request) const;

  const SubAgentTypes types_;
  const SubAgentDesk& desk_;
  Executor& executor_;
  const std::optional<HandOverLimits> artifacts_;
  ToolDescriptor descriptor_ = description();
};

/// The tool's schema with only these types, each with what it is for; `artifacts`: it takes them.
std::string schema_for_types(const std::map<std::string, std::string>& types,
                             bool artifacts = false);

}  // namespace ba
