#pragma once
// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits: the same on every machine, which is what ids and signatures of a deterministic
// server need. Nothing here protects against an adversary.

#include <cstdint>
#include <string>
#include <string_view>

namespace ba::scripted {

class Hash {
 public:
  Hash& add(std::string_view bytes) {
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3U;
    return *this;
  }
  Hash& add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ ((number >> (8 * i)) & 0xFF)) * 0x100000001b3U;
    return *this;
  }
  std::uint64_t value() const { return value_; }
  std::string hex() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 0; i < 16; ++i)
      out[static_cast<std::size_t>(i)] = kDigits[(value_ >> (60 - 4 * i)) & 0xF];
    return out;
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace ba::scripted
