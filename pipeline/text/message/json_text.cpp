// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

/// Bytes that end the plain part of a string: quote, backslash, control characters.
constexpr std::array<bool, 256> kStringStops = [] {
  std::array<bool, 256> stops{};
  for (std::size_t c = 0; c < 0x20; ++c) stops[c] = true;
  stops['"'] = stops['\\'] = true;
  return stops;
}();

bool stops(char c) { return kStringStops[static_cast<unsigned char>(c)]; }

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// A high bit is set where a byte of `block` is less than `limit`, at most 0x80; or in a byte after
/// one that is.
constexpr std::uint64_t less(std::uint64_t block, unsigned limit) {
  return (block - kOnes * limit) & ~block & kHighBits;
}

int hex_value(char c) {
  if (is_json_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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

}  // namespace

// Texts are mostly plain: eight bytes at a time.
const char* after_plain(const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    std::uint64_t block;
    std::memcpy(&block, at, sizeof block);
    const std::uint64_t quotes = less(block ^ kOnes * '"', 1);
    const std::uint64_t backslashes = less(block ^ kOnes * '\\', 1);
    if ((quotes | backslashes | less(block, 0x20)) != 0) break;
  }
  while (at != end && !stops(*at)) ++at;
  return at;
}

int utf16_unit_at(const char* at, const char* end) {
  if (end - at < 4) return -1;
  int unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_value(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

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
  return !utf8_defect(text) && accept_exact(text);
}

bool is_json_object(std::string_view text) {
  const auto* first = std::find_if_not(text.begin(), text.end(), is_json_space);
  return first != text.end() && *first == '{' && is_json(text);
}

std::size_t append_unescaped(std::string_view text, std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  constexpr std::size_t kUnitBytes = 6;  // \u00e4
  if (text.size() < 2 || text.front() != '\\') return 0;
  if (const std::size_t named = kNames.find(text[1]); named != kNames.npos) {
    out += kMeanings[named];
    return 2;
  }
  const auto unit_at = [text](std::size_t at) {
    if (text.size() < at + kUnitBytes || text[at] != '\\' || text[at + 1] != 'u') return -1;
    return utf16_unit_at(text.data() + at + 2, text.data() + text.size());
  };
  const int unit = unit_at(0);
  if (unit < 0) return 0;
  const int low = is_high_surrogate(unit) ? unit_at(kUnitBytes) : -1;
  const bool pair = is_low_surrogate(low);
  const int point = pair ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit;
  append_code_point(out, static_cast<char32_t>(point));
  return pair ? 2 * kUnitBytes : kUnitBytes;
}

}  // namespace ba
