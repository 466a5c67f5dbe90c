// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/byte_letters.hpp"

#include <array>

namespace ba {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

std::array<std::string, 256> make_letters() {
  std::array<std::string, 256> letters;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < letters.size(); ++byte) {
    const unsigned point = stands_for_itself(byte) ? byte : next++;
    if (point < 0x80)
      letters[byte] = {static_cast<char>(point)};
    else
      letters[byte] = {static_cast<char>(0xc0 | point >> 6),
                       static_cast<char>(0x80 | (point & 63))};
  }
  return letters;
}

}  // namespace

std::string byte_letters(std::string_view bytes) {
  static const std::array<std::string, 256> letters = make_letters();
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  for (const char byte : bytes) out += letters[static_cast<unsigned char>(byte)];
  return out;
}

}  // namespace ba
