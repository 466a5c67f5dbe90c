// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/json.hpp"

#include <algorithm>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"

namespace ba::mcp {
namespace {

/// The code point at `at` of well-formed UTF-8, and its length.
std::pair<char32_t, std::size_t> code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > text.size()) return {0xfffd, text.size() - at};
  char32_t value = first & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte(i) & 0x3f);
  return {value, length};
}

/// Controls, and what a person does not see but a model reads.
bool hidden(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
  const bool zero_width = (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
                          (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  const bool tag = (c >= 0xe0000 && c <= 0xe007f) || (c >= 0xe0100 && c <= 0xe01ef);
  return control || zero_width || tag;
}

bool is_joiner(char32_t c) { return c == 0x200c || c == 0x200d; }

/// Persian and the scripts of India spell with joiners, emoji are made with them. One after a
/// character beyond ASCII stays: a run of them, in which a text could hide, does not.
bool joins(char32_t c, char32_t before) {
  return is_joiner(c) && before >= 0x80 && !is_joiner(before);
}

/// So does one variation selector after an ideograph: a form of it that names are written with.
bool varies(char32_t c, char32_t before) {
  const bool ideograph = (before >= 0x3400 && before <= 0x9fff) ||
                         (before >= 0xf900 && before <= 0xfaff) ||
                         (before >= 0x20000 && before <= 0x3ffff);
  return c >= 0xe0100 && c <= 0xe01ef && ideograph;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  const bool whole = text.find('\0') == std::string_view::npos;
  if (!whole || !json_shape(text).within_limits()) return std::nullopt;
  Json value = parse_exact<Json>(text);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string compact(const Json& value) { return dump_exact(value); }

const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (auto item = object.begin(); item != object.end(); ++item)
    if (item.key() == name) return &*item;
  return nullptr;
}

std::optional<std::string> text_member(const Json& object, std::string_view name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::int64_t> integer_member(const Json& object, std::string_view name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return value->get<std::int64_t>();
}

bool flag_member(const Json& object, std::string_view name, bool otherwise) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
}

std::string plain_text(std::string_view text, std::size_t bytes_max) {
  std::string whole(text.substr(0, bytes_max + 4));  // enough for one more character
  repair_utf8(whole);
  std::string out;
  char32_t before = 0;
  for (std::size_t at = 0; at < whole.size();) {
    const auto [c, length] = code_point(whole, at);
    if (!hidden(c) || joins(c, before) || varies(c, before)) {
      if (out.size() + length > bytes_max) return out + "…";
      out.append(whole, at, length);
      before = c;
    }
    at += length;
  }
  return text.size() > bytes_max + 4 ? out + "…" : out;
}

std::string plain_line(std::string_view text, std::size_t bytes_max) {
  std::string line = plain_text(text, bytes_max);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace ba::mcp
