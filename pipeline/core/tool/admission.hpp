#pragma once
// SPDX-License-Identifier: Apache-2.0
// What happens to a call before its tool runs: whether there is such a tool, whether this caller
// may use it, and whether the arguments fit. Control thread only.

#include <optional>

#include "pipeline/core/tool/data_sources.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/core/tool/tool_request.hpp"

namespace ba {

/// The tool and its checked arguments, or why not.
struct Admission {
  const ToolRegistry::Entry* entry = nullptr;  ///< null: there is no such tool
  CheckedArguments arguments;
  std::optional<ToolError> refused;
};

Admission admit(const ToolRegistry& registry, const ToolRuntimeConfig& config,
                const ToolRequest& request);

/// What the tool of an admitted call is given, at the first try; takes the parameters.
ToolInvocation invocation_of(const ToolRequest& request, Admission& admission);

/// The arguments against the tool's schema and the limits. InvalidArgument, with a message for the
/// model.
Result<CheckedArguments> check_arguments(const ToolRegistry::Entry& entry,
                                         const ToolRuntimeConfig& config,
                                         const SourcedArguments& given);

}  // namespace ba
