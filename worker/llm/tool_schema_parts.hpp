#pragma once
// SPDX-License-Identifier: Apache-2.0
// A schema and all schemas within it, each as a provider takes it. Pure; any thread.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "worker/llm/tool_rules.hpp"

namespace ba {

/// Of schemas within one that are looked at.
inline constexpr std::size_t kSchemaPartsMax = 20'000;

/// The schema refers to nothing. `notes` get what it can't say itself, for the tool's description;
/// those of an inner schema go to that one's description. False: it has more parts than are looked
/// at, and is of no use.
bool fit_parts(nlohmann::ordered_json& schema, const ToolRules& rules,
               std::vector<std::string>& notes);

}  // namespace ba
