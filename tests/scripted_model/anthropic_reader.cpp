// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/anthropic_reader.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/answer_format.hpp"
#include "tests/scripted_model/anthropic_parts.hpp"
#include "tests/scripted_model/members.hpp"
#include "tests/scripted_model/signature.hpp"

namespace ba::scripted {

using anthropic::check_cache_control;
using anthropic::check_only;
using anthropic::check_plain_content;
using anthropic::is_blank;

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 20> kRootMembers = {
    "model",       "max_tokens",    "messages",  "system",       "tools",
    "tool_choice", "thinking",      "stream",    "metadata",     "output_config",
    "speed",       "inference_geo", "container", "service_tier", "stop_sequences",
    "diagnostics", "cache_control", "top_k",     "top_p",        "temperature"};
constexpr std::size_t kSamplingMembers = 3;  // the last ones of kRootMembers

constexpr std::array<std::string_view, 9> kToolMembers = {
    "name",   "description",   "input_schema",   "type",           "cache_control",
    "strict", "defer_loading", "input_examples", "allowed_callers"};

Refusal check_thinking_option(const JsonValue& thinking, std::int64_t max_tokens) {
  if (!thinking || thinking.is(JsonKind::Null)) return nullptr;
  const Place at("thinking");
  const JsonValue type = thinking["type"];
  constexpr std::array<std::string_view, 4> kMembers = {"type", "display", "budget_tokens",
                                                        "block_binding"};
  if (auto refusal = check_only(thinking, kMembers, at)) return refusal;
  if (type.equals("adaptive") || type.equals("disabled") || type.equals("between_tools")) {
    return nullptr;
  }
  if (!type.equals("enabled")) {
    return refuse_dotted(Place(at, "type"),
                         "Input should be 'adaptive', 'between_tools', 'disabled' or 'enabled'");
  }
  const JsonValue budget = thinking["budget_tokens"];
  if (!budget.is_integer() || budget.integer() < 1024) {
    return refuse_dotted(Place(at, "enabled.budget_tokens"),
                         "Input should be greater than or equal to 1024");
  }
  if (budget.integer() >= max_tokens) {
    return refuse(400, "invalid_request_error",
                  "`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  return nullptr;
}

Refusal check_tool_choice(const JsonValue& choice, const JsonValue& tools) {
  if (!choice || choice.is(JsonKind::Null)) return nullptr;
  const Place at("tool_choice");
  constexpr std::array<std::string_view, 3> kMembers = {"type", "name",
                                                        "disable_parallel_tool_use"};
  if (auto refusal = check_only(choice, kMembers, at)) return refusal;
  const JsonValue type = choice["type"];
  if (!tools) return refuse_dotted(at, "may only be specified while providing tools");
  if (type.equals("auto") || type.equals("any") || type.equals("none")) return nullptr;
  if (!type.equals("tool")) {
    return refuse_dotted(Place(at, "type"), "Input should be 'auto', 'any', 'tool' or 'none'");
  }
  JsonValue tool = tools.first();
  for (std::uint32_t left = tools.size(); left > 0; --left, tool = tool.next()) {
    if (choice["name"] && tool["name"].raw() == choice["name"].raw()) return nullptr;
  }
  return refuse_dotted(at, "Tool '" + choice["name"].text() + "' not found in provided tools");
}

}  // namespace

Refusal AnthropicRequests::read(const RequestHeaders& headers, const JsonDocument& document,
                                Request& request) {
  request.clear();
  request.protocol = Protocol::Anthropic;
  if (auto refusal = check_headers(headers)) return refusal;
  const JsonValue root = document.root();
  if (!root.is(JsonKind::Object)) {
    return refuse(400, "invalid_request_error", "Input should be a valid dictionary");
  }
  const bool sampling_allowed = headers.anthropic_version == "2023-06-01";
  if (auto refusal = check_options(root, sampling_allowed, request)) return refusal;
  if (auto refusal = check_system(root["system"], request)) return refusal;
  if (auto refusal = check_tools(root["tools"], request)) return refusal;
  if (auto refusal = check_tool_choice(root["tool_choice"], request.tools)) return refusal;
  if (auto refusal = messages_.read(root["messages"], request)) return refusal;
  return request.has_thinking ? check_signatures(request) : nullptr;
}

Refusal AnthropicRequests::check_headers(const RequestHeaders& headers) const {
  if (!headers.api_key.empty() && !headers.authorization.empty()) {
    return refuse(400, "invalid_request_error",
                  "x-api-key and Authorization must not be sent together");
  }
  if (!api_key_.empty() && headers.api_key != api_key_ &&
      headers.authorization != "Bearer " + api_key_) {
    return refuse(401, "authentication_error", "invalid x-api-key");
  }
  if (headers.anthropic_version.empty()) {
    return refuse(400, "invalid_request_error", "anthropic-version: header is required");
  }
  if (headers.anthropic_version != "2026-10-21" && headers.anthropic_version != "2023-06-01") {
    return refuse(400, "invalid_request_error",
                  "anthropic-version: \"" + std::string(headers.anthropic_version) +
                      "\" is not a valid version");
  }
  if (!headers.content_type.starts_with("application/json")) {
    return refuse(400, "invalid_request_error", "content-type: must be application/json");
  }
  return nullptr;
}

Refusal AnthropicRequests::check_options(const JsonValue& root, bool sampling_allowed,
                                         Request& request) const {
  const Names allowed(kRootMembers.data(),
                      kRootMembers.size() - (sampling_allowed ? 0 : kSamplingMembers));
  if (const JsonValue stray = stray_member(root, allowed)) {
    return refuse_dotted(Place(stray.raw_key()), "Extra inputs are not permitted");
  }
  for (const std::string_view name : {"model", "max_tokens", "messages"}) {
    if (!root[name]) return refuse_dotted(Place(name), "Field required");
  }
  const JsonValue model = root["model"];
  if (!model.is(JsonKind::String) || is_blank(model)) {
    return refuse_dotted(Place("model"), "Input should be a valid string");
  }
  const JsonValue max_tokens = root["max_tokens"];
  if (!max_tokens.is_integer() || max_tokens.integer() < 1) {
    return refuse_dotted(Place("max_tokens"), "Input should be greater than or equal to 1");
  }
  if (const JsonValue stream = root["stream"]; stream && !stream.is_bool()) {
    return refuse_dotted(Place("stream"), "Input should be a valid boolean");
  }
  if (auto refusal = check_cache_control(root, Place("request"), request)) return refusal;
  if (auto refusal = check_output_config(root["output_config"])) return refusal;
  request.model = model.text();
  request.max_tokens = max_tokens.integer();
  request.stream = root["stream"].is(JsonKind::True);
  return check_thinking_option(root["thinking"], request.max_tokens);
}

Refusal AnthropicRequests::check_system(const JsonValue& system, Request& request) const {
  if (!system) return nullptr;
  request.system = system;
  request.add_input(system.raw().size());
  return check_plain_content(system, Place("system"), request);
}

Refusal AnthropicRequests::check_tools(const JsonValue& tools, Request& request) {
  if (!tools) return nullptr;
  const Place place("tools");
  if (!tools.is(JsonKind::Array)) return refuse_dotted(place, "Input should be a valid list");
  request.tools = tools;
  request.add_input(tools.raw().size());
  const bool known = known_tools_.holds(tools.raw());
  std::vector<std::string_view> names;
  JsonValue tool = tools.first();
  for (std::uint32_t i = 0; i < tools.size(); ++i, tool = tool.next()) {
    const Place at(place, i);
    if (auto refusal = check_cache_control(tool, at, request)) return refusal;
    if (known) continue;
    if (auto refusal = check_only(tool, kToolMembers, at)) return refusal;
    const JsonValue name = tool["name"];
    if (!is_tool_name(name)) {
      return refuse_dotted(Place(at, "name"),
                           "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
    }
    if (std::find(names.begin(), names.end(), name.raw()) != names.end()) {
      return refuse_dotted(place, "Tool names must be unique.");
    }
    names.push_back(name.raw());
    if (const JsonValue text = tool["description"]; text && !text.is(JsonKind::String)) {
      return refuse_dotted(Place(at, "description"), "Input should be a valid string");
    }
    if (!tool["input_schema"]) return refuse_dotted(Place(at, "input_schema"), "Field required");
    if (auto refusal = check_object_schema(tool["input_schema"], Place(at, "input_schema"),
                                           Demands::Anthropic)) {
      return refusal;
    }
  }
  if (!known) known_tools_.remember(tools.raw());
  return nullptr;
}

}  // namespace ba::scripted
