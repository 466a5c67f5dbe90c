#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every built-in tool that has a folder of its own, for build_tools: one list for the worker and
// for the commands that run or describe tools. Any thread.

#include <vector>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/activate_skill_tool.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "worker/config/config.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/build_tools.hpp"

namespace ba {

/// `http` null: the tools are only described. Client, desk, host of skills and
/// executor outlive the tools.
std::vector<ToolMaker> tool_makers(const Config& config, HttpClient* http, const SubAgentDesk& desk,
                                   SkillHost& skills, Executor& executor);

}  // namespace ba
