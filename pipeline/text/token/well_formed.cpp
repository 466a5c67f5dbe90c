// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/well_formed.hpp"

#include <cstdint>
#include <cstring>

namespace ba {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";

/// What is read of a character: all of it, or the part that could have become one.
struct Part {
  std::size_t size;
  bool whole;
};

Part part_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < size; ++i) {
    unsigned char least = 0x80;
    unsigned char most = 0xbf;
    if (i == 1 && first == 0xe0) least = 0xa0;
    if (i == 1 && first == 0xed) most = 0x9f;
    if (i == 1 && first == 0xf0) least = 0x90;
    if (i == 1 && first == 0xf4) most = 0x8f;
    if (at + i == text.size() || byte(i) < least || byte(i) > most) return {i, false};
  }
  return {size, true};
}

/// Where the first byte beyond ASCII is, from `at` on.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  std::uint64_t word = 0;
  for (; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool is_well_formed(std::string_view text) {
  for (std::size_t at = skip_ascii(text, 0); at < text.size();) {
    const Part part = part_at(text, at);
    if (!part.whole) return false;
    at += part.size;
    if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) at = skip_ascii(text, at);
  }
  return true;
}

std::string well_formed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Part part = part_at(text, at);
    if (part.whole)
      out.append(text, at, part.size);
    else
      out += kReplacement;
    at += part.size;
  }
  return out;
}

}  // namespace ba
