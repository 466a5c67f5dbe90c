// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/skills/skill_warnings.hpp"

namespace ba {

Checks check_skills(const LoadedConfig& loaded) {
  const char* name = "skills";
  const SkillReview review = skills_of(loaded);
  Checks checks;
  for (const std::string& word : review.words)  // a worker runs without them
    checks.push_back(warned(name, word, "correct it; `ba-agent skill list` shows what is offered"));
  if (checks.empty() && !loaded.config.skills.roots.empty())
    checks.push_back(passed(
        name, counted(static_cast<std::int64_t>(review.skills.size()), "skill") + " offered"));
  return checks;
}

}  // namespace ba
