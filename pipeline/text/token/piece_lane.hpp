#pragma once
// SPDX-License-Identifier: Apache-2.0
// Pieces on their way to their numbers of tokens: some are gathered before the first one is looked
// up, so that what is known of them has come from memory when it is asked for. Owned by a counter;
// one thread.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "pipeline/text/token/bpe.hpp"
#include "pipeline/text/token/piece_counts.hpp"

namespace ba {

template <std::size_t kWords>
class PieceLane {
 public:
  using Counts = PieceCounts<kWords>;

  /// The encoder outlives the lane.
  explicit PieceLane(BpeEncoder& encoder) : encoder_(encoder) {}

  /// Of at most Counts::kPieceMax bytes. The text stays until settle().
  [[gnu::always_inline]] void add(const char* piece, std::size_t size, const char* text_end) {
    Expected& one = expected_.data()[gathered_];
    one.key = Counts::key_of(piece, size, text_end);
    one.place = counts_.place_of(one.key);
    one.piece = piece;
    Counts::expect(one.place);
    if (++gathered_ == expected_.size()) tokens_ += settled();
  }

  /// How many tokens all have that were added since it was asked last.
  std::int64_t settle() {
    tokens_ += settled();
    return std::exchange(tokens_, 0);
  }

 private:
  struct Expected {
    typename Counts::Key key;
    typename Counts::Place place;
    const char* piece;
  };

  [[gnu::noinline]] std::int64_t settled() {
    std::int64_t tokens = 0;
    std::array<std::uint8_t, kGathered> unknown;
    std::size_t unknowns = 0;
    for (std::size_t i = 0; i < gathered_; ++i) {
      const int known = Counts::find(expected_.data()[i].place, expected_.data()[i].key);
      tokens += known;
      unknown.data()[unknowns] = static_cast<std::uint8_t>(i);
      unknowns += known == 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < unknowns; ++i)
      encoder_.expect(piece_of(expected_.data()[unknown.data()[i]]));
    for (std::size_t i = 0; i < unknowns; ++i)
      tokens += encoded(expected_.data()[unknown.data()[i]]);
    gathered_ = 0;
    return tokens;
  }

  /// Unless it has come twice, and is known by now.
  [[gnu::noinline]] std::int64_t encoded(const Expected& one) {
    const int known = Counts::find(one.place, one.key);
    if (known > 0) return known;
    const std::size_t count = encoder_.count(piece_of(one));
    counts_.keep(one.place, one.key, static_cast<int>(count));
    return static_cast<std::int64_t>(count);
  }

  static std::string_view piece_of(const Expected& one) {
    return {one.piece, Counts::size_of(one.key)};
  }

  static constexpr std::size_t kGathered = 32;

  BpeEncoder& encoder_;
  Counts counts_;
  std::array<Expected, kGathered> expected_;  ///< the first `gathered_` of them
  std::size_t gathered_ = 0;
  std::int64_t tokens_ = 0;
};

}  // namespace ba
