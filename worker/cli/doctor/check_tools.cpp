// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tools/left_out_tools.hpp"

namespace ba {
namespace {

constexpr const char* kName = "tools";

std::string of_agent(const AgentTools& agent) {
  return "agent " + agent.agent + ", model " + agent.model + ": ";
}

std::string counted_tools(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "tool");
}

/// A job runs without them, so it is no failure.
Check left_out(const AgentTools& agent) {
  const auto& all = agent.offer.left_out;
  Check check = warned(kName,
                       of_agent(agent) + counted_tools(all.size()) + " left out, " +
                           counted_tools(agent.offer.tools.size()) + " offered",
                       "name the tools that it needs in agents." + agent.agent +
                           ".tools, the most important ones first, or have the schema of a tool "
                           "corrected where it is written");
  for (const LeftOutTool& tool : all) check.findings.push_back(tool.tool + ": " + tool.why);
  return check;
}

}  // namespace

Checks check_tools(const LoadedConfig& loaded, const ListMcpServers& list) {
  Checks checks;
  if (!loaded.usable() || loaded.config.llm.models.empty()) return checks;
  std::size_t offered = 0;
  const std::vector<AgentTools> all = tools_of_agents(loaded, list);
  for (const AgentTools& agent : all) {
    offered += agent.offer.tools.size();
    if (!agent.offer.left_out.empty()) checks.push_back(left_out(agent));
  }
  if (checks.empty() && offered > 0)
    checks.push_back(passed(kName, "the models' providers take all tools of " +
                                       counted(static_cast<std::int64_t>(all.size()), "agent")));
  return checks;
}

}  // namespace ba
