// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_counter.hpp"

#include <array>
#include <utility>

#include "pipeline/text/token/bpe.hpp"
#include "pipeline/text/token/piece_counts.hpp"
#include "pipeline/text/token/piece_scanner.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "pipeline/text/token/well_formed.hpp"

namespace ba {

struct TokenCounter::State {
  explicit State(TokenEncoding wanted)
      : encoding(wanted), encoder(read_bpe_tables(shipped_tables(wanted))) {}

  struct Expected {
    PieceKey key;
    PieceCounts::Place place;
    const char* piece;
  };

  [[gnu::noinline]] std::int64_t encoded(const Expected& one) {
    const std::size_t count = encoder.count({one.piece, PieceCounts::size_of(one.key)});
    counts.keep(one.place, one.key, static_cast<int>(count));
    return static_cast<std::int64_t>(count);
  }

  /// Some pieces ahead, so that what is known of them is on its way when it is asked for.
  template <auto Next>
  std::int64_t pieces(std::string_view text) {
    const PieceScanner scanner(text);
    const char* const end = scanner.end();
    std::array<Expected, 32> expected;
    std::int64_t all = 0;
    for (const char* at = scanner.begin(); at != end;) {
      std::size_t ahead = 0;
      while (ahead < expected.size() && at != end) {
        const char* const piece = std::exchange(at, (scanner.*Next)(at));
        const auto size = static_cast<std::size_t>(at - piece);
        if (size > PieceCounts::kPieceMax) {
          all += static_cast<std::int64_t>(encoder.count({piece, size}));
          continue;
        }
        Expected& one = expected.data()[ahead++];
        one.key = PieceCounts::key_of(piece, size, end);
        one.place = counts.place_of(one.key);
        one.piece = piece;
        PieceCounts::expect(one.place);
      }
      for (std::size_t i = 0; i < ahead; ++i) {
        const Expected& one = expected.data()[i];
        const int known = PieceCounts::find(one.place, one.key);
        all += known > 0 ? known : encoded(one);
      }
    }
    return all;
  }

  const TokenEncoding encoding;
  BpeEncoder encoder;
  PieceCounts counts;
};

TokenCounter::TokenCounter(TokenEncoding encoding) : state_(std::make_unique<State>(encoding)) {}
TokenCounter::TokenCounter(TokenCounter&&) noexcept = default;
TokenCounter::~TokenCounter() = default;

std::int64_t TokenCounter::count(std::string_view text) {
  std::string repaired;
  if (!is_well_formed(text)) text = repaired = well_formed(text);
  return state_->encoding == TokenEncoding::Cl100kBase
             ? state_->pieces<&PieceScanner::cl100k_end>(text)
             : state_->pieces<&PieceScanner::o200k_end>(text);
}

}  // namespace ba
