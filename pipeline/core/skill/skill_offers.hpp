#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills that there are, and who may have which. Values; any thread.

#include <map>
#include <string>
#include <vector>

#include "pipeline/core/skill/skill.hpp"

namespace ba {

struct SkillOffers {
  SkillSet skills;
  std::map<std::string, std::vector<std::string>> agents;   ///< "*": all; not named: none
  std::map<std::string, std::vector<std::string>> tenants;  ///< not named: all that the agent has
};

/// What a job of that agent and tenant may have.
SkillSet offered_skills(const SkillOffers& offers, const std::string& agent,
                        const std::string& tenant);

}  // namespace ba
