// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/anthropic_messages.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/anthropic_parts.hpp"
#include "tests/scripted_model/tool_list.hpp"

namespace ba::scripted {

using anthropic::check_cache_control;
using anthropic::check_only;
using anthropic::check_plain_content;
using anthropic::check_text;
using anthropic::is_blank;

namespace {

constexpr std::array<std::string_view, 2> kMessageMembers = {"role", "content"};
constexpr std::array<std::string_view, 5> kResultMembers = {"type", "tool_use_id", "content",
                                                            "is_error", "cache_control"};
constexpr std::array<std::string_view, 6> kCallMembers = {"type",          "id",    "name", "input",
                                                          "cache_control", "caller"};
constexpr std::array<std::string_view, 3> kThinkingMembers = {"type", "thinking", "signature"};
constexpr std::array<std::string_view, 2> kRedactedMembers = {"type", "data"};
}  // namespace

Refusal AnthropicMessages::read(const JsonValue& messages, Request& request) {
  const Place place("messages");
  open_calls_.clear();
  all_calls_.clear();
  if (!messages.is(JsonKind::Array)) return refuse_dotted(place, "Input should be a valid list");
  if (messages.size() == 0) return refuse_dotted(place, "at least one message is required");
  request.messages = messages;
  JsonValue message = messages.first();
  bool after_assistant = false;
  for (std::uint32_t i = 0; i < messages.size(); ++i, message = message.next()) {
    const Place at(place, i);
    const bool assistant = message["role"].equals("assistant");
    if (i == 0 && assistant) {
      return refuse_dotted(at, "the first message must have the role 'user'");
    }
    if (assistant && after_assistant) {
      return refuse_dotted(at, "roles must alternate, found two 'assistant' messages in a row");
    }
    if (auto refusal = check_message(message, at, request)) return refusal;
    after_assistant = assistant;
  }
  if (after_assistant) {
    return refuse(400, "invalid_request_error",
                  "This model does not support assistant message prefill. The conversation must "
                  "end with a user message.");
  }
  return nullptr;
}

Refusal AnthropicMessages::check_message(const JsonValue& message, const Place& place,
                                         Request& request) {
  if (auto refusal = check_only(message, kMessageMembers, place)) return refusal;
  const JsonValue content = message["content"];
  const Place at(place, "content");
  if (!content) return refuse_dotted(at, "Field required");
  const bool assistant = message["role"].equals("assistant");
  if (!assistant && !message["role"].equals("user")) {
    return refuse_dotted(Place(place, "role"), "Input should be 'user' or 'assistant'");
  }
  if (content.is(JsonKind::String)) {
    if (!assistant && !open_calls_.empty()) return check_user(content, at, request);
    if (is_blank(content)) return refuse_dotted(place, "all messages must have non-empty content");
    request.add_turn(assistant ? Turn::Kind::Assistant : Turn::Kind::Human, content);
    return nullptr;
  }
  if (!content.is(JsonKind::Array)) return refuse_dotted(at, "Input should be a valid list");
  if (content.size() == 0) return refuse_dotted(place, "all messages must have non-empty content");
  return assistant ? check_assistant(content, at, request) : check_user(content, at, request);
}

Refusal AnthropicMessages::check_user(const JsonValue& content, const Place& place,
                                      Request& request) {
  std::size_t answered = 0;
  bool has_text = false;
  JsonValue block = content.is(JsonKind::Array) ? content.first() : JsonValue();
  for (std::uint32_t i = 0; block && i < content.size(); ++i, block = block.next()) {
    const Place at(place, i);
    if (block["type"].equals("tool_result")) {
      if (has_text) {
        return refuse_dotted(at, "`tool_result` blocks must stand before any text in the message");
      }
      if (auto refusal = check_result(block, at, answered, request)) return refusal;
      ++answered;
    } else if (block["type"].equals("text")) {
      if (auto refusal = check_text(block, at, request)) return refusal;
      has_text = true;
      request.add_turn(Turn::Kind::Human, block["text"]);
    } else {
      return refuse_dotted(at, "Input tag '" + block["type"].text() +
                                   "' found using 'type' does not match any of the expected tags: "
                                   "'text', 'tool_result'");
    }
  }
  if (answered < open_calls_.size()) {
    return refuse_dotted(place,
                         "`tool_use` ids were found without `tool_result` blocks immediately "
                         "after: " +
                             open_calls_[answered].text() +
                             ". Each `tool_use` block must have a corresponding `tool_result` "
                             "block in the next message.");
  }
  open_calls_.clear();
  return nullptr;
}

Refusal AnthropicMessages::check_result(const JsonValue& block, const Place& place,
                                        std::size_t answered, Request& request) {
  if (auto refusal = check_only(block, kResultMembers, place)) return refusal;
  const JsonValue id = block["tool_use_id"];
  if (!id.is(JsonKind::String)) return refuse_dotted(Place(place, "tool_use_id"), "Field required");
  const auto same = [&](const JsonValue& call) { return call.raw() == id.raw(); };
  if (answered < open_calls_.size() && same(open_calls_[answered])) {
    if (const JsonValue error = block["is_error"]; error && !error.is_bool()) {
      return refuse_dotted(Place(place, "is_error"), "Input should be a valid boolean");
    }
    if (auto refusal = check_cache_control(block, place, request)) return refusal;
    const JsonValue content = block["content"];
    request.add_turn(Turn::Kind::Observation, content);
    if (!content || content.is(JsonKind::String)) return nullptr;
    return check_plain_content(content, Place(place, "content"), request);
  }
  if (std::any_of(open_calls_.begin() + static_cast<std::ptrdiff_t>(answered), open_calls_.end(),
                  same)) {
    return refuse_dotted(place, "`tool_result` " + id.text() + " is out of order: expected " +
                                    open_calls_[answered].text());
  }
  if (std::any_of(open_calls_.begin(), open_calls_.end(), same)) {
    return refuse_dotted(place,
                         "each tool_use must have a single result. Found multiple "
                         "`tool_result` blocks with id: " +
                             id.text());
  }
  return refuse_dotted(place,
                       "unexpected `tool_use_id` found in `tool_result` blocks: " + id.text() +
                           ". Each `tool_result` block must have a corresponding "
                           "`tool_use` block in the previous message.");
}

Refusal AnthropicMessages::check_assistant(const JsonValue& content, const Place& place,
                                           Request& request) {
  request.add_turn(Turn::Kind::Assistant, content);
  JsonValue block = content.first();
  for (std::uint32_t i = 0; i < content.size(); ++i, block = block.next()) {
    const Place at(place, i);
    if (auto refusal = check_assistant_block(block, at, request)) return refusal;
  }
  return nullptr;
}

Refusal AnthropicMessages::check_assistant_block(const JsonValue& block, const Place& place,
                                                 Request& request) {
  const JsonValue type = block["type"];
  if (type.equals("text")) return check_text(block, place, request);
  if (type.equals("tool_use")) return check_call(block, place, request);
  if (type.equals("redacted_thinking")) return check_only(block, kRedactedMembers, place);
  if (!type.equals("thinking")) {
    return refuse_dotted(place, "Input tag '" + type.text() +
                                    "' found using 'type' does not match any of the expected "
                                    "tags: 'text', 'thinking', 'redacted_thinking', 'tool_use'");
  }
  if (auto refusal = check_only(block, kThinkingMembers, place)) return refusal;
  if (!block["thinking"].is(JsonKind::String)) {
    return refuse_dotted(Place(place, "thinking"), "Field required");
  }
  if (!block["signature"].is(JsonKind::String)) {
    return refuse_dotted(Place(place, "signature"), "Field required");
  }
  request.turns.back().has_thinking = true;
  request.has_thinking = true;
  return nullptr;
}

Refusal AnthropicMessages::check_call(const JsonValue& block, const Place& place,
                                      Request& request) {
  if (auto refusal = check_only(block, kCallMembers, place)) return refusal;
  const JsonValue id = block["id"];
  if (!id.is(JsonKind::String) || id.raw().size() <= 2) {
    return refuse_dotted(Place(place, "id"), "String should match pattern '^[a-zA-Z0-9_-]+$'");
  }
  if (!is_tool_name(block["name"])) {
    return refuse_dotted(Place(place, "name"),
                         "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  if (!block["input"].is(JsonKind::Object)) {
    return refuse_dotted(Place(place, "input"), "Input should be a valid dictionary");
  }
  if (!request.tools) {
    return refuse(400, "invalid_request_error",
                  "Requests which have `tool_use` or `tool_result` blocks in their messages must "
                  "define tools");
  }
  const auto same = [&](const JsonValue& other) { return other.raw() == id.raw(); };
  if (std::any_of(all_calls_.begin(), all_calls_.end(), same)) {
    return refuse_dotted(place, "`tool_use` ids must be unique");
  }
  open_calls_.push_back(id);
  all_calls_.push_back(id);
  return check_cache_control(block, place, request);
}

}  // namespace ba::scripted
