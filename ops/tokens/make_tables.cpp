// SPDX-License-Identifier: Apache-2.0
#include "ops/tokens/make_tables.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/token/bpe_tables.hpp"
#include "pipeline/text/token/seam.hpp"

namespace ba {
namespace {

constexpr std::size_t kRadixSize = 65'537;
constexpr unsigned kAsciiEnd = 0x80;
constexpr unsigned kFirstByteMin = 0xc0;  // of characters that have more bytes
constexpr std::size_t kSections = 10;

/// Two first bytes of a token, as a number; one that is alone stands before all with a second one.
std::size_t radix_of(std::string_view token) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(token[i]); };
  return byte(0) * std::size_t{256} + (token.size() > 1 ? byte(1) : 0);
}

class Builder {
 public:
  explicit Builder(const std::vector<std::string>& tokens)
      : tokens_(tokens), facts_(tokens.size()) {
    for (TokenRank rank = 0; rank < tokens.size(); ++rank) ranks_.emplace(tokens[rank], rank);
    BA_ASSERT(ranks_.size() == tokens.size() && tokens.size() < kTokensMax);
  }

  std::string build() {
    sort();
    find_shorter();
    split_all();
    collect_pairs();
    collect_prefixes();
    collect_byte_pairs();
    collect_joints();
    std::string out;
    const std::vector<std::string_view> parts{
        as_bytes(facts_),      as_bytes(keys_),  as_bytes(begins_),   bytes_,
        as_bytes(radix_),      as_bytes(pairs_), as_bytes(prefixes_), as_bytes(places_),
        as_bytes(byte_pairs_), as_bytes(joints_)};
    BA_ASSERT(parts.size() == kSections);
    for (const std::string_view part : parts) {
      const std::uint64_t size = part.size();
      out.append(reinterpret_cast<const char*>(&size), sizeof size);
      out += part;
      out.resize((out.size() + 7) / 8 * 8);
    }
    return out;
  }

 private:
  template <typename Number>
  static std::string_view as_bytes(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
  }

  void sort() {
    sorted_.resize(tokens_.size());
    places_.resize(tokens_.size());
    std::iota(sorted_.begin(), sorted_.end(), TokenRank{0});
    std::ranges::sort(sorted_, {}, [&](TokenRank rank) { return std::string_view(tokens_[rank]); });
    for (const TokenRank rank : sorted_) {
      places_[rank] = static_cast<TokenPlace>(begins_.size());
      begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      bytes_ += tokens_[rank];
      keys_.push_back(sort_key(tokens_[rank]));
    }
    begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    radix_.resize(kRadixSize);
    std::size_t at = 0;
    for (std::size_t radix = 0; radix < kRadixSize; ++radix) {
      while (at < sorted_.size() && radix_of(tokens_[sorted_[at]]) < radix) ++at;
      radix_[radix] = static_cast<TokenPlace>(at);
    }
  }

  /// In the order of bytes, the beginnings of a token come before it, one within the other.
  void find_shorter() {
    std::vector<TokenPlace> open;
    for (TokenPlace place = 0; place < sorted_.size(); ++place) {
      const std::string& token = tokens_[sorted_[place]];
      while (!open.empty() && !token.starts_with(tokens_[sorted_[open.back()]])) open.pop_back();
      facts_[place].shorter = open.empty() ? kNoPlace : open.back();
      open.push_back(place);
    }
  }

  std::optional<TokenRank> rank_of(std::string_view bytes, TokenRank below) const {
    const auto found = ranks_.find(bytes);
    if (found == ranks_.end() || found->second >= below) return std::nullopt;
    return found->second;
  }

  /// A token is merged of the two parts that its bytes become by all earlier merges.
  void split_all() {
    for (TokenRank rank = 0; rank < tokens_.size(); ++rank) {
      const std::string& token = tokens_[rank];
      TokenFacts& facts = facts_[places_[rank]];
      facts.rank_and_length = rank << 8 | static_cast<std::uint32_t>(token.size());
      facts.left = facts.right = places_[rank];
      if (token.size() == 1) continue;
      const std::vector<std::size_t> ends = merged(token, rank);
      // One that no merges lead to would need a table of its own; there is none in what we ship.
      BA_ASSERT(ends.size() == 2);
      facts.left = places_[*rank_of(std::string_view(token).substr(0, ends[0]), rank)];
      facts.right = places_[*rank_of(std::string_view(token).substr(ends[0]), rank)];
    }
  }

