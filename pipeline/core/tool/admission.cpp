// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/admission.hpp"

#include <limits>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

ToolError unknown_tool(const ToolRegistry& registry, const ToolRequest& request) {
  const std::vector<std::string> names = registry.names(request.allowed);
  const auto near = nearest_word(request.call.name, names);
  return {.type = ToolErrorType::NotFound,
          .code = "TOOL_NOT_FOUND",
          .message = "There is no tool '" + cut_code_points(request.call.name, 64) + "'. " +
                     (near ? "Did you mean '" + *near + "'? " : "") +
                     "Available tools: " + joined_or_none(names)};
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

ToolError bad_arguments(std::string code, std::string message) {
  return {.type = ToolErrorType::InvalidParameters,
          .code = std::move(code),
          .message = std::move(message)};
}

/// Sets the arguments, or why they are refused.
void check(Admission& admission, const ToolRuntimeConfig& config, const ToolRequest& request) {
  const SourcedArguments sourced = choose_source(admission.entry->tool->descriptor(),
                                                 request.data_sources, request.call.args_json);
  admission.refused = sourced.refused;
  if (admission.refused) return;
  Result<CheckedArguments> checked = check_arguments(*admission.entry, config, sourced);
  if (checked)
    admission.arguments = std::move(*checked);
  else
    admission.refused = bad_arguments("INVALID_PARAMETERS", checked.error().message);
}

}  // namespace

Result<CheckedArguments> check_arguments(const ToolRegistry::Entry& entry,
                                         const ToolRuntimeConfig& config,
                                         const SourcedArguments& given) {
  const std::int64_t bytes_max = std::int64_t{config.max_input_mb} * 1024 * 1024;
  return entry.schema.check(given.args_json, bytes_max, given.read);
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
    check(admission, config, request);
  }
  return admission;
}

ToolInvocation invocation_of(const ToolRequest& request, Admission& admission) {
  ToolInvocation invocation;
  if (admission.refused) return invocation;
  const ToolDescriptor& tool = admission.entry->tool->descriptor();
  invocation.tool_call_id = request.call.id;
  invocation.tool_name = tool.name;
  invocation.tool_version = tool.version;
  invocation.parameters = std::move(admission.arguments.parameters);
  invocation.arguments = std::move(admission.arguments.object);
  invocation.timeout = request.timeout.value_or(tool.timeout);
  invocation.retry_on_timeout = request.retry_on_timeout && tool.retry_on_timeout;
  invocation.permission_level = request.permission;
  invocation.tenant = request.tenant;
  invocation.caller_id = request.caller_id;
  invocation.idempotency_key = request.idempotency_key;
  if (request.maybe_done) invocation.begun_version = request.begun_version;
  invocation.job = request.job;
  invocation.position = request.position;
  invocation.active_skills = request.active_skills;
  if (request.uncut) invocation.held_bytes_max = std::numeric_limits<std::int64_t>::max();
  return invocation;
}

}  // namespace ba
