// SPDX-License-Identifier: Apache-2.0
#include "pipeline/message/json_text.hpp"

#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pipeline/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
}

/// Length of the string at the start of `text`, with its quotes.
std::size_t string_length(std::string_view text) {
  std::size_t at = 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

/// Length of the value at the start of `text`.
std::size_t value_length(std::string_view text) {
  if (text[0] == '"') return string_length(text);
  if (text[0] != '{' && text[0] != '[')
    return std::min(text.find_first_of(" \t\r\n,]}"), text.size());
  std::size_t at = 0;
  int depth = 0;
  do {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    at += c == '"' ? string_length(text.substr(at)) : 1;
  } while (depth > 0);
  return at;
}

std::string_view take(std::string_view& text, std::size_t length) {
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(length);
  skip_space(text);
  return part;
}

void append_code_point(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::uint32_t hex4(std::string_view text) {
  std::uint32_t code = 0;
  std::from_chars(text.data(), text.data() + 4, code, 16);
  return code;
}

/// Appends what the escape at the start of `text` stands for; the value is its length.
std::size_t append_unescaped(std::string& out, std::string_view text) {
  constexpr std::string_view kNames = "bfnrt";
  constexpr std::string_view kValues = "\b\f\n\r\t";
  if (text[1] != 'u') {
    const std::size_t known = kNames.find(text[1]);
    out += known == std::string_view::npos ? text[1] : kValues[known];
    return 2;
  }
  std::uint32_t code = hex4(text.substr(2));
  const bool pair = code >= 0xd800 && code < 0xdc00;
  if (pair) code = 0x10000 + ((code - 0xd800) << 10) + (hex4(text.substr(8)) - 0xdc00);
  append_code_point(out, code);
  return pair ? 12 : 6;
}

bool must_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

/// Whether one of eight bytes must be escaped.
bool any_must_escape(const char* at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const auto less = [](std::uint64_t bytes, unsigned limit) {
    return (bytes - kOnes * limit) & ~bytes & kHighBits;
  };
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return (less(bytes, 0x20) | less(bytes ^ kOnes * '"', 1) | less(bytes ^ kOnes * '\\', 1)) != 0;
}

/// The first byte at or after `at` that must be escaped. Whole histories are written: texts are
/// mostly plain.
const char* after_plain(const char* at, const char* end) {
  while (end - at >= 8 && !any_must_escape(at)) at += 8;
  while (at != end && !must_escape(*at)) ++at;
  return at;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  out += '"';
  while (at != end) {
    const char* const plain_end = after_plain(at, end);
    out.append(at, plain_end);
    at = plain_end;
    if (at != end) append_escaped(out, *at++);
  }
  out += '"';
}

bool is_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return false;  // the library would skip it, we don't
  return !utf8_defect(text) && nlohmann::json::accept(text.begin(), text.end());
}

bool is_json_object(std::string_view text) {
  skip_space(text);
  return text.starts_with('{') && is_json(text);
}

RawMembers raw_members(std::string_view object) {
  RawMembers members;
  skip_space(object);
  if (!object.starts_with('{')) return members;
  take(object, 1);
  while (!object.starts_with('}')) {
    const std::string_view name = take(object, string_length(object));
    take(object, 1);  // the colon
    members.emplace_back(name.substr(1, name.size() - 2), take(object, value_length(object)));
    if (object.starts_with(',')) take(object, 1);
  }
  return members;
}

std::vector<std::string_view> raw_elements(std::string_view array) {
  std::vector<std::string_view> elements;
  skip_space(array);
  if (!array.starts_with('[')) return elements;
  take(array, 1);
  while (!array.starts_with(']')) {
    elements.push_back(take(array, value_length(array)));
    if (array.starts_with(',')) take(array, 1);
  }
  return elements;
}

std::optional<std::string> string_of(std::string_view raw) {
  if (!raw.starts_with('"')) return std::nullopt;
  raw = raw.substr(1, raw.size() - 2);
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    text += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (!raw.empty()) raw.remove_prefix(append_unescaped(text, raw));
  }
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

std::optional<std::int64_t> integer_of(std::string_view raw) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (error != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  return number;
}

}  // namespace ba
