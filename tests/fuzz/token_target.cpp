// SPDX-License-Identifier: Apache-2.0
// Any bytes have a number of tokens: the same when they are counted again, the same as what they
// read as, and that of merging the pair of lowest rank: tried of all of it where it is short, else
// of each two neighbours, which must stay apart.
#include <map>
#include <string>
#include <vector>

#include "pipeline/text/token/bpe.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "pipeline/text/token/well_formed.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

constexpr std::size_t kMergedMax = 48;  // bytes: merging takes their square
constexpr std::size_t kNeighboursMax = 1000;

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

/// The texts of the tokens must be the input's, one after the other.
bool by_neighbours(const Ranks& ranks, const std::vector<std::string_view>& tokens,
                   std::string_view input) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!input.substr(at).starts_with(tokens[i])) return false;
    const std::size_t both = tokens[i].size() + (i + 1 < tokens.size() ? tokens[i + 1].size() : 0);
    if (i + 1 < tokens.size() && both <= kMergedMax &&
        by_merging(ranks, input.substr(at, both)) != 2)
      return false;
    at += tokens[i].size();
  }
  return at == input.size();
}

struct Counting {
  explicit Counting(TokenEncoding encoding)
      : counter(encoding),
        tables(read_bpe_tables(shipped_tables(encoding))),
        encoder(tables),
        ranks(ranks_of(tables)) {}

  void check(std::string_view input) {
    const std::int64_t count = counter.count(input);
    BA_ASSERT(count == counter.count(input) && (count == 0) == input.empty());
    const std::string text = well_formed(input);
    BA_ASSERT(is_well_formed(text) && is_well_formed(input) == (text == input));
    BA_ASSERT(count == counter.count(text) && count <= static_cast<std::int64_t>(text.size()));
    if (!input.empty() && input.size() <= kMergedMax)
      BA_ASSERT(encoder.count(input) == by_merging(ranks, input));
    if (input.size() <= kNeighboursMax) BA_ASSERT(by_neighbours(ranks, tokens_of(input), input));
  }

  std::vector<std::string_view> tokens_of(std::string_view input) {
    std::vector<std::string_view> tokens;
    for (const TokenRank rank : encoder.encode(input))
      tokens.push_back(tables.token(tables.places[rank]));
    return tokens;
  }

  TokenCounter counter;
  BpeTables tables;
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
