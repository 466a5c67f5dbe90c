// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/anthropic_parts.hpp"

#include <array>

#include "tests/scripted_model/members.hpp"

namespace ba::scripted::anthropic {

namespace {

constexpr std::array<std::string_view, 4> kTextMembers = {"type", "text", "cache_control",
                                                          "citations"};
}  // namespace

Refusal check_only(const JsonValue& object, std::span<const std::string_view> allowed,
                   const Place& place) {
  if (!object.is(JsonKind::Object)) return refuse_dotted(place, "Input should be an object");
  if (const JsonValue stray = stray_member(object, allowed)) {
    return refuse_dotted(Place(place, stray.raw_key()), "Extra inputs are not permitted");
  }
  return nullptr;
}

bool is_blank(const JsonValue& text) {
  return text.text().find_first_not_of(" \t\r\n") == std::string::npos;
}

Refusal check_cache_control(const JsonValue& block, const Place& place, Request& request) {
  const JsonValue control = block["cache_control"];
  if (!control || control.is(JsonKind::Null)) return nullptr;
  const Place at(place, "cache_control");
  constexpr std::array<std::string_view, 2> kMembers = {"type", "ttl"};
  if (auto refusal = check_only(control, kMembers, at)) return refusal;
  if (!control["type"].equals("ephemeral")) {
    return refuse_dotted(Place(at, "type"), "Input should be 'ephemeral'");
  }
  const JsonValue ttl = control["ttl"];
  if (ttl && !ttl.equals("5m") && !ttl.equals("1h")) {
    return refuse_dotted(Place(at, "ttl"), "Input should be '5m' or '1h'");
  }
  if (++request.cache_marks > 4) {
    return refuse(400, "invalid_request_error",
                  "A maximum of 4 blocks with cache_control may be provided. Found 5.");
  }
  return nullptr;
}

Refusal check_text(const JsonValue& block, const Place& place, Request& request) {
  if (auto refusal = check_only(block, kTextMembers, place)) return refusal;
  const JsonValue text = block["text"];
  if (!text) return refuse_dotted(Place(place, "text"), "Field required");
  if (!text.is(JsonKind::String)) {
    return refuse_dotted(Place(place, "text"), "Input should be a valid string");
  }
  if (is_blank(text)) {
    return refuse_dotted(Place(place, "text"),
                         "text content blocks must contain non-whitespace text");
  }
  if (const JsonValue cited = block["citations"]; cited.is(JsonKind::Array) && cited.size() > 0) {
    return refuse_dotted(Place(place, "citations"), "Extra inputs are not permitted");
  }
  return check_cache_control(block, place, request);
}

Refusal check_plain_content(const JsonValue& content, const Place& place, Request& request) {
  if (content.is(JsonKind::String)) {
    return is_blank(content) ? refuse_dotted(place, "text content must not be blank") : nullptr;
  }
  if (!content.is(JsonKind::Array)) return refuse_dotted(place, "Input should be a valid list");
  JsonValue block = content.first();
  for (std::uint32_t i = 0; i < content.size(); ++i, block = block.next()) {
    const Place at(place, i);
    if (!block["type"].equals("text")) return refuse_dotted(at, "Input should be a text block");
    if (auto refusal = check_text(block, at, request)) return refusal;
  }
  return nullptr;
}

}  // namespace ba::scripted::anthropic
