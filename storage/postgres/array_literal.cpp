// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/array_literal.hpp"

#include <array>
#include <charconv>

namespace ba {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return 0;
}

void append_hex(std::string& text, std::string_view bytes) {
  text += "\\x";
  const std::size_t start = text.size();
  text.resize(start + 2 * bytes.size());
  char* out = text.data() + start;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    *out++ = kHex[value >> 4U];
    *out++ = kHex[value & 15U];
  }
}

}  // namespace

void ArrayLiteral::add(std::int64_t number) {
  separate();
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.append(digits.data(), end);
}

void ArrayLiteral::add(bool value) {
  separate();
  text_ += value ? 't' : 'f';
}

void ArrayLiteral::add_null() {
  separate();
  text_ += "NULL";
}

void ArrayLiteral::add(std::string_view text) {
  separate();
  // One pass over room for the worst case: this runs for every byte that is stored.
  const std::size_t start = text_.size();
  text_.resize(start + 2 * text.size() + 2);
  char* out = text_.data() + start;
  *out++ = '"';
  bool nul = false;
  for (const char byte : text) {
    // Only the quote and the backslash mean something inside quotes.
    if (byte == '"' || byte == '\\') *out++ = '\\';
    *out++ = byte;
    nul |= byte == '\0';
  }
  *out++ = '"';
  text_.resize(static_cast<std::size_t>(out - text_.data()));
  holds_nul_ = holds_nul_ || nul;
}

void ArrayLiteral::add_bytes(std::string_view bytes) {
  separate();
  text_ += "\"\\";
  append_hex(text_, bytes);
  text_ += '"';
}

std::string hex_of_bytes(std::string_view bytes) {
  std::string text;
  append_hex(text, bytes);
  return text;
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x")) return bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(hex_value(text[i]) * 16 + hex_value(text[i + 1]));
  return bytes;
}

}  // namespace ba
