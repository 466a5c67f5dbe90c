#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whom a call names that its tool asks for: a sub-agent, a skill. Whether there is one, and the
// caller may have it, is said by the configuration and the skills' directories. Used by commands;
// one thread.

#include <optional>
#include <string>

#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/config/config.hpp"

namespace ba {

class CallTargets {
 public:
  /// Of calls of the request's tool, agent and tenant. Reads the skills' directories where that is
  /// the tool.
  CallTargets(const Config& config, const ToolRequest& request);

  /// What the tool itself would answer; none: it knows whom the call names, or the call names
  /// nobody. The arguments fit the tool's schema.
  std::optional<ToolError> refusal(const std::string& args_json) const;

 private:
  const Config& config_;
  const std::string tool_;
  const std::string agent_;
  JobSkills skills_;  ///< what a job would be offered
};

}  // namespace ba
