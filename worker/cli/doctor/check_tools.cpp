// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/skills/skill_warnings.hpp"
#include "worker/cli/tools/server_tools.hpp"
#include "worker/http/url.hpp"

namespace ba::cli {
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

mcp::McpServerConfig config_of(const mcp::McpServerReport& server, const mcp::McpConfig& mcp) {
  for (const mcp::McpServerConfig& config : mcp.servers)
    if (config.name == server.name) return config;
  mcp::McpServerConfig unknown;
  unknown.name = server.name;
  return unknown;
}

/// Of one that runs here nobody else hears.
std::string protection_of(const mcp::McpServerConfig& server) {
  return http::is_http_url(server.url) ? ", " + http::protection_of(server.url) : "";
}

Check check_server(const mcp::McpServerReport& server, const std::string& key,
                   const std::string& protection) {
  const std::string name = "mcp server " + server.name;
  if (server.state != "ready")
    return failed(name, server.failure.empty() ? "it is " + server.state : server.failure,
                  "start it, or correct " + key);
  const auto offered =
      std::count_if(server.tools.begin(), server.tools.end(),
                    [](const mcp::McpToolReport& tool) { return !tool.exposed.empty(); });
  const std::string tools = "revision " + server.revision + ", " + std::to_string(offered) +
                            (offered == 1 ? " tool is" : " tools are") + " offered" + protection;
  if (server.warnings.empty()) return passed(name, tools);
  return warned(name, tools + "; " + server.warnings.front(),
                "`ba-agent mcp list` tells all of it");
}

bool offers(const mcp::McpServerReport& server, const std::string& tool) {
  return std::ranges::any_of(server.tools,
                             [&](const mcp::McpToolReport& own) { return own.exposed == tool; });
}

/// Tools that agents want of it and that it hasn't: typing mistakes, or an older server.
Checks check_wanted(const mcp::McpServerReport& server, const config::AgentProfiles& agents) {
  Checks checks;
  for (const auto& [name, agent] : agents) {
    std::string missing;
    for (const std::string& tool : agent.tools)
      if (tool.starts_with(server.name + "_") && !offers(server, tool))
        missing += (missing.empty() ? "'" : ", '") + tool + "'";
    if (missing.empty()) continue;
    checks.push_back(
        failed("mcp server " + server.name + ", tools of agent " + name,
               "agents." + name + ".tools names " + missing + ", which it doesn't offer",
               "correct the name; `ba-agent mcp list` shows the tools that it offers"));
  }
  return checks;
}

/// Whether something of it is an error of the configuration: what it answers without that says
/// nothing.
bool is_wrong(const std::string& key, const settings::Findings& findings) {
  return std::ranges::any_of(findings.wrong_keys, [&](const std::string& wrong) {
    return wrong == key || wrong.starts_with(key + ".");
  });
}

}  // namespace

Checks check_tools(const config::LoadedConfig& loaded, const ListMcpServers& list) {
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

Checks check_skills(const config::LoadedConfig& loaded) {
  const char* name = "skills";
  const skills::SkillReview review = skills_of(loaded);
  Checks checks;
  for (const std::string& word : review.words)  // a worker runs without them
    checks.push_back(
        warned(name, word, "correct it; `ba-agent skill list` shows the skills that are offered"));
  if (checks.empty() && !loaded.config.tools.of<skills::SkillsConfig>().roots.empty())
    checks.push_back(passed(
        name, counted(static_cast<std::int64_t>(review.skills.size()), "skill") + " offered"));
  return checks;
}

Checks check_mcp_servers(const config::LoadedConfig& loaded, const ListMcpServers& list) {
  Checks checks;
  if (!list || loaded.config.mcp.servers.empty()) return checks;
  for (const mcp::McpServerReport& server : list(loaded)) {
    const mcp::McpServerConfig config = config_of(server, loaded.config.mcp);
    const std::string key = config.key();
    if (server.state == "disabled" || is_wrong(key, loaded.findings)) continue;
    checks.push_back(check_server(server, key, protection_of(config)));
    if (server.state == "ready")
      std::ranges::move(check_wanted(server, loaded.config.agents), std::back_inserter(checks));
  }
  return checks;
}

}  // namespace ba::cli
