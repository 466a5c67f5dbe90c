// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/bytea.hpp"

namespace ba {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return 0;
}

}  // namespace

std::string hex_of_bytes(std::string_view bytes) {
  std::string text = "\\x";
  text.reserve(2 * bytes.size() + 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x")) return bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(value_of(text[i]) * 16 + value_of(text[i + 1]));
  return bytes;
}

}  // namespace ba
