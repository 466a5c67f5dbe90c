// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_stack.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr const char* kArrow = " → ";

ToolError invalid(const char* code, std::string message) {
  return {.type = ToolErrorType::ValidationError, .code = code, .message = std::move(message)};
}

}  // namespace

std::string SkillStack::chain() const {
  std::string text;
  for (const SkillActivation& skill : active_)
    text += (text.empty() ? "" : kArrow) + skill.skill_name;
  return text;
}

std::string SkillStack::chain_with_ids() const {
  std::string text;
  for (const SkillActivation& skill : active_)
    text += (text.empty() ? "" : kArrow) + skill.skill_name + " (" + skill.activation_id + ")";
  return text;
}

std::optional<ToolError> SkillStack::push(SkillActivation activation) {
  const auto same = std::find_if(active_.begin(), active_.end(), [&](const auto& active) {
    return active.skill_name == activation.skill_name;
  });
  if (same != active_.end()) {
    std::string cycle;
    for (auto skill = same; skill != active_.end(); ++skill) cycle += skill->skill_name + kArrow;
    return invalid("SKILL_CYCLE", "Circular dependency detected: " + cycle + activation.skill_name);
  }
  if (active_.size() >= kDepthMax)
    return invalid("SKILL_DEPTH", "Maximum skill activation depth (" + std::to_string(kDepthMax) +
                                      ") exceeded. Current stack: " + chain());
  active_.push_back(std::move(activation));
  return std::nullopt;
}

std::optional<ToolError> SkillStack::pop(const std::string& skill,
                                         const std::string& activation_id) {
  if (active_.empty())
    return invalid("SKILL_NOT_ACTIVE", "No skill is active; there is nothing to deactivate");
  const SkillActivation& newest = active_.back();
  if (newest.skill_name != skill || newest.activation_id != activation_id)
    return invalid("SKILL_NOT_NEWEST",
                   "Skill '" + skill + "' (" + activation_id +
                       ") is not the one that was activated last; deactivate '" +
                       newest.skill_name + "' (" + newest.activation_id +
                       ") first. Current stack: " + chain_with_ids());
  active_.pop_back();
  return std::nullopt;
}

std::optional<std::set<std::string>> SkillStack::allowed_tools() const {
  std::optional<std::set<std::string>> allowed;
  for (const SkillActivation& skill : active_) {
    if (!skill.modifier.allowed_tools) continue;
    const std::set<std::string> own(skill.modifier.allowed_tools->begin(),
                                    skill.modifier.allowed_tools->end());
    if (!allowed)
      allowed = own;
    else
      std::erase_if(*allowed, [&](const std::string& tool) { return !own.contains(tool); });
  }
  return allowed;
}

std::string SkillStack::model() const {
  for (auto skill = active_.rbegin(); skill != active_.rend(); ++skill)
    if (!skill->modifier.model.empty()) return skill->modifier.model;
  return "";
}

}  // namespace ba
