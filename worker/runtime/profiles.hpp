#pragma once
// SPDX-License-Identifier: Apache-2.0
// From configured agent profiles to what jobs run as.

#include <vector>

#include "pipeline/core/tool/registry.hpp"
#include "worker/config/config.hpp"
#include "worker/driver/agent_directory.hpp"

namespace ba {

/// InvalidArgument when a profile names a model or a tool that there is not. `price_reading`: of
/// the configuration (PriceBook).
Result<AgentDirectory> make_agent_directory(const Config& config, const ToolRegistry& tools,
                                            int price_reading = -1);

/// The skills that there are, with what agents and tenants may have of them.
SkillOffers skill_offers(const Config& config, SkillSet skills);

}  // namespace ba
