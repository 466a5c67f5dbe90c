// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_skills.hpp"

#include <memory>

namespace ba {
namespace {

Skill skill_with(const std::string& name, const std::string& text) {
  Skill skill;
  skill.name = name;
  skill.description = text;
  skill.body = text;
  skill.files = {{"secret.md", static_cast<std::int64_t>(text.size()), text}};
  return skill;
}

void add(JobSkills& skills, Skill skill) {
  seal(skill);
  skills.offered[skill.name] = std::make_shared<const Skill>(skill);
}

}  // namespace

void HostileSkills::offer(LedgerJobId own, const std::string& instructions,
                          const std::string& canary) {
  add(skills_[own], skill_with("reports", instructions));
  Skill vault = skill_with("vault", canary);
  vault.disable_model_invocation = true;
  add(skills_[own], std::move(vault));
  desk_.enter(own, skills_[own]);
}

void HostileSkills::offer_elsewhere(LedgerJobId job, const std::string& name,
                                    const std::string& canary) {
  add(skills_[job], skill_with(name, canary));
  desk_.enter(job, skills_[job]);
}

}  // namespace ba
