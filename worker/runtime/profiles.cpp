// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/profiles.hpp"

#include "worker/config/agent_sources.hpp"
#include "worker/tools/agent_tools.hpp"

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
    auto offered = tools_of_agent(name, config, tools);
    if (!offered) return offered.error();
    profile.tools = std::move(*offered);
    profile.first_tools = first_tools_of(agent);
    profile.max_output_tokens = agent.max_output_tokens;
    profile.output_level = agent.output_level;
    profile.tool_settings = agent.tool_settings;
    profile.permission = agent.permission;
    profile.data_sources = allowed_sources(config, agent);
    profile.on_unknown = agent.on_unknown;
    profile.tell_time = agent.tell_time;
    profile.time_zone = agent.time_zone;
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
