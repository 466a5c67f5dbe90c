// SPDX-License-Identifier: Apache-2.0
// Any bytes have a number of tokens: the same when they are counted again, the same as what they
// read as, and that of merging the pair of lowest rank where that can be tried.
#include <map>
#include <string>
#include <vector>

#include "pipeline/token/bpe.hpp"
#include "pipeline/token/shipped_tables.hpp"
#include "pipeline/token/well_formed.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

constexpr std::size_t kMergedMax = 48;  // bytes: merging takes their square

using Ranks = std::map<std::string_view, TokenRank>;

Ranks ranks_of(const BpeTables& tables) {
  Ranks ranks;
  for (TokenPlace place = 0; place < tables.facts.size(); ++place)
    ranks.emplace(tables.token(place), tables.facts[place].rank());
  return ranks;
}

std::size_t by_merging(const Ranks& ranks, std::string_view piece) {
  if (ranks.contains(piece)) return 1;
  std::vector<std::string> parts;
  for (const char c : piece) parts.emplace_back(1, c);
  while (true) {
    TokenRank lowest = kNoToken;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find(parts[i] + parts[i + 1]);
      if (found == ranks.end() || found->second >= lowest) continue;
      lowest = found->second;
      place = i;
    }
    if (lowest == kNoToken) return parts.size();
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

struct Counting {
  explicit Counting(TokenEncoding encoding)
      : counter(encoding),
        encoder(read_bpe_tables(shipped_tables(encoding))),
        ranks(ranks_of(read_bpe_tables(shipped_tables(encoding)))) {}

  void check(std::string_view input) {
    const std::int64_t count = counter.count(input);
    BA_ASSERT(count == counter.count(input) && (count == 0) == input.empty());
    const std::string text = well_formed(input);
    BA_ASSERT(is_well_formed(text) && is_well_formed(input) == (text == input));
    BA_ASSERT(count == counter.count(text) && count <= static_cast<std::int64_t>(text.size()));
    if (!input.empty() && input.size() <= kMergedMax)
      BA_ASSERT(encoder.count(input) == by_merging(ranks, input));
  }

  TokenCounter counter;
  BpeEncoder encoder;
  Ranks ranks;
};

}  // namespace

void token(std::string_view input) {
  static Counting old(TokenEncoding::Cl100kBase);
  static Counting newer(TokenEncoding::O200kBase);
  old.check(input);
  newer.check(input);
}

}  // namespace ba::fuzz
