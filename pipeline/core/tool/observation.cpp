// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/observation.hpp"

#include <utility>

#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"

namespace ba {
namespace {

/// Of a tool's error message; a database quotes whole rows in its own.
constexpr std::size_t kErrorCharsMax = 8000;

}  // namespace

ToolError presentable(ToolError error) {
  repair_utf8(error.message);
  error.message = cut_code_points(error.message, kErrorCharsMax);
  return error;
}

std::string error_observation(const std::optional<ToolError>& error, const ToolCallId& id) {
  const std::string type = error ? std::string(to_string(error->type)) : "Unknown";
  const std::string code = error && !error->code.empty() ? error->code : "UNKNOWN";
  const std::string message =
      error && !error->message.empty() ? error->message : "An unknown error occurred";
  return "Operation failed.\n\nError Type: " + type + "\nError Code: " + code +
         "\nError Message: " + message + "\n\nTool Call ID: " + id.value;
}

std::string outcome_unknown_observation(const std::optional<ToolError>& error,
                                        const ToolCallId& id) {
  const std::string heard =
      error ? "Last heard: " + error->code + ": " + error->message + "\n" : std::string();
  return "Outcome unknown.\n\n"
         "The call was started, but whether it took effect is not known: its time was up, or the "
         "connection to the tool or the worker was lost, before an answer came. It is not run "
         "again by itself.\n"
         "Check what state things are in before you repeat it.\n" +
         heard +
         "\n"
         "Tool Call ID: " +
         id.value;
}

ToolMessage observation_message(MessageMeta meta, const std::string& tool,
                                const ToolResult& result) {
  ToolMessage message;
  message.meta = std::move(meta);
  message.tool_call_id = result.tool_call_id;
  message.tool_name = tool;
  message.content = result.observation;
  const bool success = result.state == ToolCallState::Succeeded;
  message.status = success ? ToolStatus::Success : ToolStatus::Error;
  return message;
}

ToolResult unknown_result(const ToolCallId& id) {
  ToolResult result;
  result.tool_call_id = id;
  result.state = ToolCallState::Unknown;
  result.observation = outcome_unknown_observation(std::nullopt, id);
  return result;
}

ToolResult not_completed_result(const ToolCallId& id) {
  ToolResult result;
  result.tool_call_id = id;
  result.state = ToolCallState::Failed;
  result.error = ToolError{.type = ToolErrorType::ExecutionError,
                           .code = "NOT_RUN",
                           .message = "The call was not completed because the job ended."};
  result.observation = error_observation(result.error, id);
  return result;
}

ToolError timeout_error(Milliseconds timeout) {
  return {.type = ToolErrorType::Timeout,
          .code = "TIMEOUT",
          .message = "Tool execution timed out after " + std::to_string(timeout.count()) + "ms"};
}

}  // namespace ba
