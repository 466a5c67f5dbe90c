// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_offers.hpp"

#include <algorithm>

namespace ba {
namespace {

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end() || std::ranges::find(list, "*") != list.end();
}

}  // namespace

SkillSet offered_skills(const SkillOffers& offers, const std::string& agent,
                        const std::string& tenant) {
  const auto of_agent = offers.agents.find(agent);
  if (of_agent == offers.agents.end()) return {};
  const auto of_tenant = offers.tenants.find(tenant);
  SkillSet offered;
  for (const auto& [name, skill] : offers.skills)
    if (names(of_agent->second, name) &&
        (of_tenant == offers.tenants.end() || names(of_tenant->second, name)))
      offered.emplace(name, skill);
  return offered;
}

}  // namespace ba
