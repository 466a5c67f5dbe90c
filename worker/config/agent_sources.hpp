#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which data sources the calls of an agent may name. Pure; any thread.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// Those of its profile, and the indexes of `vector_search` that are in them, as
/// ToolRequest::data_sources has them. None: every one.
std::optional<std::set<std::string>> allowed_sources(const Config& config,
                                                     const AgentProfile& agent);

/// For each name in a profile that no source has.
std::vector<SettingProblem> validate_agent_sources(const Config& config);

}  // namespace ba
