// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/resolution.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

constexpr EnumNames<CallVerdict, 3> kVerdicts{{{CallVerdict::Happened, "happened"},
                                               {CallVerdict::DidNotHappen, "did_not_happen"},
                                               {CallVerdict::GiveUp, "give_up"}}};

constexpr const char* kNoAnswer =
    "The call took effect: a person has confirmed it. What the tool answered is not known.";

/// JSON as it is, anything else as a JSON string.
std::string as_json(const std::string& text) {
  const bool json = json_shape(text).within_limits() && accept_exact(text);
  if (json) return text;
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<ToolResult> happened(const CallAnswer& answer) {
  // What a person writes down is meant to be read, not counted.
  const OutputLevel level = answer.result ? OutputLevel::Full : OutputLevel::Standard;
  ResultFormat format;
  format.level = level;
  format.bytes_max = answer.observation_bytes_max;
  auto formatted = format_result(as_json(answer.result.value_or(kNoAnswer)), format);
  if (!formatted) return formatted.error();
  ToolResult result;
  result.state = ToolCallState::Succeeded;
  result.output_level = level;
  result.observation = std::move(formatted->text);
  result.data_size_bytes = formatted->data_size_bytes;
  result.data_summary = std::move(formatted->data_summary);
  return result;
}

}  // namespace

std::string_view to_string(CallVerdict verdict) { return name_of(kVerdicts, verdict); }

std::string names_of(const std::vector<UnresolvedCall>& calls) {
  std::string names;
  for (const UnresolvedCall& call : calls)
    names += (names.empty() ? "" : ", ") + call.tool + " (" + call.id.value + ")";
  return names;
}

Result<UnresolvedCall> call_meant(const std::vector<UnresolvedCall>& calls,
                                  const CallAnswer& answer, const std::string& job) {
  if (!answer.call && calls.size() == 1) return calls.front();
  if (!answer.call)
    return invalid_argument("job " + job + " waits for an answer about " + names_of(calls) +
                            ": say with --call which one is meant");
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const UnresolvedCall& call) {
    return call.id == *answer.call;
  });
  if (found != calls.end()) return *found;
  Error error;
  error.code = ErrorCode::NotFound;
  error.message = "job " + job + " doesn't wait for an answer about call " + answer.call->value +
                  ", but about " + names_of(calls);
  return error;
}

Result<std::optional<ToolResult>> resolved_result(const CallAnswer& answer,
                                                  const ToolCallId& call) {
  if (answer.verdict != CallVerdict::Happened && answer.result)
    return invalid_argument("a result belongs to a call that happened");
  if (answer.verdict == CallVerdict::DidNotHappen) return std::optional<ToolResult>();
  if (answer.verdict == CallVerdict::GiveUp) return std::optional(unknown_result(call));
  auto result = happened(answer);
  if (!result) return result.error();
  result->tool_call_id = call;
  return std::optional(std::move(*result));
}

}  // namespace ba
