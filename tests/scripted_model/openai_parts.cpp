// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/openai_parts.hpp"

#include <array>

#include "tests/scripted_model/members.hpp"

namespace ba::scripted::openai {

namespace {

constexpr std::array<std::string_view, 2> kPartMembers = {"type", "text"};

}  // namespace

Refusal check_headers(const RequestHeaders& headers, std::string_view api_key) {
  if (!api_key.empty() && headers.authorization != "Bearer " + std::string(api_key)) {
    Refusal refusal = refuse(401, "invalid_request_error", "Incorrect API key provided.");
    refusal->code = "invalid_api_key";
    return refusal;
  }
  if (!headers.content_type.starts_with("application/json")) {
    return refuse(400, "invalid_request_error", "The content type must be application/json.");
  }
  return nullptr;
}

Refusal check_range(const JsonValue& root, std::string_view name, double low, double high) {
  const JsonValue value = root[name];
  if (!value || value.is(JsonKind::Null)) return nullptr;
  if (value.is(JsonKind::Number) && value.number() >= low && value.number() <= high) return nullptr;
  return refuse_bracketed(Place(name), "out of range");
}

Refusal check_arguments(const JsonValue& arguments, const Place& place, JsonDocument& document,
                        std::string& text) {
  if (!arguments.is(JsonKind::String)) return refuse_bracketed(place, "expected a string of JSON");
  text.clear();
  arguments.append_text(text);
  if (document.parse(text) && document.root().is(JsonKind::Object)) return nullptr;
  return refuse_bracketed(place, "expected the JSON text of an object");
}

Refusal check_only(const JsonValue& object, std::span<const std::string_view> allowed,
                   const Place& place) {
  if (!object.is(JsonKind::Object)) return refuse_bracketed(place, "expected an object");
  if (const JsonValue stray = stray_member(object, allowed)) {
    const std::string name = Place(place, stray.raw_key()).bracketed();
    Refusal refusal = refuse(400, "invalid_request_error", "Unknown parameter: '" + name + "'.");
    refusal->param = name;
    return refusal;
  }
  return nullptr;
}

Refusal check_content(const JsonValue& content, const Place& place) {
  if (content.is(JsonKind::String)) return nullptr;
  if (!content.is(JsonKind::Array)) {
    return refuse_bracketed(
        place, content ? "expected a string, got null or another type" : "a string is required");
  }
  if (content.size() == 0) return refuse_bracketed(place, "empty array");
  JsonValue part = content.first();
  for (std::uint32_t i = 0; i < content.size(); ++i, part = part.next()) {
    const Place at(place, i);
    if (auto refusal = check_only(part, kPartMembers, at)) return refusal;
    if (!part["type"].equals("text")) return refuse_bracketed(at, "expected type 'text'");
    if (!part["text"].is(JsonKind::String)) return refuse_bracketed(at, "text is required");
  }
  return nullptr;
}

}  // namespace ba::scripted::openai
