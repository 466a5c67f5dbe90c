// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/utf8_cut.hpp"

#include <cstdint>
#include <cstring>

namespace ba::scripted {

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool is_utf8(std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  while (at != end) {
    std::uint64_t word = 0;
    while (end - at >= 8) {
      std::memcpy(&word, at, 8);
      if ((word & 0x8080808080808080U) != 0) break;
      at += 8;
    }
    if (at == end) break;
    const unsigned char lead = *at++;
    if (lead < 0x80) continue;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || end - at < more) return false;
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (*at < low || *at > high) return false;
    for (int i = 1; i < more; ++i) {
      if (at[i] < 0x80 || at[i] > 0xBF) return false;
    }
    at += more;
  }
  return true;
}

std::size_t whole_characters(std::string_view text, std::size_t wanted) {
  if (wanted >= text.size()) return text.size();
  const auto continues = [&](std::size_t i) { return (text[i] & 0xC0) == 0x80; };
  std::size_t length = wanted;
  while (length > 0 && continues(length)) --length;
  if (length > 0) return length;
  length = 1;
  while (length < text.size() && continues(length)) ++length;
  return length;
}

}  // namespace ba::scripted
