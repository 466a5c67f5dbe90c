#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills of a history's agents, how the plan writes down calls that concern them, and what a
// request tells the model of those that are active. Values.

#include "pipeline/core/model/model_client.hpp"
#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "tests/simulation/dice.hpp"

namespace ba::sim {

inline constexpr const char* kPlainSkill = "plain";    ///< switches nothing
inline constexpr const char* kNarrowSkill = "narrow";  ///< some tools only
inline constexpr const char* kSageSkill = "sage";      ///< another model; not for every tenant
inline constexpr const char* kDutySkill = "duty";      ///< other tools only; a job activates it

/// The models there are without a skill and with the one that names another.
inline constexpr const char* kOracle = "oracle";
inline constexpr const char* kElder = "elder";

/// As one process has read them: each has another version.
SkillOffers skill_offers(int process);
bool may_have(const std::string& tenant, const std::string& skill);
bool skill_allows(const std::string& skill, const std::string& tool);

/// Whether it activates skills or ends them.
bool is_skill_tool(const std::string& tool);

/// A call as the plan has it, in place of a tool's name.
std::string draw_skill_call(Dice& dice);
std::string activating(const std::string& skill);
bool is_skill_call(const std::string& planned);

/// The call that the model makes of it, which ends the newest of these: it is one less then.
ToolCall skill_call(const std::string& planned, std::vector<SkillEnd>& active);

/// As far as the model can read it off the request: from the oldest to the newest.
std::vector<SkillEnd> active_skills(const ModelRequest& request);

/// The activation that the message tells of; none: it is no such message.
std::optional<SkillEnd> activation_in(const Message& message);

/// Whether a skill brought the message.
bool brought_by_skill(const Message& message);

}  // namespace ba::sim
