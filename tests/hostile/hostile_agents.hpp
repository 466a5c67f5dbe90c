#pragma once
// SPDX-License-Identifier: Apache-2.0
// The agents of the hostile jobs, and a tool that notes who runs it. One thread.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

struct HostileAgent {
  const char* name;
  PermissionLevel permission;
  std::set<std::string> tools;
  std::set<std::string> sub_agents;
};

/// "default" and "guest" are those that jobs name. What the others could ask for by themselves is
/// more than any sub-agent may.
const std::vector<HostileAgent>& hostile_agents();

const HostileAgent& agent_of(const Job& job);

/// One run of a tool.
struct NotedRun {
  std::string tool;
  TenantId tenant;
  std::string agent;
  PermissionLevel permission = PermissionLevel::Default;
  LedgerJobId job;
};

/// Its observation is a letter (letters.hpp). `runs` outlives it, and so does the executor.
std::unique_ptr<Tool> noting_tool(const std::string& name, PermissionLevel permission,
                                  Executor& executor, std::vector<NotedRun>& runs);

}  // namespace ba
