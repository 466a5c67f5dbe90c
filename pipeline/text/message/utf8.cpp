// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace ba {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;
constexpr std::uint64_t kOnes = 0x0101010101010101;

/// Whether eight bytes are all ASCII and none is NUL.
bool plain_ascii(const char* at) {
  std::uint64_t block;
  std::memcpy(&block, at, sizeof block);
  return ((block | (block - kOnes)) & kHighBits) == 0;
}

bool continues(unsigned char byte) { return (byte & 0xc0) == 0x80; }

}  // namespace

// RFC 3629 §4.
std::size_t utf8_sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  if (first == 0xe0) low = 0xa0;   // overlong
  if (first == 0xed) high = 0x9f;  // surrogates
  if (first == 0xf0) low = 0x90;   // overlong
  if (first == 0xf4) high = 0x8f;  // above U+10FFFF
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!continues(at(i))) return 0;
  return length;
}

std::optional<std::size_t> utf8_defect(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (text.size() - offset >= 8 && plain_ascii(text.data() + offset)) {
      offset += 8;
      continue;
    }
    const std::size_t length = utf8_sequence_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

std::string storable(std::string_view text) {
  std::string clean;  // in one pass, however many defects there are
  for (auto defect = utf8_defect(text); defect; defect = utf8_defect(text)) {
    clean.append(text.substr(0, *defect)).append("\xEF\xBF\xBD");
    text.remove_prefix(*defect + 1);
  }
  return clean.append(text);
}

std::string describe_utf8_defect(std::string_view text, std::size_t offset) {
  const bool nul = offset < text.size() && text[offset] == '\0';
  return "byte " + std::to_string(offset) + (nul ? " is a NUL character" : " is not valid UTF-8");
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += continues(static_cast<unsigned char>(c)) ? 0 : 1;
  return count;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && continues(static_cast<unsigned char>(text[bytes_max]))) --bytes_max;
  return text.substr(0, bytes_max);
}

void append_code_point(std::string& out, char32_t point) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    const bool next_is_c1 = i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte == 0xc2 && next_is_c1) return true;
  }
  return false;
}

}  // namespace ba
