// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/token_counter.hpp"

#include "pipeline/token/bpe.hpp"
#include "pipeline/token/piece_counts.hpp"
#include "pipeline/token/piece_scanner.hpp"
#include "pipeline/token/shipped_tables.hpp"
#include "pipeline/token/well_formed.hpp"

namespace ba {

struct TokenCounter::State {
  explicit State(TokenEncoding wanted)
      : encoding(wanted), encoder(read_bpe_tables(shipped_tables(wanted))) {}

  std::int64_t piece(const char* from, const char* to, const char* text_end) {
    const auto size = static_cast<std::size_t>(to - from);
    if (size > PieceCounts::kPieceMax)
      return static_cast<std::int64_t>(encoder.count({from, size}));
    const PieceCounts::Key key = PieceCounts::key_of(from, size, text_end);
    if (const int known = counts.find(key); known > 0) return known;
    const auto count = static_cast<int>(encoder.count({from, size}));
    counts.keep(key, count);
    return count;
  }

  template <auto Next>
  std::int64_t pieces(std::string_view text) {
    const PieceScanner scanner(text);
    std::int64_t all = 0;
    for (const char* at = scanner.begin(); at != scanner.end();) {
      const char* const to = (scanner.*Next)(at);
      all += piece(at, to, scanner.end());
      at = to;
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
