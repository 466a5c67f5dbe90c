#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a worker makes of the skills that were found: which it offers, and what it says of the rest.
// One function for the worker and for the commands that look at a configuration. Any thread.

#include <set>
#include <string>
#include <vector>

#include "worker/config/config.hpp"
#include "worker/tools/skills/skill_directory.hpp"

namespace ba {

struct SkillReview {
  SkillSet skills;              ///< that are offered
  std::set<std::string> words;  ///< what is wrong; a worker warns of each
};

/// Without skills that switch to a model which is not one of `models`.
SkillReview review_skills(FoundSkills found, const std::set<std::string>& models);

/// All that a worker with this configuration says when it starts. Reads the roots, blocking.
SkillReview review_skills(const Config& config);

/// "<key>: …" for each name of a skill that isn't there (yet).
std::vector<std::string> unknown_skills(const Config& config, const SkillSet& skills);

/// Of the configured models.
std::set<std::string> model_names(const LlmConfig& llm);

}  // namespace ba
