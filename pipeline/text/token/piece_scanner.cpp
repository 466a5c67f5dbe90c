// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/piece_scanner.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace ba {
namespace {

using C = CharacterClass;

constexpr std::uint64_t each(unsigned char byte) {
  return std::uint64_t{0x0101'0101'0101'0101} * byte;
}

std::uint64_t eight(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Of eight bytes, the highest bit of each that isn't in `least` to `most`, both ASCII; `fold` is
/// set in each before.
template <unsigned char kLeast, unsigned char kMost, unsigned char kFold>
[[gnu::always_inline]] inline std::uint64_t others_among(std::uint64_t word) {
  const std::uint64_t low = (word & each(0x7f)) | each(kFold);
  const std::uint64_t from_least = low + each(0x80 - kLeast);
  const std::uint64_t beyond = low + each(0x7f - kMost);
  return ~(from_least & ~beyond & ~word) & each(0x80);
}

/// How many bytes there are before the first of these.
[[gnu::always_inline]] inline std::size_t bytes_before(std::uint64_t highest_bits) {
  return static_cast<std::size_t>(std::countr_zero(highest_bits)) / 8;  // of none: eight
}

/// The first byte behind `at` that isn't in the range; near the end of the text maybe earlier.
template <unsigned char kLeast, unsigned char kMost, unsigned char kFold>
[[gnu::always_inline]] inline const char* skip(const char* at, const char* end) {
  while (end - at >= 8) {
    const std::size_t run = bytes_before(others_among<kLeast, kMost, kFold>(eight(at)));
    at += run;
    if (run < 8) break;
  }
  return at;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

/// \p{L}*
const char* PieceScanner::letters(const char* at) const {
  at = skip<'a', 'z', 0x20>(at, end_);
  while (at != end_) {
    const Character c = look(at);
    if (!is_letter(c.kind)) break;
    at += c.size;
  }
  return at;
}

/// \p{N}{1,3}, of which the first is there.
const char* PieceScanner::digits(const char* at) const {
  for (int i = 0; i < 3 && kind(at) == C::Number; ++i) at += look(at).size;
  return at;
}

/// [^\s\p{L}\p{N}]*
const char* PieceScanner::others(const char* at) const {
  while (at != end_) {
    const Character c = look(at);
    if (c.kind != C::Other && c.kind != C::Mark) break;
    at += c.size;
  }
  return at;
}

/// '(?i:[sdmt]|ll|ve|re), where an s may be the long one; else `at`.
const char* PieceScanner::contraction(const char* at) const {
  if (end_ - at < 2 || *at != '\'') return at;
  const char first = lower(at[1]);
  if (first == 's' || first == 'd' || first == 'm' || first == 't') return at + 2;
  if (end_ - at < 3) return at;
  if (at[1] == '\xc5' && at[2] == '\xbf') return at + 3;  // U+017F
  const char second = lower(at[2]);
  const bool found = (first == 'l' && second == 'l') || (first == 'v' && second == 'e') ||
                     (first == 'r' && second == 'e');
  return found ? at + 3 : at;
}

/// \s*[\r\n], else \s+(?!\S), else \s, of which the first is there. `whole_at_end`: a run at the
/// end of the text is one piece also when a line ends in it.
const char* PieceScanner::spaces(const char* at, bool whole_at_end) const {
  const char* last = at;           // the last character's beginning
  const char* line_end = nullptr;  // behind the last line's end
  const char* stop = skip<' ', ' ', 0>(at, end_);
  if (stop != at) last = stop - 1;
  while (stop != end_) {
    const Character c = look(stop);
    if (!is_space(c.kind)) break;
    last = stop;
    stop += c.size;
    if (c.kind == C::LineEnd) line_end = stop;
  }
  if (stop == end_ && (whole_at_end || line_end == nullptr)) return stop;
  if (line_end != nullptr) return line_end;
  return last == at ? stop : last;
}

const char* PieceScanner::cl100k_end(const char* at) const {
  const Character c = look(at);
  if (is_letter(c.kind)) return letters(at);
  if (c.kind == C::Number) return digits(at);
  if (*at == '\'')
    if (const char* end = contraction(at); end != at) return end;
  const char* const next = at + c.size;
  if (c.kind != C::LineEnd && is_letter(kind(next))) return letters(next);
  const char* const others_from = *at == ' ' ? next : at;
  if (const char* end = others(others_from); end != others_from) {
    while (end != end_ && (*end == '\r' || *end == '\n')) ++end;
    return end;
  }
  return spaces(at, true);
}

/// Capitals, then small letters; letters without case and marks are both. At least one small one
/// or, `may_be_upper`, at least one of any kind. With its contraction; null where there is none.
const char* PieceScanner::word(const char* at, bool may_be_upper) const {
  if (end_ - at > 8) {
    const std::uint64_t eight_bytes = eight(at);
    const std::size_t upper = bytes_before(others_among<'A', 'Z', 0>(eight_bytes));
    const std::uint64_t not_lower = others_among<'a', 'z', 0>(eight_bytes);
    const std::size_t size = bytes_before(upper == 8 ? 0 : not_lower >> (8 * upper) << (8 * upper));
    if (size < 8 && static_cast<unsigned char>(at[size]) < 0x80) [[likely]]
      return size > upper || (may_be_upper && size > 0) ? contraction(at + size) : nullptr;
  }
  const char* upper_end = at;
  const char* both_end = nullptr;  // behind the last one that is both
  C kind_there = C::LineEnd;
  upper_end = skip<'A', 'Z', 0>(at, end_);
  while (upper_end != end_) {
    const Character c = look(upper_end);
    kind_there = c.kind;
    if (c.kind != C::Upper && c.kind != C::Letter && c.kind != C::Mark) break;
    upper_end += c.size;
    if (c.kind != C::Upper) both_end = upper_end;
  }
  const char* end = upper_end;
  if (upper_end != end_ && kind_there == C::Lower) {
    end = skip<'a', 'z', 0>(end, end_);
    while (end != end_) {
      const Character c = look(end);
      if (c.kind != C::Lower && c.kind != C::Letter && c.kind != C::Mark) break;
      end += c.size;
    }
  } else if (both_end != nullptr) {
    end = both_end;
  } else if (!may_be_upper || upper_end == at) {
    return nullptr;
  }
  return contraction(end);
}

const char* PieceScanner::o200k_end(const char* at) const {
  const Character c = look(at);
  if (c.kind == C::Number) return digits(at);
  const char* const next = at + c.size;
  if (is_letter(c.kind)) return word(at, true);
  if (c.kind != C::LineEnd) {
    const C behind = kind(next);
    const bool may_be_word = is_letter(behind) || behind == C::Mark;
    if (may_be_word)
      if (const char* end = word(next, false)) return end;
    if (c.kind == C::Mark) return word(at, false);
    if (may_be_word)
      if (const char* end = word(next, true)) return end;
  }
  const char* const others_from = *at == ' ' ? next : at;
  if (const char* end = others(others_from); end != others_from) {
    while (end != end_ && (*end == '\r' || *end == '\n' || *end == '/')) ++end;
    return end;
  }
  return spaces(at, false);
}

}  // namespace ba
