#pragma once
// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding as it is defined, for comparison: the pair of lowest rank is merged, until
// there is none. Takes the square of a piece's length.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/text/token/bpe_tables.hpp"

namespace ba {

class ByMerging {
 public:
  explicit ByMerging(const BpeTables& tables) {
    for (TokenPlace place = 0; place < tables.facts.size(); ++place)
      ranks_.emplace(tables.token(place), tables.facts[place].rank());
  }

  /// Whether merging gives these tokens of a text, seen of two neighbours at a time.
  bool gives(const std::vector<std::string>& tokens) const {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (encode(tokens[i] + tokens[i + 1]) !=
          std::vector{ranks_.at(tokens[i]), ranks_.at(tokens[i + 1])})
        return false;
    return true;
  }

  std::vector<TokenRank> encode(const std::string& piece) const {
    if (ranks_.contains(piece)) return {ranks_.at(piece)};
    std::vector<std::string> parts;
    for (const char c : piece) parts.emplace_back(1, c);
    while (true) {
      TokenRank lowest = kNoToken;
      std::size_t place = 0;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto found = ranks_.find(parts[i] + parts[i + 1]);
        if (found != ranks_.end() && found->second < lowest) lowest = found->second, place = i;
      }
      if (lowest == kNoToken) break;
      parts[place] += parts[place + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
    std::vector<TokenRank> ranks;
    for (const std::string& part : parts) ranks.push_back(ranks_.at(part));
    return ranks;
  }

 private:
  std::map<std::string, TokenRank, std::less<>> ranks_;
};

}  // namespace ba
