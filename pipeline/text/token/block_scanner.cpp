// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/block_scanner.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <bit>

namespace ba {
namespace {

/// A bit for each of 64 bytes.
using Bits = std::uint64_t;

constexpr Bits behind(Bits bits) { return bits << 1; }
constexpr Bits before(Bits bits) { return bits >> 1; }
constexpr Bits first_of_each_run(Bits bits) { return bits & ~behind(bits); }
constexpr Bits up_to(std::size_t count) {
  return count >= kScannedAtOnce ? ~Bits{0} : (Bits{1} << count) - 1;
}
std::size_t lowest(Bits bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }

/// The bytes behind runs of `run`, of those runs alone that begin at `begins`.
constexpr Bits behind_runs(Bits begins, Bits run) { return (begins + run) & ~run; }

struct Classes {
  Bits beyond_ascii = 0;
  Bits lower = 0;
  Bits upper = 0;
  Bits digit = 0;
  Bits blank = 0;  ///< U+0020
  Bits space = 0;  ///< all of them, with line ends
  Bits line_end = 0;
  Bits quote = 0;  ///< '
  Bits slash = 0;

  Bits letter() const { return lower | upper; }
  Bits sign() const { return ~(letter() | digit | space | beyond_ascii); }
};

__m128i among(__m128i bytes, char least, char most) {  // both ASCII
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(least - 1))),
                       _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(most + 1))));
}
__m128i each(__m128i bytes, char one) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(one)); }

[[gnu::always_inline]] inline Classes classes_of(const char* at) {
  Classes all;
  for (int from = 0; from < static_cast<int>(kScannedAtOnce); from += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + from));
    const auto bits = [&](__m128i mask) {
      return Bits{static_cast<std::uint32_t>(_mm_movemask_epi8(mask))} << from;
    };
    const __m128i blank = each(bytes, ' ');
    all.beyond_ascii |= bits(bytes);
    all.lower |= bits(among(bytes, 'a', 'z'));
    all.upper |= bits(among(bytes, 'A', 'Z'));
    all.digit |= bits(among(bytes, '0', '9'));
    all.blank |= bits(blank);
    all.space |= bits(_mm_or_si128(blank, among(bytes, '\t', '\r')));
    all.line_end |= bits(_mm_or_si128(each(bytes, '\n'), each(bytes, '\r')));
    all.quote |= bits(each(bytes, '\''));
    all.slash |= bits(each(bytes, '/'));
  }
  return all;
}

/// Where pieces begin, as far as it is known.
struct Begins {
  Bits bits = 0;
  std::size_t known = kScannedAtOnce;  ///< what begins from there on isn't

  void know(std::size_t most) { known = std::min(known, most); }
  Bits known_bits() const { return 1 | (bits & up_to(known)); }
};

/// How many bytes a contraction's letters behind the quote at `at` are, or 0: [sdmt]|ll|ve|re.
std::size_t contracted(const char* quote) {
  const char first = static_cast<char>(quote[1] | 0x20);
  const char second = static_cast<char>(quote[2] | 0x20);
  if (first == 's' || first == 'd' || first == 'm' || first == 't') return 1;
  const bool two = (first == 'l' && second == 'l') || (first == 'v' && second == 'e') ||
                   (first == 'r' && second == 'e');
  return two ? 2 : 0;
}

/// Of three digits at most.
Bits digit_begins(Bits digit) {
  Bits begins = 0;
  const Bits fourth = digit & digit << 1 & digit << 2 & digit << 3;
  for (Bits some = first_of_each_run(digit); some != 0; some = some << 3 & fourth) begins |= some;
  return begins;
}

/// The last space before something else goes with that, or is alone. The others are one piece up to
/// the last line's end, and one behind it. Line ends right behind a sign are the sign's.
void add_spaces(const Classes& c, Bits of_signs, Begins& begins) {
  const Bits within = c.space & ~c.line_end;
  const Bits behind_line = within & behind(c.line_end);
  begins.bits |= first_of_each_run(c.space) & ~of_signs;
  begins.bits |= within & ~before(c.space);
  begins.bits |= behind_line;
  const auto know_up_to_run_at = [&](std::size_t at) {
    const Bits others = ~c.space & up_to(at);
    begins.know(static_cast<std::size_t>(std::bit_width(others)) + 1);
  };
  // Another line's end comes in the same run.
  if (const Bits more = behind_runs(behind_line, within) & c.line_end; more != 0) [[unlikely]]
    know_up_to_run_at(lowest(more));
  const std::size_t end = c.beyond_ascii == 0 ? kScannedAtOnce : lowest(c.beyond_ascii);
  if (end > 0 && (c.space >> (end - 1) & 1) != 0) know_up_to_run_at(end);
  begins.know(end);
}

/// What both encodings have alike; gives the signs that words begin with.
[[gnu::always_inline]] inline Bits add_pieces(const Classes& c, Begins& begins) {
  const Bits letter = c.letter();
  const Bits sign = c.sign();
  const Bits first_sign = first_of_each_run(sign) & ~behind(c.blank);
  const Bits of_words = first_sign & before(letter);
  const Bits within = c.space & ~c.line_end;
  begins.bits = first_sign;
  begins.bits |= first_of_each_run(letter) & ~behind(within | of_words);
  begins.bits |= digit_begins(c.digit);
  add_spaces(c, c.line_end & behind(sign), begins);
  return of_words;
}

}  // namespace

std::uint64_t cl100k_begins(const char* at) {
  const Classes c = classes_of(at);
  Begins begins;
  const Bits of_words = add_pieces(c, begins);
  for (Bits quotes = c.quote & of_words; quotes != 0; quotes &= quotes - 1) {
    const std::size_t quote = lowest(quotes);
    if (quote + 3 > begins.known) {
      begins.know(quote + 1);
      break;
    }
    const std::size_t letters = contracted(at + quote);
    if (letters > 0) begins.bits |= Bits{2} << (quote + letters);
  }
  return begins.known_bits();
}

std::uint64_t o200k_begins(const char* at) {
  const Classes c = classes_of(at);
  Begins begins;
  add_pieces(c, begins);
  begins.bits |= c.upper & behind(c.lower);
  const Bits lines_of_signs = c.line_end & behind(c.sign());
  // A slash goes on with the sign before the line's end.
  if (const Bits slashes = behind_runs(lines_of_signs, c.line_end) & c.slash; slashes != 0)
    begins.know(lowest(slashes));
  std::size_t contraction_end = 0;
  for (Bits quotes = c.quote & behind(c.letter()); quotes != 0; quotes &= quotes - 1) {
    const std::size_t quote = lowest(quotes);
    if (quote + 3 > begins.known) {
      begins.know(quote);
      break;
    }
    const std::size_t letters = quote == contraction_end ? 0 : contracted(at + quote);
    if (letters == 0) continue;
    contraction_end = quote + letters + 1;
    begins.bits &= ~(up_to(contraction_end) & ~up_to(quote));
    if (contraction_end < kScannedAtOnce) begins.bits |= Bits{1} << contraction_end;
  }
  return begins.known_bits();
}

}  // namespace ba
