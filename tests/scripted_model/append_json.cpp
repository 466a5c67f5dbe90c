// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/append_json.hpp"

#include <array>
#include <charconv>

#include "tests/scripted_model/utf8_cut.hpp"

namespace ba::scripted {

namespace {

void append_escaped(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
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
      out += kDigits[(c >> 4) & 0xF];
      out += kDigits[c & 0xF];
  }
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(from, i - from);
    append_escaped(out, text[i]);
    from = i + 1;
  }
  out += text.substr(from);
  out += '"';
}

void append_json(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void split_pieces(std::string_view text, const std::function<void(std::string_view)>& take) {
  static constexpr std::array<std::size_t, 5> kLengths = {4, 9, 2, 14, 6};
  for (std::size_t i = 0; !text.empty(); ++i) {
    const std::size_t length = whole_characters(text, kLengths[i % kLengths.size()]);
    take(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace ba::scripted
