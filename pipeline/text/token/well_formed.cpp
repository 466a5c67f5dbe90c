// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/well_formed.hpp"

#include <array>
#include <cstdint>

#include "pipeline/text/token/character_class.hpp"

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

// What may come next, as a number of bits by which the next byte's row is shifted. So a byte is a
// load and a shift, whatever the script, and nobody has to foresee anything.
constexpr int kStateBits = 6;
enum State : std::uint64_t {
  kBetween = 0 * kStateBits,  ///< a character's first byte
  kBroken = 1 * kStateBits,   ///< nothing any more
  kOneMore = 2 * kStateBits,  ///< so many bytes of the same character
  kTwoMore = 3 * kStateBits,
  kThreeMore = 4 * kStateBits,
  kBehindE0 = 5 * kStateBits,  ///< two or three, the first of which has limits
  kBehindEd = 6 * kStateBits,
  kBehindF0 = 7 * kStateBits,
  kBehindF4 = 8 * kStateBits,
  kStates = 9
};
constexpr std::uint64_t kStateMask = (1 << kStateBits) - 1;

constexpr State begun(unsigned byte) {
  if (byte < 0x80) return kBetween;
  if (byte < 0xc2 || byte > 0xf4) return kBroken;
  if (byte < 0xe0) return kOneMore;
  if (byte < 0xf0) return byte == 0xe0 ? kBehindE0 : byte == 0xed ? kBehindEd : kTwoMore;
  return byte == 0xf0 ? kBehindF0 : byte == 0xf4 ? kBehindF4 : kThreeMore;
}

constexpr State after(State state, unsigned byte) {
  const auto within = [&](unsigned least, unsigned most, State next) {
    return byte >= least && byte <= most ? next : kBroken;
  };
  if (state == kBetween) return begun(byte);
  if (state == kOneMore) return within(0x80, 0xbf, kBetween);
  if (state == kTwoMore) return within(0x80, 0xbf, kOneMore);
  if (state == kThreeMore) return within(0x80, 0xbf, kTwoMore);
  if (state == kBehindE0) return within(0xa0, 0xbf, kOneMore);
  if (state == kBehindEd) return within(0x80, 0x9f, kOneMore);
  if (state == kBehindF0) return within(0x90, 0xbf, kTwoMore);
  if (state == kBehindF4) return within(0x80, 0x8f, kTwoMore);
  return kBroken;
}

constexpr std::array<std::uint64_t, 256> kRows = [] {
  std::array<std::uint64_t, 256> rows{};
  for (unsigned byte = 0; byte < rows.size(); ++byte)
    for (std::uint64_t state = 0; state < kStates; ++state)
      rows[byte] |= std::uint64_t{after(static_cast<State>(state * kStateBits), byte)}
                    << (state * kStateBits);
  return rows;
}();

[[gnu::always_inline]] inline std::uint64_t next_state(std::uint64_t state, char byte) {
  return kRows.data()[static_cast<unsigned char>(byte)] >> (state & kStateMask);
}

/// Up to where the text is surely well-formed, from a character's beginning at `at` on: all but
/// some last bytes where it is so to the end, else some bytes before what is broken.
std::size_t skip_whole(std::string_view text, std::size_t at) {
  constexpr std::size_t kStep = 8;
  std::uint64_t state = kBetween;
  std::size_t to = at;
  for (; to + kStep <= text.size(); to += kStep) {
    const char* const bytes = text.data() + to;
    if ((state & kStateMask) == kBetween && are_ascii(bytes)) continue;
    std::uint64_t next = state;
    for (std::size_t i = 0; i < kStep; ++i) next = next_state(next, bytes[i]);
    if ((next & kStateMask) == kBroken) break;
    state = next;
  }
  if ((state & kStateMask) != kBetween) do
      --to;
    while ((static_cast<unsigned char>(text[to]) & 0xc0) == 0x80);
  return to;
}

}  // namespace

bool is_well_formed(std::string_view text) {
  for (std::size_t at = skip_whole(text, 0); at < text.size();) {
    const Part part = part_at(text, at);
    if (!part.whole) return false;
    at += part.size;
  }
  return true;
}

std::string well_formed(std::string_view text) {
  constexpr std::size_t kRun = 16;  // bytes after which more such are expected
  std::string out;
  out.reserve(text.size());
  std::size_t from = 0;  // what is behind it, up to `at`, is whole
  for (std::size_t at = skip_whole(text, 0); at < text.size();) {
    const Part part = part_at(text, at);
    if (!part.whole) {
      out.append(text, from, at - from).append(kReplacement);
      from = at + part.size;
    }
    at += part.size;
    if (at - from >= kRun) at = skip_whole(text, at);
  }
  return out.append(text, from);
}

}  // namespace ba
