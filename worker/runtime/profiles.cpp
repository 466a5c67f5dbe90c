// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/profiles.hpp"

#include <algorithm>

#include "pipeline/skill/read_skill.hpp"
#include "pipeline/sub_agent/task_tool.hpp"
#include "pipeline/tool/data_sources.hpp"
#include "worker/config/agent_sources.hpp"

namespace ba {
namespace {

constexpr const char* kSystemPrompt =
    "You are a business analyst. Answer the question from the data that your tools give you. "
    "Call a tool when you need facts; never invent numbers. When a tool call fails, read the "
    "error, correct the call and try again. Answer briefly, with the numbers that matter.";

EffectiveLimits configured_limits(const LimitsConfig& config) {
  EffectiveLimits limits;
  limits.steps_per_round_max = config.steps_per_round_max;
  limits.tool_calls_per_step_max = config.tool_calls_per_step_max;
  limits.answer_repairs_max = config.answer_repairs_max;
  limits.tokens_max = config.tokens_per_job_max;
  limits.cost_micro_usd_max = config.cost_per_job_max_micro_usd;
  limits.history_bytes_max = config.history_bytes_max;
  limits.deadline = config.deadline;
  limits.attempts_max = config.attempts_max;
  return limits;
}

bool may_use(const AgentProfile& agent, const ToolRegistry::Entry& entry) {
  return agent.permission >= entry.tool->descriptor().permission;
}

/// The tool `task` with those that the agent may ask.
void name_sub_agents(const AgentProfile& agent, const AgentProfiles& agents,
                     std::vector<ToolSpec>& tools) {
  std::map<std::string, std::string> types;
  for (const std::string& name : agent.sub_agents)
    if (const auto asked = agents.find(name); asked != agents.end())
      types.emplace(name, asked->second.description);
  for (ToolSpec& tool : tools)
    if (tool.name == kTaskTool)
      tool.parameters_schema = SchemaCheck::compile(schema_for_types(types))->schema_for_models();
}

/// An agent with sub-agents has the tool that asks them, one with skills those that activate and
/// end them, and no other agent has.
AllowedTools with_meta_tools(std::set<std::string> names, const AgentProfile& agent,
                             const ToolRegistry& registry) {
  names.erase(std::string(kTaskTool));
  if (!agent.sub_agents.empty()) names.emplace(kTaskTool);
  for (const std::string_view tool : {kActivateSkillTool, kDeactivateSkillTool}) {
    names.erase(std::string(tool));
    if (!agent.skills.empty() && registry.find(tool)) names.emplace(tool);
  }
  return names;
}

/// "*" is every tool that the profile's permission is enough for.
Result<AllowedTools> allowed_tools(const std::string& agent, const AgentProfile& config,
                                   const ToolRegistry& registry, const McpConfig& mcp) {
  const std::vector<std::string>& tools = config.tools;
  std::set<std::string> names;
  if (std::find(tools.begin(), tools.end(), "*") != tools.end()) {
    for (const std::string& tool : registry.names(std::nullopt))
      if (may_use(config, *registry.find(tool))) names.insert(tool);
    return with_meta_tools(std::move(names), config, registry);
  }
  for (const std::string& tool : tools) {
    const ToolRegistry::Entry* entry = registry.find(tool);
    if (entry && !may_use(config, *entry))
      return invalid_argument("agents." + agent + ".tools: '" + tool + "' needs permission " +
                              std::string(to_string(entry->tool->descriptor().permission)) +
                              "; agents." + agent + ".permission is " +
                              std::string(to_string(config.permission)));
    if (!entry && may_offer(mcp, tool)) continue;  // its server may be down now
    if (!entry)
      return invalid_argument("agents." + agent + ".tools: there is no tool '" + tool +
                              "' (is its data source or file root configured?)");
    names.insert(tool);
  }
  return with_meta_tools(std::move(names), config, registry);
}

}  // namespace

Result<AgentDirectory> make_agent_directory(const Config& config, const ToolRegistry& tools,
                                            int price_reading) {
  std::map<std::string, std::int64_t> windows;
  for (const ModelConfig& model : config.llm.models)
    windows.emplace(model.name, model.context_window);
  std::vector<RunProfile> profiles;
  for (const auto& [name, agent] : config.agents) {
    RunProfile profile;
    profile.name = name;
    profile.model = agent.model.empty() ? config.llm.default_model : agent.model;
    if (windows.empty()) return invalid_argument(std::string(kNoModel) + ": " + kNoModelRemedy);
    if (profile.model.empty())
      return invalid_argument("llm.default_model is not set, and agents." + name +
                              " has no model: set one of them");
    if (!windows.contains(profile.model))
      return invalid_argument("agents." + name + ".model: there is no model '" + profile.model +
                              "' under llm.models");
    profile.system_prompt = agent.system_prompt.empty() ? kSystemPrompt : agent.system_prompt;
    auto allowed = allowed_tools(name, agent, tools, config.mcp);
    if (!allowed) return allowed.error();
    const auto sources = allowed_sources(config, agent);
    for (ToolSpec& spec : tools.specs(allowed.value())) {
      const auto& tool = tools.find(spec.name)->tool->descriptor();
      if (auto offered = with_sources(std::move(spec), tool, sources))
        profile.tools.push_back(std::move(*offered));
    }
    name_sub_agents(agent, config.agents, profile.tools);
    profile.max_output_tokens = agent.max_output_tokens;
    profile.output_level = agent.output_level;
    profile.tool_settings = agent.tool_settings;
    profile.permission = agent.permission;
    profile.data_sources = sources;
    profile.on_unknown = agent.on_unknown;
    profile.price_reading = price_reading;
    profile.limits = apply_job_limits(configured_limits(config.limits), agent.limits);
    profiles.push_back(std::move(profile));
  }
  return AgentDirectory(std::move(profiles), std::move(windows));
}

SkillOffers skill_offers(const Config& config, SkillSet skills) {
  SkillOffers offers;
  offers.skills = std::move(skills);
  for (const auto& [name, agent] : config.agents) offers.agents[name] = agent.skills;
  offers.tenants = config.skills.tenants;
  return offers;
}

}  // namespace ba
