// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/admission.hpp"

#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/tool/call_reading.hpp"
#include "pipeline/tool/json_shape.hpp"
#include "pipeline/tool/output_level.hpp"

namespace ba {
namespace {

ToolError unknown_tool(const ToolRegistry& registry, const ToolRequest& request) {
  return {.type = ToolErrorType::NotFound,
          .code = "TOOL_NOT_FOUND",
          .message = "There is no tool '" + cut_code_points(request.call.name, 64) +
                     "'. Available tools: " + joined_or_none(registry.names(request.allowed))};
}

ToolError tool_not_allowed(const ToolRegistry& registry, const ToolRequest& request) {
  return {.type = ToolErrorType::PermissionDenied,
          .code = "TOOL_NOT_ALLOWED",
          .message = "The tool '" + request.call.name +
                     "' may not be used here. Available tools: " +
                     joined_or_none(registry.names(request.allowed))};
}

ToolError permission_too_low(const ToolDescriptor& tool, PermissionLevel has) {
  return {.type = ToolErrorType::PermissionDenied,
          .code = "PERMISSION_DENIED",
          .message = "The tool '" + tool.name + "' needs permission level " +
                     std::string(to_string(tool.permission)) + "; this caller has " +
                     std::string(to_string(has))};
}

ToolError source_not_allowed(const std::string& parameter, const std::string& source,
                             const std::set<std::string>& allowed) {
  std::vector<std::string> names;
  for (const std::string& one : allowed)
    if (one.starts_with(parameter + ":")) names.push_back(one.substr(parameter.size() + 1));
  return {.type = ToolErrorType::PermissionDenied,
          .code = "DATA_SOURCE_NOT_ALLOWED",
          .message = "The " + parameter + " '" + cut_code_points(source, 64) +
                     "' may not be used here. Allowed: " + joined_or_none(names)};
}

/// Of a call whose arguments fit.
std::optional<ToolError> forbidden_source(const ToolDescriptor& tool, const ToolRequest& request,
                                          const std::string& parameters) {
  const std::string& parameter = tool.source_parameter;
  if (!request.data_sources || parameter.empty()) return std::nullopt;
  const std::string source = text_argument(parameters, parameter);
  if (request.data_sources->contains(parameter + ":" + source)) return std::nullopt;
  return source_not_allowed(parameter, source, *request.data_sources);
}

ToolError bad_arguments(std::string code, std::string message) {
  return {.type = ToolErrorType::InvalidParameters,
          .code = std::move(code),
          .message = std::move(message)};
}

}  // namespace

Result<CheckedArguments> check_arguments(const ToolRegistry::Entry& entry,
                                         const ToolRuntimeConfig& config,
                                         const ToolRequest& request) {
  const std::int64_t bytes_max = std::int64_t{config.max_input_mb} * 1024 * 1024;
  return entry.schema.check(request.call.args_json, bytes_max);
}

Admission admit(const ToolRegistry& registry, const ToolRuntimeConfig& config,
                const ToolRequest& request) {
  Admission admission;
  admission.entry = registry.find(request.call.name);
  if (!admission.entry) {
    admission.refused = unknown_tool(registry, request);
    return admission;
  }
  const ToolDescriptor& tool = admission.entry->tool->descriptor();
  if (!allows(request.allowed, tool.name)) {
    admission.refused = tool_not_allowed(registry, request);
  } else if (request.permission < tool.permission) {
    admission.refused = permission_too_low(tool, request.permission);
  } else if (!request.call.valid()) {
    admission.refused = bad_arguments("INVALID_JSON", request.call.args_error);
  } else {
    Result<CheckedArguments> checked = check_arguments(*admission.entry, config, request);
    if (!checked) {
      // What is wrong with a source's name would be told with the names of all sources.
      const std::string& args = request.call.args_json;
      if (json_shape(args).within_limits() && !text_argument(args, tool.source_parameter).empty())
        admission.refused = forbidden_source(tool, request, args);
      if (admission.refused) return admission;
      admission.refused = bad_arguments("INVALID_PARAMETERS", checked.error().message);
      return admission;
    }
    admission.arguments = std::move(*checked);
    admission.refused = forbidden_source(tool, request, admission.arguments.parameters);
  }
  return admission;
}

}  // namespace ba
