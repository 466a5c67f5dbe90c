#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool with several data sources as a model is offered it whose agent may name some of them only.
// Pure; any thread.

#include <optional>
#include <set>
#include <string>

#include "pipeline/tool/tool.hpp"

namespace ba {

/// Without the other sources' names and paragraphs. `allowed` is that of ToolRequest::data_sources.
/// None where the tool has no source left.
std::optional<ToolSpec> with_sources(ToolSpec spec, const std::string& source_parameter,
                                     const std::optional<std::set<std::string>>& allowed);

}  // namespace ba
