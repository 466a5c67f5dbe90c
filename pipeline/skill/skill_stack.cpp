// SPDX-License-Identifier: Apache-2.0
#include "pipeline/skill/skill_stack.hpp"

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

bool SkillStack::pop(const std::string& skill, const std::string& activation_id) {
  if (active_.empty() || active_.back().skill_name != skill ||
      active_.back().activation_id != activation_id)
    return false;
  active_.pop_back();
  return true;
}

}  // namespace ba
