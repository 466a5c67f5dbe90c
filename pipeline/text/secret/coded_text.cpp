// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/coded_text.hpp"

#include <charconv>

#include "pipeline/text/message/json_scan.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kUnicodeEscape = 6;  // \u00e4

int unit_at(std::string_view text, std::size_t at) {
  if (!text.substr(std::min(at, text.size())).starts_with("\\u")) return -1;
  return utf16_unit_at(text.data() + at + 2, text.data() + text.size());
}

// Each of these appends what `text` begins with, and answers with its length; 0: it is no code.

std::size_t append_percent(std::string_view text, std::string& out) {
  unsigned byte = 0;
  const char* const digits = text.data() + 1;
  if (text.size() < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return 0;
  out += static_cast<char>(byte);
  return 3;
}

std::size_t append_escape(std::string_view text, std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t named = text.size() < 2 ? kNames.npos : kNames.find(text[1]);
  if (named != kNames.npos) {
    out += kMeanings[named];
    return 2;
  }
  const int unit = unit_at(text, 0);
  if (unit < 0) return 0;
  const int low = unit_at(text, kUnicodeEscape);
  if (is_high_surrogate(unit) && is_low_surrogate(low)) {
    append_code_point(out, static_cast<char32_t>(0x10000 + ((unit - 0xd800) << 10) + low - 0xdc00));
    return 2 * kUnicodeEscape;
  }
  append_code_point(out, static_cast<char32_t>(unit));
  return kUnicodeEscape;
}

std::size_t append_letter(std::string_view text, std::string& out) {
  std::size_t code = 0;
  if (text.front() == '%') code = append_percent(text, out);
  if (text.front() == '\\') code = append_escape(text, out);
  if (code == 0) out += text.front();
  return std::max<std::size_t>(code, 1);
}

}  // namespace

bool CodedText::resolve() {
  const std::string_view from = text();
  if (from.find_first_of("%\\") == from.npos) return false;
  std::string out;
  std::vector<std::size_t> places;
  out.reserve(from.size());
  places.reserve(from.size() + 1);
  for (std::size_t at = 0; at < from.size();) {
    const std::size_t size = append_letter(from.substr(at), out);
    places.resize(out.size(), place(at));
    at += size;
  }
  places.push_back(place(from.size()));
  const bool resolved = out.size() < from.size();  // each code is longer than what it says
  text_ = std::move(out);
  places_ = std::move(places);
  return resolved;
}

}  // namespace ba
