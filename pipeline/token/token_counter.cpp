// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/token_counter.hpp"

#include <array>

#include "pipeline/token/bpe.hpp"
#include "pipeline/token/piece_counts.hpp"
#include "pipeline/token/piece_scanner.hpp"
#include "pipeline/token/shipped_tables.hpp"
#include "pipeline/token/well_formed.hpp"

namespace ba {

struct TokenCounter::State {
  explicit State(TokenEncoding wanted)
      : encoding(wanted), encoder(read_bpe_tables(shipped_tables(wanted))) {}

  struct Expected {
    PieceCounts::Key key;
    std::string_view piece;
  };

  std::int64_t count(const Expected& one) {
    if (const int known = counts.find(one.key); known > 0) return known;
    const std::size_t count = encoder.count(one.piece);
    counts.keep(one.key, static_cast<int>(count));
    return static_cast<std::int64_t>(count);
  }

  /// Some pieces ahead, so that what is known of them is on its way when it is asked for.
  template <auto Next>
  std::int64_t pieces(std::string_view text) {
    const PieceScanner scanner(text);
    std::array<Expected, 32> expected;
    std::int64_t all = 0;
    for (const char* at = scanner.begin(); at != scanner.end();) {
      std::size_t ahead = 0;
      while (ahead < expected.size() && at != scanner.end()) {
        const std::string_view piece(at, static_cast<std::size_t>((scanner.*Next)(at)-at));
        at += piece.size();
        if (piece.size() > PieceCounts::kPieceMax) {
          all += static_cast<std::int64_t>(encoder.count(piece));
          continue;
        }
        expected[ahead] = {PieceCounts::key_of(piece.data(), piece.size(), scanner.end()), piece};
        counts.expect(expected[ahead++].key);
      }
      for (std::size_t i = 0; i < ahead; ++i) all += count(expected[i]);
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
