// SPDX-License-Identifier: Apache-2.0
#include "worker/config/agents_section.hpp"

#include <algorithm>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/config/time_zones.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/tools/base/tool_settings.hpp"

namespace ba::config {
namespace {

void read_profile_limits(settings::SectionReader& in, JobLimits& limits) {
  in.read("steps_per_round_max", limits.steps_per_round_max, {0, 10'000});
  in.read("tokens_per_job_max", limits.tokens_max, {0, 1'000'000'000'000});
  in.read("cost_per_job_max_usd", settings::Dollars{limits.cost_micro_usd_max},
          {0, 1'000'000'000'000});
  in.read("deadline_ms", limits.deadline, {0, 366LL * 24 * 3600 * 1000});
}

void read_call_settings(settings::SectionReader& in, CallSettings& call) {
  in.read("default_level", call.level, kOutputLevelNames);
  Milliseconds timeout{0};
  in.read("timeout_ms", timeout, {0, tools::kToolTimeoutMsMax});
  if (timeout.count() > 0) call.timeout = timeout;  // 0: the tool's own
  in.read("retry_on_timeout", call.retry_on_timeout);
  in.read("cache_policy", call.cache_policy, kCachePolicyNames);
}

void read_time_zone(settings::SectionReader& in, TimeZone& zone) {
  std::string name = zone.name();
  in.read("time_zone", name);
  auto found = load_time_zone(name);
  if (found)
    zone = std::move(*found);
  else
    in.error("time_zone", SettingProblem::Kind::NotThere, found.error().message);
}

void read_profile(settings::SectionReader& in, AgentProfile& profile) {
  profile.tools = {"*"};
  in.read("description", profile.description);
  in.read("model", profile.model);
  in.read("system_prompt", settings::TextOrFile{profile.system_prompt});
  in.read("tools", profile.tools);
  in.read("sub_agents", profile.sub_agents);
  in.read("skills", profile.skills);
  in.read("data_sources", profile.data_sources);
  in.read("output_level", profile.output_level, kOutputLevelNames);
  in.entries("tool_settings", [&](const std::string& tool, settings::SectionReader& inner) {
    read_call_settings(inner, profile.tool_settings[tool]);
  });
  in.read("permission", profile.permission, kPermissionNames);
  in.read("on_unknown", profile.on_unknown, kOnUnknownNames);
  in.read("tell_time", profile.tell_time);
  read_time_zone(in, profile.time_zone);
  in.read("max_output_tokens", profile.max_output_tokens, {0, 10'000'000});
  in.section("limits", [&](auto& limits) { read_profile_limits(limits, profile.limits); });
}

}  // namespace

SubAgentTypes sub_agent_types(const AgentProfiles& agents) {
  SubAgentTypes types;
  for (const auto& [name, profile] : agents)
    if (!profile.sub_agents.empty())
      types[name] = {profile.sub_agents.begin(), profile.sub_agents.end()};
  return types;
}

std::vector<SettingProblem> validate_sub_agents(const AgentProfiles& agents) {
  std::vector<SettingProblem> problems;
  std::vector<std::string> known;
  for (const auto& [name, profile] : agents) known.push_back(name);
  for (const auto& [name, profile] : agents) {
    KeyChecks checks(problems, "agents." + name);
    if (profile.sub_agents.empty() &&
        std::ranges::find(profile.tools, kTaskTool) != profile.tools.end())
      checks.tell(KeyChecks::Kind::Conflict, "tools",
                  "'" + std::string(kTaskTool) + "' needs agents." + name +
                      ".sub_agents, the agents that it may give work to");
    for (const std::string& asked : profile.sub_agents) {
      checks.there_is(asked, known, "sub_agents", "agent");
      const auto found = agents.find(asked);
      if (found != agents.end() && found->second.on_unknown == OnUnknown::WaitForPerson)
        checks.tell(KeyChecks::Kind::Conflict, "sub_agents",
                    "'" + asked + "' waits for a person (agents." + asked +
                        ".on_unknown), which a sub-agent can't; make another agent of it with "
                        "on_unknown: tell_model");
    }
  }
  return problems;
}

void read_agents(settings::SectionReader& root, AgentProfiles& agents) {
  root.entries("agents", [&](const std::string& name, settings::SectionReader& in) {
    read_profile(in, agents[name]);
  });
  if (agents.count(kDefaultAgent) == 0) agents[kDefaultAgent].tools = {"*"};
}

}  // namespace ba::config
