// SPDX-License-Identifier: Apache-2.0
#include "worker/config/agents_section.hpp"

#include "pipeline/tool/tool_names.hpp"
#include "worker/config/choice_or_auto.hpp"
#include "worker/config/section_reader.hpp"

namespace ba {
namespace {

void read_profile_limits(settings::SectionReader& in, JobLimits& limits) {
  in.number("steps_per_round_max", limits.steps_per_round_max, {0, 10'000});
  in.number("tokens_per_job_max", limits.tokens_max, {0, 1'000'000'000'000});
  in.dollars("cost_per_job_max_usd", limits.cost_micro_usd_max, {0, 1'000'000'000'000});
  in.milliseconds("deadline_ms", limits.deadline, {0, 366LL * 24 * 3600 * 1000});
}

void read_profile(settings::SectionReader& in, AgentProfile& profile) {
  profile.tools = {"*"};
  in.text("model", profile.model);
  in.text_or_file("system_prompt", profile.system_prompt);
  in.texts("tools", profile.tools);
  settings::read_choice_or_auto(in, "output_level", profile.output_level, kOutputLevelNames);
  in.choice("permission", profile.permission, kPermissionNames);
  in.choice("on_unknown", profile.on_unknown, kOnUnknownNames);
  in.number("max_output_tokens", profile.max_output_tokens, {0, 10'000'000});
  in.section("limits", [&](auto& limits) { read_profile_limits(limits, profile.limits); });
}

}  // namespace

void read_agents(settings::SectionReader& root, AgentProfiles& agents) {
  root.entries("agents", [&](const std::string& name, settings::SectionReader& in) {
    read_profile(in, agents[name]);
  });
  if (agents.count(kDefaultAgent) == 0) agents[kDefaultAgent].tools = {"*"};
}

}  // namespace ba
