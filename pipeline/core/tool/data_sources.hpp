#pragma once
// SPDX-License-Identifier: Apache-2.0
// The data sources of a tool (`source_parameter`), for callers that may name some of them only:
// what a model reads of the tool, and what its calls may say. `allowed` is that of
// ToolRequest::data_sources: none, every one. Pure; any thread.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>

#include "pipeline/core/tool/tool.hpp"

namespace ba {

using AllowedSources = std::optional<std::set<std::string>>;

/// The tool's own text, then a paragraph of each allowed source.
std::string description_for(const ToolDescriptor& tool, const AllowedSources& allowed);

/// `spec` of `tool` without the other sources' names and paragraphs; where one is left, a call
/// needn't name it. None where the tool has no source left.
std::optional<ToolSpec> with_sources(ToolSpec spec, const ToolDescriptor& tool,
                                     const AllowedSources& allowed);

struct SourcedArguments {
  std::string args_json;  ///< with the source, where the call may leave it out
  /// What that is, where it had to be looked at and stayed as it was; else null.
  std::shared_ptr<nlohmann::ordered_json> read;
  std::optional<ToolError> refused;
};

/// Looked at before anything else in the arguments, as what else is wrong with a source's name
/// would be told with the names of all sources. What isn't an object of harmless shape is left as
/// it is.
SourcedArguments choose_source(const ToolDescriptor& tool, const AllowedSources& allowed,
                               const std::string& args_json);

}  // namespace ba
