// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What readers of 1.1 take for a truth value or nothing, in any mixture of cases.
bool is_word_of_yaml(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"y",   "n",    "yes",   "no",  "on",
                                                   "off", "true", "false", "null"};
  if (text.size() > 5) return false;
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

/// The code point of the well-formed sequence at the start.
unsigned code_point(std::string_view text, std::size_t length) {
  constexpr std::array<unsigned, 5> kMasks{0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned point = static_cast<unsigned char>(text[0]) & kMasks[length];
  for (std::size_t i = 1; i < length; ++i)
    point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  return point;
}

/// Above ASCII: what YAML can't hold, takes for a line end, or what marks a byte order.
bool must_be_escaped(unsigned point) {
  return point < 0xA0 || point == 0x2028 || point == 0x2029 || point == 0xFEFF || point == 0xFFFE ||
         point == 0xFFFF;
}

/// The length of the character at `at`, or 0 where it can't stand as it is (ASCII's controls too).
std::size_t printable_length(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return byte >= 0x20 && byte != 0x7F ? 1 : 0;
  const std::size_t length = utf8_sequence_length(text.substr(at));
  return length == 0 || must_be_escaped(code_point(text.substr(at), length)) ? 0 : length;
}

bool all_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text[at] == '\n' ? 1 : printable_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool fits_plain(std::string_view text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':') return false;
  if (!is_letter(text.front()) && static_cast<unsigned char>(text.front()) < 0x80) return false;
  if (text.find('\n') != std::string_view::npos || text.find(": ") != std::string_view::npos ||
      text.find(" #") != std::string_view::npos)
    return false;
  return all_printable(text) && !is_word_of_yaml(text);
}

void append_escape(std::string& out, unsigned point) {
  const bool wide = point > 0xFF;
  out += wide ? "\\u" : "\\x";
  for (int shift = wide ? 12 : 4; shift >= 0; shift -= 4) out += kHex[(point >> shift) & 15];
}

/// Writes the character at `at`, which can't stand as it is; the bytes that it took.
std::size_t append_escaped(std::string& out, std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const std::size_t length = byte < 0x80 ? 1 : utf8_sequence_length(text.substr(at));
  if (text[at] == '\n')
    out += "\\n";
  else if (text[at] == '\t')
    out += "\\t";
  else if (text[at] == '\r')
    out += "\\r";
  else if (length == 0)
    out += "\\ufffd";  // no text at all: the caller's strings are UTF-8
  else
    append_escape(out, code_point(text.substr(at), length));
  return std::max<std::size_t>(length, 1);
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = printable_length(text, at);
    if (length == 0) {
      at += append_escaped(out, text, at);
      continue;
    }
    if (text[at] == '"' || text[at] == '\\') out += '\\';
    out += text.substr(at, length);
    at += length;
  }
  out += '"';
}

}  // namespace

void append_yaml_string(std::string& out, std::string_view text) {
  if (fits_plain(text))
    out += text;
  else
    append_quoted(out, text);
}

bool fits_yaml_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  if (text.front() == ' ' || text.front() == '\n' || text.ends_with("\n\n")) return false;
  return all_printable(text);
}

void append_yaml_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), written.ptr);
  const std::size_t e = std::min(text.find('e'), text.size());
  if (text.find('.') == std::string::npos) text.insert(e, ".0");
  out += with_json_digits(std::move(text), value);
}

}  // namespace ba