  /// Where the parts end after every merge of a rank below `below`, the lowest first.
  std::vector<std::size_t> merged(std::string_view token, TokenRank below) const {
    std::vector<std::size_t> ends(token.size());
    std::iota(ends.begin(), ends.end(), std::size_t{1});
    while (true) {
      std::optional<TokenRank> lowest;
      std::size_t place = 0;
      for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const std::size_t begin = i == 0 ? 0 : ends[i - 1];
        const auto rank = rank_of(token.substr(begin, ends[i + 1] - begin), lowest.value_or(below));
        if (rank) lowest = rank, place = i;
      }
      if (!lowest) return ends;
      ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }

  void collect_pairs() {
    pairs_.assign(std::bit_ceil(tokens_.size() * 2), kNoPair);
    for (TokenRank rank = 0; rank < tokens_.size(); ++rank) {
      if (tokens_[rank].size() == 1) continue;
      const std::uint64_t key = pair_key(facts_[places_[rank]].left, facts_[places_[rank]].right);
      std::size_t place = pair_place(key, pairs_.size());
      while (pairs_[place] != kNoPair) place = (place + 1) % pairs_.size();
      pairs_[place] = key << kRankBits | rank;
    }
  }

  void collect_prefixes() {
    std::vector<PrefixRange> ranges;
    for (TokenPlace place = 0; place < sorted_.size(); ++place) {
      const std::string& token = tokens_[sorted_[place]];
      if (token.size() < 3) continue;
      const std::uint32_t prefix = prefix_of(token);
      if (ranges.empty() || ranges.back().prefix() != prefix) ranges.emplace_back(prefix, place, 0);
      PrefixRange& range = ranges.back();
      range = PrefixRange(prefix, range.begin(), range.count() + 1);
    }
    prefixes_.resize(std::bit_ceil(ranges.size() * 2 + 1));
    for (const PrefixRange& range : ranges) {
      std::size_t place = prefix_place(range.prefix(), prefixes_.size());
      while (!prefixes_[place].empty()) place = (place + 1) & (prefixes_.size() - 1);
      prefixes_[place] = range;
    }
  }

  void collect_byte_pairs() {
    byte_pairs_.assign(kRadixSize - 1, kNoPair);
    for (TokenRank rank = 0; rank < tokens_.size(); ++rank)
      if (tokens_[rank].size() == 2)
        byte_pairs_[radix_of(tokens_[rank])] = std::uint64_t{rank} << kRankBits | places_[rank];
  }

  void collect_joints() {
    joints_.assign(kJoints / 64, 0);
    for (const std::string& token : tokens_)
      for (std::size_t at = 1; at < token.size(); ++at) add_joints(token, at);
  }

  /// Where a token begins or ends beside the place, the byte there may be any that UTF-8 has there.
  void add_joints(std::string_view token, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(token[i]); };
    if (byte(at) < kFirstByteMin || byte(at - 1) >= kFirstByteMin) return;
    const bool begins = at == 1 && byte(0) >= kAsciiEnd;
    const bool ends = at + 1 == token.size();
    const unsigned before_min = begins ? kAsciiEnd : at == 1 ? 0 : byte(at - 2);
    const unsigned before_max = begins ? 0xff : before_min;
    const unsigned behind_min = ends ? kAsciiEnd : byte(at + 1);
    const unsigned behind_max = ends ? kFirstByteMin - 1 : behind_min;
    for (unsigned before = before_min; before <= before_max; ++before)
      for (unsigned behind = behind_min; behind <= behind_max; ++behind) {
        const std::size_t place = joint_place(joint_key(before, byte(at - 1), byte(at), behind));
        joints_[place / 64] |= std::uint64_t{1} << (place % 64);
      }
  }

  const std::vector<std::string>& tokens_;
  std::unordered_map<std::string_view, TokenRank> ranks_;
  std::vector<TokenRank> sorted_;   ///< by place
  std::vector<TokenPlace> places_;  ///< by rank
  std::vector<std::uint32_t> begins_;
  std::string bytes_;
  std::vector<TokenPlace> radix_;
  std::vector<TokenFacts> facts_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> pairs_;
  std::vector<PrefixRange> prefixes_;
  std::vector<std::uint64_t> byte_pairs_;
  std::vector<std::uint64_t> joints_;  ///< bits
};

}  // namespace

std::string make_bpe_tables(const std::vector<std::string>& tokens) {
  return Builder(tokens).build();
}

std::vector<std::string> unpack_vocabulary(std::string_view packed) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t length = static_cast<unsigned char>(packed[at]);
    BA_ASSERT(length > 0 && at + 1 + length <= packed.size());
    tokens.emplace_back(packed.substr(at + 1, length));
    at += 1 + length;
  }
  return tokens;
}

}  // namespace ba
