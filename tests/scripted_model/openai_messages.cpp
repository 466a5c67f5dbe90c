// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/openai_messages.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/openai_parts.hpp"
#include "tests/scripted_model/tool_list.hpp"

namespace ba::scripted {

using openai::check_arguments;
using openai::check_content;
using openai::check_only;

namespace {

constexpr std::array<std::string_view, 3> kPromptMembers = {"role", "content", "name"};
constexpr std::array<std::string_view, 7> kAssistantMembers = {
    "role", "content", "name", "refusal", "tool_calls", "reasoning_content", "reasoning"};
constexpr std::array<std::string_view, 3> kResultMembers = {"role", "content", "tool_call_id"};
constexpr std::array<std::string_view, 3> kCallMembers = {"id", "type", "function"};
constexpr std::array<std::string_view, 2> kCalledMembers = {"name", "arguments"};

}  // namespace

Refusal OpenAiMessages::read(const JsonValue& messages, Request& request) {
  const Place place("messages");
  open_calls_.clear();
  answered_ = 0;
  all_calls_.clear();
  if (!messages.is(JsonKind::Array)) return refuse_bracketed(place, "expected an array");
  if (messages.size() == 0) return refuse_bracketed(place, "empty array");
  request.messages = messages;
  JsonValue message = messages.first();
  for (std::uint32_t i = 0; i < messages.size(); ++i, message = message.next()) {
    if (auto refusal = check_message(message, Place(place, i), request)) return refusal;
  }
  if (auto refusal = check_all_answered()) return refusal;
  if (request.turns.empty() || request.turns.back().kind == Turn::Kind::Assistant) {
    return refuse_bracketed(place, "the last message must have the role 'user' or 'tool'");
  }
  return nullptr;
}

Refusal OpenAiMessages::check_message(const JsonValue& message, const Place& place,
                                      Request& request) {
  if (!message.is(JsonKind::Object)) return refuse_bracketed(place, "expected an object");
  const JsonValue role = message["role"];
  if (role.equals("tool")) return check_result(message, place, request);
  if (auto refusal = check_all_answered()) return refusal;
  open_calls_.clear();
  answered_ = 0;
  if (role.equals("assistant")) return check_assistant(message, place, request);
  const bool user = role.equals("user");
  if (!user && !role.equals("system") && !role.equals("developer")) {
    return refuse_bracketed(Place(place, "role"),
                            "expected 'system', 'developer', 'user', 'assistant' or 'tool'");
  }
  if (auto refusal = check_only(message, kPromptMembers, place)) return refusal;
  const JsonValue content = message["content"];
  if (auto refusal = check_content(content, Place(place, "content"))) return refusal;
  if (user) {
    request.add_turn(Turn::Kind::Human, content);
  } else {
    request.add_input(content.raw().size());
  }
  return nullptr;
}

Refusal OpenAiMessages::check_assistant(const JsonValue& message, const Place& place,
                                        Request& request) {
  if (auto refusal = check_only(message, kAssistantMembers, place)) return refusal;
  if (request.turns.empty() || request.turns.back().kind == Turn::Kind::Assistant) {
    return refuse_bracketed(Place(place, "role"),
                            "an assistant message must follow a user or tool message");
  }
  const JsonValue content = message["content"];
  const JsonValue calls = message["tool_calls"];
  const bool has_content = content && !content.is(JsonKind::Null);
  if (has_content || !calls) {
    if (auto refusal = check_content(content, Place(place, "content"))) return refusal;
  }
  request.add_turn(Turn::Kind::Assistant, content);
  if (!calls) return nullptr;
  const Place at(place, "tool_calls");
  if (!calls.is(JsonKind::Array)) return refuse_bracketed(at, "expected an array");
  if (calls.size() == 0) return refuse_bracketed(at, "[] is too short");
  JsonValue call = calls.first();
  for (std::uint32_t i = 0; i < calls.size(); ++i, call = call.next()) {
    if (auto refusal = check_call(call, Place(at, i), request)) return refusal;
  }
  return nullptr;
}

Refusal OpenAiMessages::check_call(const JsonValue& call, const Place& place, Request& request) {
  if (auto refusal = check_only(call, kCallMembers, place)) return refusal;
  if (!call["type"].equals("function")) {
    return refuse_bracketed(Place(place, "type"), "expected 'function'");
  }
  const JsonValue id = call["id"];
  if (!id.is(JsonKind::String) || id.raw().size() <= 2) {
    return refuse_bracketed(Place(place, "id"), "a string is required");
  }
  const auto same = [&](const JsonValue& other) { return other.raw() == id.raw(); };
  if (std::any_of(all_calls_.begin(), all_calls_.end(), same)) {
    return refuse_bracketed(Place(place, "id"), "tool call ids must be unique");
  }
  const JsonValue function = call["function"];
  const Place at(place, "function");
  if (auto refusal = check_only(function, kCalledMembers, at)) return refusal;
  if (!is_tool_name(function["name"])) {
    return refuse_bracketed(Place(at, "name"),
                            "string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  if (auto refusal = check_arguments(function["arguments"], Place(at, "arguments"), arguments_,
                                     arguments_text_)) {
    return refusal;
  }
  request.add_input(arguments_text_.size());
  open_calls_.push_back(id);
  all_calls_.push_back(id);
  return nullptr;
}

Refusal OpenAiMessages::check_result(const JsonValue& message, const Place& place,
                                     Request& request) {
  if (auto refusal = check_only(message, kResultMembers, place)) return refusal;
  const JsonValue id = message["tool_call_id"];
  if (!id.is(JsonKind::String)) {
    return refuse_bracketed(Place(place, "tool_call_id"), "a string is required");
  }
  const auto same = [&](const JsonValue& call) { return call.raw() == id.raw(); };
  if (answered_ >= open_calls_.size() || !same(open_calls_[answered_])) {
    const bool open = std::any_of(open_calls_.begin(), open_calls_.end(), same);
    return refuse_bracketed(
        Place(place, "tool_call_id"),
        open ? "answered twice or out of order: " + id.text()
             : "messages with role 'tool' must be a response to a preceding message with "
               "'tool_calls', found " +
                   id.text());
  }
  if (auto refusal = check_content(message["content"], Place(place, "content"))) return refusal;
  ++answered_;
  request.add_turn(Turn::Kind::Observation, message["content"]);
  return nullptr;
}

Refusal OpenAiMessages::check_all_answered() const {
  if (answered_ >= open_calls_.size()) return nullptr;
  Refusal refusal = refuse(
      400, "invalid_request_error",
      "An assistant message with 'tool_calls' must be followed by tool messages responding "
      "to each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
          open_calls_[answered_].text());
  refusal->param = "messages";
  return refusal;
}

}  // namespace ba::scripted
