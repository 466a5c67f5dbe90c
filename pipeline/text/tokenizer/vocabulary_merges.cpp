// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/vocabulary_merges.hpp"

#include <algorithm>
#include <queue>

namespace ba {
namespace {

constexpr std::uint64_t pair_of(TokenId left, TokenId right) {
  return std::uint64_t{left} << 32 | right;
}

std::size_t letter_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

/// A piece while its tokens are merged: a list with holes.
class VocabularyMerges::Word {
 public:
  Word(const VocabularyMerges& model, const std::vector<TokenId>& tokens)
      : model_(model), count_(tokens.size()) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      places_.push_back({tokens[i], static_cast<int>(i) - 1, static_cast<int>(i) + 1});
    for (int i = 0; i + 1 < size(); ++i) expect_merge(i);
  }

  std::size_t merge_all() {
    while (!waiting_.empty()) {
      const Waiting first = waiting_.top();
      waiting_.pop();
      merge(first);
    }
    return count_;
  }

 private:
  static constexpr int kGone = -2;

  struct Place {
    TokenId token;
    int before;
    int behind;
  };
  struct Waiting {
    std::uint32_t rank;
    int at;
    TokenId token;
    bool operator<(const Waiting& other) const {  // the top is the largest
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  int size() const { return static_cast<int>(places_.size()); }
  Place& place(int at) { return places_[static_cast<std::size_t>(at)]; }

  const Merge* merge_at(int at) {
    const int next = place(at).behind;
    return next < size() ? model_.merge_of(place(at).token, place(next).token) : nullptr;
  }

  void expect_merge(int at) {
    if (const Merge* const found = merge_at(at)) waiting_.push({found->rank, at, found->token});
  }

  /// Unless one of the two has become something else meanwhile.
  void merge(const Waiting& wanted) {
    Place& left = place(wanted.at);
    if (left.before == kGone) return;
    const Merge* const now = merge_at(wanted.at);
    if (now == nullptr || now->token != wanted.token) return;
    Place& right = place(left.behind);
    left.token = wanted.token;
    left.behind = right.behind;
    right.before = kGone;
    --count_;
    if (left.behind < size()) {
      place(left.behind).before = wanted.at;
      expect_merge(wanted.at);
    }
    if (left.before >= 0) expect_merge(left.before);
  }

  const VocabularyMerges& model_;
  std::size_t count_;
  std::vector<Place> places_;
  std::priority_queue<Waiting> waiting_;
};

Result<TokenId> VocabularyMerges::id_of(const std::string& token) const {
  const auto found = vocabulary_.find(token);
  if (found == vocabulary_.end())
    return invalid_argument("'" + token + "' is not in the vocabulary");
  return found->second;
}

Result<void> VocabularyMerges::add_merge(const std::string& left, const std::string& right) {
  const Result<TokenId> a = id_of(left);
  if (!a) return a.error();
  const Result<TokenId> b = id_of(right);
  if (!b) return b.error();
  const Result<TokenId> both = id_of(left + right);
  if (!both) return both.error();
  merges_[pair_of(*a, *b)] = {next_rank_++, *both};
  return {};
}

const VocabularyMerges::Merge* VocabularyMerges::merge_of(TokenId left, TokenId right) const {
  const auto found = merges_.find(pair_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<TokenId> VocabularyMerges::letters_of(std::string_view piece) const {
  std::vector<TokenId> tokens;
  bool behind_unknown = false;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t size = std::min(letter_size(piece[at]), piece.size() - at);
    const auto found = vocabulary_.find(std::string(piece.substr(at, size)));
    at += size;
    const bool known = found != vocabulary_.end();
    if (known)
      tokens.push_back(found->second);
    else if (unknown_.token && !(unknown_.fused && behind_unknown))
      tokens.push_back(*unknown_.token);
    behind_unknown = !known;
  }
  return tokens;
}

std::size_t VocabularyMerges::count(std::string_view piece) const {
  if (whole_pieces_first_ && vocabulary_.contains(std::string(piece))) return 1;
  return Word(*this, letters_of(piece)).merge_all();
}

}  // namespace ba
