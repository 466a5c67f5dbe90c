#pragma once
// SPDX-License-Identifier: Apache-2.0
// Cuts text into the pieces that are encoded each for itself: what the patterns of the encodings
// match, one match after the other, by hand (sources: tiktoken, tiktoken_ext/openai_public.py). Any
// thread.

#include <string_view>

#include "pipeline/text/token/character_class.hpp"

namespace ba {

class PieceScanner {
 public:
  /// `text` is well-formed UTF-8 and outlives the scanner.
  explicit PieceScanner(std::string_view text)
      : table_(character_table()), begin_(text.data()), end_(text.data() + text.size()) {}

  /// Where the piece that begins at `at`, which isn't the end, ends.
  const char* cl100k_end(const char* at) const;
  const char* o200k_end(const char* at) const;

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

 private:
  Character look(const char* at) const { return character_at(table_, at); }
  CharacterClass kind(const char* at) const {
    return at == end_ ? CharacterClass::LineEnd : look(at).kind;
  }
  const char* letters(const char* at) const;
  const char* digits(const char* at) const;
  const char* others(const char* at) const;
  const char* contraction(const char* at) const;
  const char* word(const char* at, bool may_be_upper) const;
  const char* spaces(const char* at, bool whole_at_end) const;

  const CharacterTable& table_;
  const char* const begin_;
  const char* const end_;
};

}  // namespace ba
