// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_counter.hpp"

#include <emmintrin.h>

#include <bit>
#include <cstring>
#include <utility>

#include "pipeline/text/token/block_scanner.hpp"
#include "pipeline/text/token/bpe.hpp"
#include "pipeline/text/token/piece_lane.hpp"
#include "pipeline/text/token/piece_scanner.hpp"
#include "pipeline/text/token/seam.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "pipeline/text/token/well_formed.hpp"

namespace ba {
namespace {

/// Which of the sixteen bytes at `at`, as bits, begin a character that isn't ASCII.
constexpr std::ptrdiff_t kFirstBytesAtOnce = 16;
[[gnu::always_inline]] inline std::uint32_t first_bytes(const char* at, const char* text_end) {
  char bytes[kFirstBytesAtOnce] = {};
  if (text_end - at < kFirstBytesAtOnce) [[unlikely]]
    at = static_cast<const char*>(std::memcpy(bytes, at, static_cast<std::size_t>(text_end - at)));
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i beyond_ascii = _mm_cmplt_epi8(all, _mm_setzero_si128());
  const __m128i no_rest = _mm_cmpgt_epi8(all, _mm_set1_epi8(static_cast<char>(0xbf)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_and_si128(beyond_ascii, no_rest)));
}

}  // namespace

struct TokenCounter::State {
  explicit State(TokenEncoding wanted) : State(wanted, read_bpe_tables(shipped_tables(wanted))) {}
  State(TokenEncoding wanted, const BpeTables& tables)
      : encoding(wanted), encoder(tables), seams(tables.joints) {}

  /// Of the text up to `text_end`: what goes to the encoder as it is.
  [[gnu::always_inline]] void add_whole(const char* from, const char* to, const char* text_end) {
    const auto size = static_cast<std::size_t>(to - from);
    if (size <= PieceCounts<1>::kPieceMax) [[likely]]
      of_one_word.add(from, size, text_end);
    else if (size <= PieceCounts<2>::kPieceMax)
      of_two_words.add(from, size, text_end);
    else if (size <= PieceCounts<4>::kPieceMax)
      of_four_words.add(from, size, text_end);
    else
      tokens += static_cast<std::int64_t>(encoder.count({from, size}));
  }

  /// A piece, cut at its seams: each part is encoded for itself.
  void add(const char* from, const char* to, const char* text_end) {
    const char* const piece = from;
    for (const char* at = piece; at < to; at += kFirstBytesAtOnce) {
      std::uint32_t firsts = first_bytes(at, text_end);
      if (to - at < kFirstBytesAtOnce) firsts &= (1U << (to - at)) - 1;
      if (at == piece) firsts &= ~1U;
      std::uint32_t found = 0;
      for (; firsts != 0; firsts &= firsts - 1) {
        const int place = std::countr_zero(firsts);
        found |= static_cast<std::uint32_t>(seams.before(at + place)) << place;
      }
      for (; found != 0; found &= found - 1) {
        const char* const seam = at + std::countr_zero(found);
        add_whole(from, seam, text_end);
        from = seam;
      }
    }
    add_whole(from, to, text_end);
  }

  /// Each piece of the text. `Begins` tells of many pieces of ASCII at once, `Next` of any one.
  template <auto Begins, auto Next>
  std::int64_t pieces(std::string_view text) {
    const PieceScanner scanner(text);
    const char* const end = scanner.end();
    for (const char* at = scanner.begin(); at != end;) {
      if (static_cast<std::size_t>(end - at) >= kScannedAtOnce && are_ascii(at)) {
        const char* const block = at;
        for (std::uint64_t left = Begins(block) & ~std::uint64_t{1}; left != 0; left &= left - 1) {
          const char* const next = block + std::countr_zero(left);
          add_whole(at, next, end);
          at = next;
        }
        if (at != block) continue;
      }
      const char* const next = (scanner.*Next)(at);
      add(at, next, end);
      at = next;
    }
    return std::exchange(tokens, 0) + of_one_word.settle() + of_two_words.settle() +
           of_four_words.settle();
  }

  const TokenEncoding encoding;
  BpeEncoder encoder;
  const Seams seams;
  PieceLane<1> of_one_word{encoder};
  PieceLane<2> of_two_words{encoder};
  PieceLane<4> of_four_words{encoder};
  std::int64_t tokens = 0;  ///< of the pieces that are longer
};

TokenCounter::TokenCounter(TokenEncoding encoding) : state_(std::make_unique<State>(encoding)) {}
TokenCounter::TokenCounter(TokenCounter&&) noexcept = default;
TokenCounter::~TokenCounter() = default;

std::int64_t TokenCounter::count(std::string_view text) {
  std::string repaired;
  if (!is_well_formed(text)) text = repaired = well_formed(text);
  return state_->encoding == TokenEncoding::Cl100kBase
             ? state_->pieces<cl100k_begins, &PieceScanner::cl100k_end>(text)
             : state_->pieces<o200k_begins, &PieceScanner::o200k_end>(text);
}

}  // namespace ba
