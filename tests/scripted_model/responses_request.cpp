// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/responses_request.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/members.hpp"
#include "tests/scripted_model/openai_parts.hpp"

namespace ba::scripted {

using openai::check_only;
using openai::check_range;

namespace {

constexpr std::int64_t kOutputTokensMin = 16;
constexpr std::array<std::string_view, 24> kRootMembers = {"model",
                                                           "input",
                                                           "instructions",
                                                           "store",
                                                           "include",
                                                           "tools",
                                                           "tool_choice",
                                                           "parallel_tool_calls",
                                                           "max_output_tokens",
                                                           "max_tool_calls",
                                                           "stream",
                                                           "stream_options",
                                                           "temperature",
                                                           "top_p",
                                                           "reasoning",
                                                           "text",
                                                           "truncation",
                                                           "metadata",
                                                           "user",
                                                           "prompt_cache_key",
                                                           "prompt_cache_retention",
                                                           "safety_identifier",
                                                           "service_tier",
                                                           "context_management"};
constexpr std::array<std::string_view, 5> kToolMembers = {"type", "name", "description",
                                                          "parameters", "strict"};
constexpr std::array<std::string_view, 3> kReasoningMembers = {"effort", "summary",
                                                               "generate_summary"};
constexpr std::array<std::string_view, 7> kEfforts = {"none", "minimal", "low", "medium",
                                                      "high", "xhigh",   "max"};

bool asks_for_reasoning(const JsonValue& include) {
  if (!include.is(JsonKind::Array)) return false;
  JsonValue element = include.first();
  for (std::uint32_t left = include.size(); left > 0; --left, element = element.next()) {
    if (element.equals("reasoning.encrypted_content")) return true;
  }
  return false;
}

Refusal check_reasoning(const JsonValue& root) {
  const JsonValue reasoning = root["reasoning"];
  if (!reasoning || reasoning.is(JsonKind::Null)) return nullptr;
  const Place at("reasoning");
  if (auto refusal = check_only(reasoning, kReasoningMembers, at)) return refusal;
  const JsonValue effort = reasoning["effort"];
  if (!effort) return nullptr;
  const auto same = [&](std::string_view known) { return effort.equals(known); };
  if (std::none_of(kEfforts.begin(), kEfforts.end(), same)) {
    return refuse_bracketed(Place(at, "effort"), "expected one of the efforts");
  }
  if (effort.equals("none") || !root["temperature"]) return nullptr;
  Refusal refusal =
      refuse(400, "invalid_request_error",
             "Unsupported parameter: 'temperature' is not supported with this model.");
  refusal->param = "temperature";
  return refusal;
}

/// What `strict` demands of the schema of a function's parameters.
Refusal check_strict(const JsonValue& tool, const Place& place) {
  const JsonValue schema = tool["parameters"];
  const std::string in =
      "Invalid schema for function '" + tool["name"].text() + "': In context=(), ";
  Refusal refusal;
  if (!schema["additionalProperties"].is(JsonKind::False)) {
    refusal = refuse(400, "invalid_request_error",
                     in + "'additionalProperties' is required to be supplied and to be false.");
  } else if (schema["properties"].size() > (schema["required"] ? schema["required"].size() : 0)) {
    refusal = refuse(400, "invalid_request_error",
                     in + "'required' is required to be supplied and to be an array including "
                          "every key in properties.");
  }
  if (refusal) refusal->param = Place(place, "parameters").bracketed();
  return refusal;
}

}  // namespace

Refusal ResponsesRequests::read(const RequestHeaders& headers, const JsonDocument& document,
                                Request& request) {
  request.clear();
  request.protocol = Protocol::OpenAiResponses;
  if (auto refusal = openai::check_headers(headers, api_key_)) return refusal;
  const JsonValue root = document.root();
  if (!root.is(JsonKind::Object)) {
    return refuse(400, "invalid_request_error", "The body must be a JSON object.");
  }
  if (auto refusal = check_options(root, request)) return refusal;
  if (auto refusal = check_reasoning(root)) return refusal;
  if (auto refusal = check_tools(root["tools"], request)) return refusal;
  return items_.read(root["input"], request);
}

Refusal ResponsesRequests::check_options(const JsonValue& root, Request& request) const {
  if (const JsonValue stray = stray_member(root, kRootMembers)) {
    const std::string name(stray.raw_key());
    Refusal refusal = refuse(400, "invalid_request_error", "Unknown parameter: '" + name + "'.");
    refusal->param = name;
    return refusal;
  }
  const JsonValue model = root["model"];
  if (!model.is(JsonKind::String) || model.text().empty()) {
    return refuse(400, "invalid_request_error", "Missing required parameter: 'model'.");
  }
  if (!root["store"].is(JsonKind::False)) {
    return refuse_bracketed(Place("store"), "this server keeps nothing, expected false");
  }
  if (!asks_for_reasoning(root["include"])) {
    return refuse_bracketed(Place("include"),
                            "without 'reasoning.encrypted_content' no reasoning can come back");
  }
  const JsonValue limit = root["max_output_tokens"];
  if (limit && (!limit.is_integer() || limit.integer() < kOutputTokensMin)) {
    return refuse_bracketed(Place("max_output_tokens"),
                            "integer below minimum value. Expected a value >= 16");
  }
  const JsonValue stream = root["stream"];
  if (stream && !stream.is_bool()) return refuse_bracketed(Place("stream"), "expected a boolean");
  const JsonValue parallel = root["parallel_tool_calls"];
  if (parallel && !parallel.is_bool()) {
    return refuse_bracketed(Place("parallel_tool_calls"), "expected a boolean");
  }
  if (auto refusal = check_range(root, "temperature", 0, 2)) return refusal;
  if (auto refusal = check_range(root, "top_p", 0, 1)) return refusal;
  const JsonValue instructions = root["instructions"];
  if (instructions && !instructions.is(JsonKind::String)) {
    return refuse_bracketed(Place("instructions"), "expected a string");
  }
  request.model = model.text();
  request.max_tokens = limit ? limit.integer() : 0;
  request.stream = stream.is(JsonKind::True);
  if (instructions) request.add_input(instructions.raw().size());
  return nullptr;
}

Refusal ResponsesRequests::check_tools(const JsonValue& tools, Request& request) {
  if (!tools) return nullptr;
  const Place place("tools");
  if (!tools.is(JsonKind::Array)) return refuse_bracketed(place, "expected an array");
  if (tools.size() > kOpenAiToolsMax) {
    return refuse_bracketed(place, "array too long. Expected an array with maximum length 128");
  }
  request.tools = tools;
  request.add_input(tools.raw().size());
  if (known_tools_.holds(tools.raw())) return nullptr;
  std::vector<std::string_view> names;
  JsonValue tool = tools.first();
  for (std::uint32_t i = 0; i < tools.size(); ++i, tool = tool.next()) {
    if (auto refusal = check_tool(tool, Place(place, i), names)) return refusal;
  }
  known_tools_.remember(tools.raw());
  return nullptr;
}

Refusal ResponsesRequests::check_tool(const JsonValue& tool, const Place& place,
                                      std::vector<std::string_view>& names) const {
  if (auto refusal = check_only(tool, kToolMembers, place)) return refusal;
  if (!tool["type"].equals("function")) {
    return refuse_bracketed(Place(place, "type"), "expected 'function'");
  }
  const JsonValue name = tool["name"];
  if (!is_tool_name(name)) {
    return refuse_bracketed(Place(place, "name"),
                            "string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  if (std::find(names.begin(), names.end(), name.raw()) != names.end()) {
    return refuse_bracketed(Place(place, "name"), "tool names must be unique");
  }
  names.push_back(name.raw());
  if (const JsonValue text = tool["description"]; text && !text.is(JsonKind::String)) {
    return refuse_bracketed(Place(place, "description"), "expected a string");
  }
  const JsonValue schema = tool["parameters"];
  if (!schema) return nullptr;
  const Place at(place, "parameters");
  if (auto refusal = check_object_schema(schema, at, Demands::OpenAi)) return refusal;
  // Left out, the provider takes it for true and changes the schema: no client wants that.
  return tool["strict"].is(JsonKind::False) ? nullptr : check_strict(tool, place);
}

}  // namespace ba::scripted
