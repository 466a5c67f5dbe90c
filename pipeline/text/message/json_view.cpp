// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_view.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipeline/text/message/json_proof.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

// What follows works on proven JSON: every string and bracket has its end.

/// The place after the string that starts at `at`.
const char* after_string(const char* at, const char* end) {
  at = after_plain(at + 1, end);
  while (*at != '"') at = after_plain(at + 2, end);  // past a backslash and what it escapes
  return at + 1;
}

/// The place after the object or array that starts at `at`.
const char* after_brackets(const char* at, const char* end) {
  for (int depth = 0;;) {
    const char c = *at;
    if (c == '"') {
      at = after_string(at, end);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
}

const char* after_value(const char* at, const char* end) {
  if (*at == '"') return after_string(at, end);
  if (*at == '{' || *at == '[') return after_brackets(at, end);
  while (at != end && !is_json_space(*at) && *at != ',' && *at != '}' && *at != ']') ++at;
  return at;
}

std::string_view without_space(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

Error bad_json(std::string problem) { return make_error(ErrorCode::Protocol, std::move(problem)); }

}  // namespace

Result<JsonView> JsonView::parse(std::string_view text) {
  if (auto problem = json_problem(text, kDepthMax)) return bad_json(std::move(*problem));
  return of_proven(text);
}

JsonView JsonView::of_proven(std::string_view text) { return JsonView(without_space(text)); }

JsonKind JsonView::kind() const {
  if (raw_.empty()) return JsonKind::Missing;
  switch (raw_.front()) {
    case '{':
      return JsonKind::Object;
    case '[':
      return JsonKind::Array;
    case '"':
      return JsonKind::String;
    case 't':
    case 'f':
      return JsonKind::Bool;
    case 'n':
      return JsonKind::Null;
    default:
      return JsonKind::Number;
  }
}

JsonView JsonView::operator[](std::string_view key) const {
  JsonView found;
  for_each_member([&](std::string_view name, JsonView value) {
    if (name == key) found = value;
  });
  return found;
}

std::string JsonView::text() const {
  std::string out;
  append_text(out);
  return out;
}

void JsonView::append_text(std::string& out) const {
  if (!is(JsonKind::String)) return;
  const char* at = raw_.data() + 1;
  const char* const end = raw_.data() + raw_.size() - 1;
  while (at != end) {
    const char* plain = at;
    at = after_plain(at, end);
    out.append(plain, at);
    if (at != end) at += std::max<std::size_t>(1, append_unescaped({at, end}, out));
  }
}

bool JsonView::equals(std::string_view text) const {
  return is(JsonKind::String) && raw_.substr(1, raw_.size() - 2) == text;
}

std::optional<std::int64_t> JsonView::integer() const {
  if (!is(JsonKind::Number)) return std::nullopt;
  const char* const end = raw_.data() + raw_.size();
  std::int64_t number = 0;
  const auto whole = std::from_chars(raw_.data(), end, number);
  if (whole.ec == std::errc() && whole.ptr == end) return number;
  double real = 0;
  const auto parsed = std::from_chars(raw_.data(), end, real);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (parsed.ec != std::errc() || std::fabs(real) > kExact || real != std::floor(real))
    return std::nullopt;
  return static_cast<std::int64_t>(real);
}

bool JsonView::Walk::at_end() {
  while (is_json_space(*at_) || *at_ == ',') ++at_;
  return *at_ == '}' || *at_ == ']';
}

bool JsonView::Walk::next_member(std::string_view& key, JsonView& value) {
  if (at_end()) return false;
  const char* const after = after_string(at_, end_);
  key = std::string_view(at_ + 1, static_cast<std::size_t>(after - at_ - 2));
  at_ = after;
  while (is_json_space(*at_) || *at_ == ':') ++at_;
  return next_element(value);
}

bool JsonView::Walk::next_element(JsonView& value) {
  if (at_end()) return false;
  const char* const after = after_value(at_, end_);
  value = JsonView(std::string_view(at_, static_cast<std::size_t>(after - at_)));
  at_ = after;
  return true;
}

}  // namespace ba
