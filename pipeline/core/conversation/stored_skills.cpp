// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/stored_skills.hpp"

#include <algorithm>

#include "pipeline/core/conversation/skill_steps.hpp"

namespace ba {
namespace {

/// Whether it was active when the calls of a step were asked for.
bool held_in(const StoredSkillUse& use, int step) {
  return use.used.position.step < step && (!use.done_step || *use.done_step >= step);
}

SkillActivation activation_of(const StoredSkillUse& use, const SkillSet& skills) {
  SkillActivation activation;
  activation.activation_id = use.used.activation_id;
  activation.skill_name = use.used.skill;
  const Skill& skill = *skills.at(use.used.skill);
  activation.modifier = {skill.allowed_tools, skill.model, skill.disable_model_invocation};
  return activation;
}

SkillStack stack_of(std::vector<StoredSkillUse> uses, const SkillSet& skills) {
  std::ranges::stable_sort(uses, {}, [](const StoredSkillUse& use) { return use.used.depth; });
  SkillStack stack;
  for (const StoredSkillUse& use : uses) {
    // Rows that contradict each other are read as far as they don't.
    if (stack.push(activation_of(use, skills))) break;
  }
  return stack;
}

}  // namespace

std::string model_asked_for(const ConversationState& state, const std::vector<StoredSkillUse>& uses,
                            const Position& reply) {
  std::vector<StoredSkillUse> held;
  for (const StoredSkillUse& use : uses)
    if (use.used.position.round == reply.round && use.used.depth > 0 && held_in(use, reply.step) &&
        state.skills.known.offered.contains(use.used.skill))
      held.push_back(use);
  const std::string model = stack_of(std::move(held), state.skills.known.offered).model();
  return model.empty() ? state.profile.model : model;
}

Result<SkillSet> pinned_skills(const std::vector<StoredSkillUse>& uses) {
  std::map<std::string, std::shared_ptr<const Skill>> by_hash;
  for (const StoredSkillUse& use : uses) {
    if (use.used.content.empty()) continue;
    auto skill = skill_from_json(use.used.content);
    if (!skill) return skill.error();
    by_hash[use.used.hash] = std::make_shared<const Skill>(std::move(*skill));
  }
  SkillSet pinned;
  for (const StoredSkillUse& use : uses) {
    const auto skill = by_hash.find(use.used.hash);
    if (skill != by_hash.end()) pinned[use.used.skill] = skill->second;
  }
  return pinned;
}

void count_skills(ConversationState& state, const std::vector<StoredSkillUse>& uses,
                  const StoredTally& tally) {
  for (const StoredSkillUse& use : uses)
    if (use.used.depth > 0 && !tally.is_copy(use.used.position))
      state.skills.uses.push_back(use.used.skill);
}

Result<void> restore_skills(ConversationState& state, const std::vector<StoredSkillUse>& uses,
                            const StoredTally& tally) {
  state.skills.known.offered = state.profile.skills;
  const auto pinned = pinned_skills(uses);
  if (!pinned) return pinned.error();
  for (const auto& [name, skill] : *pinned) state.skills.known.offered[name] = skill;
  count_skills(state, uses, tally);
  std::vector<StoredSkillUse> active;
  std::vector<StoredSkillUse> held;
  for (const StoredSkillUse& use : uses) {
    state.skills.stored.insert(use.used.hash);
    const bool of_round = state.round.started && use.used.position.round == state.round.number;
    if (!of_round || use.used.depth == 0) continue;
    if (!state.skills.known.offered.contains(use.used.skill))
      return invalid_argument("skill " + use.used.skill + " has no content");
    if (held_in(use, state.round.step)) held.push_back(use);
    if (use.done_step) continue;
    state.skills.activated_at[use.used.activation_id] = use.used.position;
    active.push_back(use);
  }
  state.skills.known.stack = stack_of(std::move(active), state.skills.known.offered);
  state.skills.hold = hold_of(stack_of(std::move(held), state.skills.known.offered));
  return {};
}

}  // namespace ba
