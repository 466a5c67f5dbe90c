// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/coded_text.hpp"

#include <algorithm>
#include <charconv>

#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

/// Appends the byte whose code `text` begins with; its length, 0 where there is none.
std::size_t append_percent(std::string_view text, std::string& out) {
  unsigned byte = 0;
  const char* const digits = text.data() + 1;
  if (text.size() < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return 0;
  out += static_cast<char>(byte);
  return 3;
}

std::size_t append_letter(std::string_view text, std::string& out) {
  std::size_t code = 0;
  if (text.front() == '%') code = append_percent(text, out);
  if (text.front() == '\\') code = append_unescaped(text, out);
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
