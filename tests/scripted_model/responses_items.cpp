// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/responses_items.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/openai_parts.hpp"
#include "tests/scripted_model/reasoning.hpp"
#include "tests/scripted_model/tool_list.hpp"

namespace ba::scripted {

using openai::check_arguments;
using openai::check_only;

namespace {

constexpr std::array<std::string_view, 6> kMessageMembers = {"type",   "id",      "role",
                                                             "status", "content", "phase"};
constexpr std::array<std::string_view, 6> kCallMembers = {"type",   "id",   "call_id",
                                                          "status", "name", "arguments"};
constexpr std::array<std::string_view, 5> kOutputMembers = {"type", "id", "call_id", "output",
                                                            "status"};
constexpr std::array<std::string_view, 6> kReasoningMembers = {
    "type", "id", "summary", "content", "encrypted_content", "status"};
constexpr std::array<std::string_view, 5> kPartMembers = {"type", "text", "refusal", "annotations",
                                                          "logprobs"};

Refusal wrong_request(std::string message) {
  Refusal refusal = refuse(400, "invalid_request_error", std::move(message));
  refusal->param = "input";
  return refusal;
}

bool is_part_type(const JsonValue& type, bool assistant) {
  if (!assistant) return type.equals("input_text");
  return type.equals("output_text") || type.equals("refusal");
}

Refusal check_content(const JsonValue& content, const Place& place, bool assistant) {
  if (content.is(JsonKind::String)) return nullptr;
  if (!content.is(JsonKind::Array) || content.size() == 0) {
    return refuse_bracketed(place, "expected a string or an array of content parts");
  }
  JsonValue part = content.first();
  for (std::uint32_t i = 0; i < content.size(); ++i, part = part.next()) {
    const Place at(place, i);
    if (auto refusal = check_only(part, kPartMembers, at)) return refusal;
    if (!is_part_type(part["type"], assistant)) {
      return refuse_bracketed(Place(at, "type"), assistant ? "expected 'output_text' or 'refusal'"
                                                           : "expected 'input_text'");
    }
    const std::string_view name = part["type"].equals("refusal") ? "refusal" : "text";
    if (!part[name].is(JsonKind::String)) {
      return refuse_bracketed(Place(at, name), "a string is required");
    }
  }
  return nullptr;
}

Refusal check_summary(const JsonValue& summary, const Place& place) {
  if (!summary.is(JsonKind::Array)) return refuse_bracketed(place, "expected an array");
  JsonValue part = summary.first();
  for (std::uint32_t i = 0; i < summary.size(); ++i, part = part.next()) {
    if (part["type"].equals("summary_text") && part["text"].is(JsonKind::String)) continue;
    return refuse_bracketed(Place(place, i), "expected a summary_text");
  }
  return nullptr;
}

}  // namespace

Refusal ResponsesItems::read(const JsonValue& input, Request& request) {
  open_calls_.clear();
  answered_ = 0;
  all_calls_.clear();
  reasoning_.clear();
  request.messages = input;
  if (input.is(JsonKind::String)) {
    request.add_turn(Turn::Kind::Human, input);
    return nullptr;
  }
  const Place place("input");
  if (!input.is(JsonKind::Array)) return refuse_bracketed(place, "expected a string or an array");
  if (auto refusal = check_items(input, request)) return refusal;
  if (auto refusal = check_nothing_is_missing()) return refusal;
  if (auto refusal = check_all_answered()) return refusal;
  if (request.turns.empty() || request.turns.back().kind == Turn::Kind::Assistant) {
    return refuse_bracketed(place, "the last item must be a user's message or an output");
  }
  return nullptr;
}

Refusal ResponsesItems::check_items(const JsonValue& input, Request& request) {
  const Place place("input");
  JsonValue item = input.first();
  for (std::uint32_t i = 0; i < input.size(); ++i, item = item.next()) {
    const Place at(place, i);
    if (!item.is(JsonKind::Object)) return refuse_bracketed(at, "expected an object");
    if (auto refusal = check_led_to(item)) return refusal;
    if (auto refusal = check_item(item, at, request)) return refusal;
  }
  return nullptr;
}

Refusal ResponsesItems::check_item(const JsonValue& item, const Place& place, Request& request) {
  const JsonValue type = item["type"];
  if (type.equals("reasoning")) return check_reasoning(item, place, request);
  if (type.equals("function_call")) return check_call(item, place, request);
  if (type.equals("function_call_output")) return check_output(item, place, request);
  if (!type || type.equals("message")) return check_message(item, place, request);
  return refuse_bracketed(Place(place, "type"),
                          "expected 'message', 'function_call', 'function_call_output' or "
                          "'reasoning'");
}

/// Reasoning and what it led to belong together; to be asked before the item itself is read.
Refusal ResponsesItems::check_led_to(const JsonValue& item) const {
  const std::string id = item["id"].text();
  const bool reasoning = item["type"].equals("reasoning");
  const std::string wanted = reasoning ? "" : led_by(id);
  if (wanted == reasoning_) return nullptr;
  if (!reasoning_.empty()) return check_nothing_is_missing();
  return wrong_request("Item '" + id + "' of type '" + item["type"].text() +
                       "' was provided without its required 'reasoning' item: '" + wanted + "'.");
}

Refusal ResponsesItems::check_nothing_is_missing() const {
  if (reasoning_.empty()) return nullptr;
  return wrong_request("Item '" + reasoning_ +
                       "' of type 'reasoning' was provided without its required following item.");
}

/// What the model says belongs to its turn, which outputs and users end.
Refusal ResponsesItems::begin_output(Request& request) {
  if (answered_ > 0) {
    if (auto refusal = check_all_answered()) return refusal;
    open_calls_.clear();
    answered_ = 0;
  }
  if (request.turns.empty() || request.turns.back().kind != Turn::Kind::Assistant) {
    request.add_turn(Turn::Kind::Assistant, JsonValue());
  }
  return nullptr;
}

Refusal ResponsesItems::check_message(const JsonValue& item, const Place& place, Request& request) {
  reasoning_.clear();
  if (auto refusal = check_only(item, kMessageMembers, place)) return refusal;
  const JsonValue role = item["role"];
  const JsonValue content = item["content"];
  const bool assistant = role.equals("assistant");
  const bool user = role.equals("user");
  if (!assistant && !user && !role.equals("system") && !role.equals("developer")) {
    return refuse_bracketed(Place(place, "role"),
                            "expected 'user', 'assistant', 'system' or 'developer'");
  }
  if (auto refusal = check_content(content, Place(place, "content"), assistant)) return refusal;
  if (assistant) {
    if (auto refusal = begin_output(request)) return refusal;
    request.turns.back().content = content;
    request.add_input(content.raw().size());
    return nullptr;
  }
  if (auto refusal = check_all_answered()) return refusal;
  open_calls_.clear();
  answered_ = 0;
  if (user) {
    request.add_turn(Turn::Kind::Human, content);
  } else {
    request.add_input(content.raw().size());
  }
  return nullptr;
}

Refusal ResponsesItems::check_call(const JsonValue& item, const Place& place, Request& request) {
  reasoning_.clear();
  if (auto refusal = check_only(item, kCallMembers, place)) return refusal;
  if (auto refusal = begin_output(request)) return refusal;
  const JsonValue id = item["call_id"];
  if (!id.is(JsonKind::String) || id.raw().size() <= 2) {
    return refuse_bracketed(Place(place, "call_id"), "a string is required");
  }
  const auto same = [&](const JsonValue& other) { return other.raw() == id.raw(); };
  if (std::any_of(all_calls_.begin(), all_calls_.end(), same)) {
    return refuse_bracketed(Place(place, "call_id"), "call ids must be unique");
  }
  if (!is_tool_name(item["name"])) {
    return refuse_bracketed(Place(place, "name"),
                            "string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  if (auto refusal = check_arguments(item["arguments"], Place(place, "arguments"), arguments_,
                                     arguments_text_)) {
    return refusal;
  }
  request.add_input(arguments_text_.size());
  open_calls_.push_back(id);
  all_calls_.push_back(id);
  return nullptr;
}

Refusal ResponsesItems::check_output(const JsonValue& item, const Place& place, Request& request) {
  if (auto refusal = check_only(item, kOutputMembers, place)) return refusal;
  const JsonValue id = item["call_id"];
  if (!id.is(JsonKind::String)) {
    return refuse_bracketed(Place(place, "call_id"), "a string is required");
  }
  const auto same = [&](const JsonValue& call) { return call.raw() == id.raw(); };
  if (answered_ >= open_calls_.size() || !same(open_calls_[answered_])) {
    const bool open = std::any_of(open_calls_.begin(), open_calls_.end(), same);
    return wrong_request(open ? "Output answered twice or out of order: " + id.text()
                              : "No tool call found for function call output with call_id " +
                                    id.text() + ".");
  }
  if (!item["output"].is(JsonKind::String)) {
    return refuse_bracketed(Place(place, "output"), "a string is required");
  }
  ++answered_;
  request.add_turn(Turn::Kind::Observation, item["output"]);
  return nullptr;
}

Refusal ResponsesItems::check_reasoning(const JsonValue& item, const Place& place,
                                        Request& request) {
  if (auto refusal = check_only(item, kReasoningMembers, place)) return refusal;
  if (auto refusal = begin_output(request)) return refusal;
  const std::string id = item["id"].text();
  if (!id.starts_with("rs_")) return refuse_bracketed(Place(place, "id"), "expected an id rs_…");
  if (auto refusal = check_summary(item["summary"], Place(place, "summary"))) return refusal;
  const JsonValue sealed = item["encrypted_content"];
  if (!sealed.is(JsonKind::String)) {
    return refuse(404, "invalid_request_error",
                  "Item with id '" + id +
                      "' not found. Items are not persisted when `store` is set to false. Try "
                      "again with `store` set to true, or remove this item from your input.");
  }
  if (!sealed.equals(seal_reasoning(id, summary_text(item["summary"])))) {
    Refusal refusal =
        wrong_request("The encrypted content for item " + id + " could not be verified.");
    refusal->code = "invalid_encrypted_content";
    return refusal;
  }
  reasoning_ = id;
  request.turns.back().has_thinking = true;
  request.add_input(sealed.raw().size());
  return nullptr;
}

Refusal ResponsesItems::check_all_answered() const {
  if (answered_ >= open_calls_.size()) return nullptr;
  return wrong_request("No tool output found for function call " + open_calls_[answered_].text() +
                       ".");
}

}  // namespace ba::scripted
