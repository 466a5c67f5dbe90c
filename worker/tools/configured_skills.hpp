#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills of a whole configuration: which are found, which agents and tenants may have them, and
// what names one that isn't there. For the worker and for commands. Any thread.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/skill/skill.hpp"
#include "worker/config/config.hpp"
#include "worker/tools/skills/skill_library.hpp"
#include "worker/tools/skills/skill_review.hpp"

namespace ba::tools {

/// All that a worker with this configuration says when it starts. Reads the roots, blocking.
skills::SkillReview review_skills(const config::Config& config);

/// "<key>: …" for each name of a skill that isn't there (yet).
std::vector<std::string> unknown_skills(const config::Config& config, const SkillSet& skills);

/// The skills that there are, with what agents and tenants may have of them.
SkillOffers skill_offers(const config::Config& config, SkillSet skills);

/// Of the configured directories. The configuration outlives it.
std::unique_ptr<skills::SkillLibrary> skill_library(const config::Config& config,
                                                    Executor& executor, Log& log,
                                                    std::function<void(SkillSet)> changed);

}  // namespace ba::tools
