#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a worker makes of the skills that were found: which it offers, and what it says of the rest.
// Any thread.

#include <set>
#include <string>

#include "worker/tools/skills/skill_directory.hpp"

namespace ba::skills {

struct SkillReview {
  SkillSet skills;              ///< that are offered
  std::set<std::string> words;  ///< what is wrong; a worker warns of each
};

/// Without skills that switch to a model which is not one of `models`.
SkillReview review_skills(FoundSkills found, const std::set<std::string>& models);

}  // namespace ba::skills
