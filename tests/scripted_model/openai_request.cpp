// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/openai_request.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/answer_format.hpp"
#include "tests/scripted_model/members.hpp"
#include "tests/scripted_model/openai_parts.hpp"

namespace ba::scripted {

using openai::check_only;
using openai::check_range;

namespace {

constexpr std::array<std::string_view, 29> kRootMembers = {"model",
                                                           "messages",
                                                           "tools",
                                                           "tool_choice",
                                                           "parallel_tool_calls",
                                                           "max_tokens",
                                                           "max_completion_tokens",
                                                           "stream",
                                                           "stream_options",
                                                           "temperature",
                                                           "top_p",
                                                           "n",
                                                           "stop",
                                                           "seed",
                                                           "user",
                                                           "response_format",
                                                           "reasoning_effort",
                                                           "metadata",
                                                           "store",
                                                           "prompt_cache_key",
                                                           "prompt_cache_options",
                                                           "prompt_cache_retention",
                                                           "safety_identifier",
                                                           "service_tier",
                                                           "verbosity",
                                                           "frequency_penalty",
                                                           "presence_penalty",
                                                           "logprobs",
                                                           "logit_bias"};
constexpr std::array<std::string_view, 2> kToolMembers = {"type", "function"};
constexpr std::array<std::string_view, 4> kFunctionMembers = {"name", "description", "parameters",
                                                              "strict"};
constexpr std::array<std::string_view, 2> kStreamMembers = {"include_usage", "include_obfuscation"};

Refusal check_tool_choice(const JsonValue& choice, const JsonValue& tools) {
  if (!choice || choice.is(JsonKind::Null)) return nullptr;
  const Place at("tool_choice");
  if (!tools) return refuse_bracketed(at, "only allowed when 'tools' are specified");
  if (choice.equals("none") || choice.equals("auto") || choice.equals("required")) return nullptr;
  const JsonValue name = choice["function"]["name"];
  JsonValue tool = tools.first();
  for (std::uint32_t left = tools.size(); left > 0; --left, tool = tool.next()) {
    if (name && tool["function"]["name"].raw() == name.raw()) return nullptr;
  }
  return refuse_bracketed(at, "expected 'none', 'auto', 'required' or one of the functions");
}

}  // namespace

Refusal OpenAiRequests::read(const RequestHeaders& headers, const JsonDocument& document,
                             Request& request) {
  request.clear();
  request.protocol = Protocol::OpenAi;
  if (auto refusal = openai::check_headers(headers, api_key_)) return refusal;
  const JsonValue root = document.root();
  if (!root.is(JsonKind::Object)) {
    return refuse(400, "invalid_request_error", "The body must be a JSON object.");
  }
  if (auto refusal = check_options(root, request)) return refusal;
  if (auto refusal = check_tools(root["tools"], request)) return refusal;
  if (auto refusal = check_tool_choice(root["tool_choice"], request.tools)) return refusal;
  return messages_.read(root["messages"], request);
}

Refusal OpenAiRequests::check_options(const JsonValue& root, Request& request) const {
  if (const JsonValue stray = stray_member(root, kRootMembers)) {
    return refuse(400, "invalid_request_error",
                  "Unrecognized request argument supplied: " + std::string(stray.raw_key()));
  }
  const JsonValue model = root["model"];
  if (!model.is(JsonKind::String) || model.text().empty()) {
    return refuse(400, "invalid_request_error", "you must provide a model parameter");
  }
  const JsonValue newer = root["max_completion_tokens"];
  const JsonValue older = root["max_tokens"];
  if (newer && older) {
    return refuse(400, "invalid_request_error",
                  "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not "
                  "supported.");
  }
  const JsonValue limit = newer ? newer : older;
  if (limit && (!limit.is_integer() || limit.integer() < 1)) {
    return refuse_bracketed(Place(newer ? "max_completion_tokens" : "max_tokens"),
                            "expected an integer of at least 1");
  }
  const JsonValue stream = root["stream"];
  const JsonValue options = root["stream_options"];
  if (stream && !stream.is_bool()) return refuse_bracketed(Place("stream"), "expected a boolean");
  if (options && !stream.is(JsonKind::True)) {
    return refuse_bracketed(Place("stream_options"), "only allowed when 'stream' is true");
  }
  if (options) {
    if (auto refusal = check_only(options, kStreamMembers, Place("stream_options"))) return refusal;
  }
  if (auto refusal = check_range(root, "temperature", 0, 2)) return refusal;
  if (auto refusal = check_range(root, "top_p", 0, 1)) return refusal;
  if (auto refusal = check_range(root, "n", 1, 1)) return refusal;
  if (auto refusal = check_response_format(root["response_format"])) return refusal;
  request.model = model.text();
  request.max_tokens = limit ? limit.integer() : 0;
  request.stream = stream.is(JsonKind::True);
  request.include_usage = options["include_usage"].is(JsonKind::True);
  return nullptr;
}

Refusal OpenAiRequests::check_tools(const JsonValue& tools, Request& request) {
  if (!tools) return nullptr;
  const Place place("tools");
  if (!tools.is(JsonKind::Array)) return refuse_bracketed(place, "expected an array");
  if (tools.size() > kOpenAiToolsMax) {
    return refuse_bracketed(place, "array too long. Expected an array with maximum length 128");
  }
  if (tools.size() == 0) return refuse_bracketed(place, "empty array, expected at least one tool");
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

Refusal OpenAiRequests::check_tool(const JsonValue& tool, const Place& place,
                                   std::vector<std::string_view>& names) const {
  if (auto refusal = check_only(tool, kToolMembers, place)) return refusal;
  if (!tool["type"].equals("function")) {
    return refuse_bracketed(Place(place, "type"), "expected 'function'");
  }
  const JsonValue function = tool["function"];
  const Place at(place, "function");
  if (auto refusal = check_only(function, kFunctionMembers, at)) return refusal;
  const JsonValue name = function["name"];
  if (!is_tool_name(name)) {
    return refuse_bracketed(Place(at, "name"),
                            "string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  if (std::find(names.begin(), names.end(), name.raw()) != names.end()) {
    return refuse_bracketed(Place(at, "name"), "tool names must be unique");
  }
  names.push_back(name.raw());
  if (const JsonValue text = function["description"]; text && !text.is(JsonKind::String)) {
    return refuse_bracketed(Place(at, "description"), "expected a string");
  }
  const JsonValue schema = function["parameters"];
  return schema ? check_object_schema(schema, Place(at, "parameters"), Demands::OpenAi) : nullptr;
}

}  // namespace ba::scripted
