#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a request for a skill brings: a pure function of the job's skills and the request, so that a
// call that runs again, here or on another worker, brings the same. Any thread.

#include <string>
#include <variant>

#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/skill/skill_activation.hpp"
#include "pipeline/core/skill/skill_stack.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

inline constexpr std::string_view kActivateSkillTool = "activate_skill";
inline constexpr std::string_view kDeactivateSkillTool = "deactivate_skill";

/// The skills of one job.
struct JobSkills {
  SkillSet offered;  ///< what there is for it; the same for as long as it runs
  SkillStack stack;  ///< what is active

  friend bool operator==(const JobSkills&, const JobSkills&) = default;
};

/// What is active, from the oldest to the newest, as the job's skills hold it.
std::vector<std::shared_ptr<const Skill>> active_skills(const JobSkills& skills);

using SkillAnswer = std::variant<SkillActivation, ToolError>;

/// not_found for a skill or file that isn't there, permission_denied for a skill that only a job
/// activates, unless its files are asked for while it is active. Doesn't look at what the stack
/// would say.
SkillAnswer read_skill(const JobSkills& skills, const SkillRequest& request);

/// Of a skill that the job itself names.
SkillActivation job_activation(const Skill& skill, const std::string& key);

/// Of arguments that the tool's schema has let through: name, level, file and parameters.
SkillRequest skill_request_of(const std::string& args_json);

/// The id of the activation that a call with this idempotency key makes.
std::string activation_id_of(const std::string& key);

}  // namespace ba
