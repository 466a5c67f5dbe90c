// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/agent_directory.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/text/answer/answer.hpp"

namespace ba::driver {
namespace {

template <typename Map>
std::vector<std::string> keys(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

Error unknown(const std::string& field, const std::string& value, const std::string& known) {
  return invalid_argument(field + " '" + value + "' is not configured; there are: " + known);
}

Result<void> restrict_tools(RunProfile& profile, const Job& job) {
  if (job.allowed_tools.empty()) return {};
  for (const std::string& name : job.allowed_tools) {
    const auto known = std::any_of(profile.tools.begin(), profile.tools.end(),
                                   [&](const ToolSpec& tool) { return tool.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const ToolSpec& tool : profile.tools) names.push_back(tool.name);
    return unknown("allowed_tools: tool", name,
                   joined_or_none(names) + " (agent " + profile.name + ")");
  }
  profile.tools = profile.tools.where([&](const ToolSpec& tool) {
    return std::ranges::find(job.allowed_tools, tool.name) != job.allowed_tools.end();
  });
  return {};
}

/// The model is told of the form of its answers, whatever its provider makes of it. Checked at the
/// door; a job that another version let in may have been checked by other rules.
Result<void> want_answers(RunProfile& profile, const std::string& schema) {
  if (schema.empty()) return {};
  if (auto good = check_answer_schema(schema); !good)
    return invalid_argument("answer_schema: " + good.error().message);
  profile.system_prompt = with_answer_schema(std::move(profile.system_prompt), schema);
  return {};
}

/// Of a job that activates skills itself.
Result<void> check_job_skills(const SkillSet& offered, const std::vector<std::string>& skills) {
  for (const std::string& name : skills) {
    if (!offered.contains(name))
      return unknown("skills: skill", name, joined_or_none(keys(offered)));
    if (std::ranges::count(skills, name) > 1)
      return invalid_argument("skills: '" + name + "' stands there twice");
  }
  if (skills.size() > SkillStack::kDepthMax)
    return invalid_argument("skills: " + std::to_string(skills.size()) + " skills, but at most " +
                            std::to_string(SkillStack::kDepthMax) + " can be active at once");
  return {};
}

/// Without skills no tool asks for them; else the system prompt has what each is for.
void tell_of_skills(RunProfile& profile) {
  if (profile.skills.empty())
    profile.tools = profile.tools.where([](const ToolSpec& tool) {
      return tool.name != kActivateSkillTool && tool.name != kDeactivateSkillTool;
    });
  const bool may_activate = std::ranges::any_of(
      profile.tools, [](const ToolSpec& tool) { return tool.name == kActivateSkillTool; });
  const std::string catalogue = may_activate ? skill_catalogue(profile.skills) : "";
  if (!catalogue.empty()) profile.system_prompt += "\n\n" + catalogue;
}

}  // namespace

AgentDirectory::AgentDirectory(std::vector<RunProfile> profiles,
                               std::map<std::string, std::int64_t> windows)
    : windows_(std::move(windows)) {
  for (RunProfile& profile : profiles) {
    std::string name = profile.name;
    profiles_.emplace(std::move(name), std::move(profile));
  }
}

Result<RunProfile> AgentDirectory::profile_for(const Job& job, const SkillSet& pinned) const {
  const std::string name = job.agent.empty() ? "default" : job.agent;
  const auto found = profiles_.find(name);
  if (found == profiles_.end()) return unknown("agent", name, joined_or_none(keys(profiles_)));
  RunProfile profile = found->second;
  if (!job.model.empty()) profile.model = job.model;
  const auto window = windows_.find(profile.model);
  if (window == windows_.end())
    return unknown("model", profile.model, joined_or_none(keys(windows_)));
  profile.context_window = window->second;
  if (auto restricted = restrict_tools(profile, job); !restricted) return restricted.error();
  profile.skills = offered_skills(skills_, name, job.tenant.value);
  for (const auto& [skill, content] : pinned) profile.skills[skill] = content;
  if (auto known = check_job_skills(profile.skills, job.skills); !known) return known.error();
  tell_of_skills(profile);
  for (const auto& [skill, content] : profile.skills)
    if (const auto other = windows_.find(content->model); other != windows_.end())
      profile.windows.insert(*other);
  if (auto wanted = want_answers(profile, job.answer_schema); !wanted) return wanted.error();
  profile.limits = apply_job_limits(profile.limits, job.limits);
  return profile;
}

}  // namespace ba::driver
