#pragma once
// SPDX-License-Identifier: Apache-2.0
// A regular expression of a tokenizer file, by the library that these files are written for
// (Oniguruma, Ruby's syntax): what `\s` is and how far it looks back decides about tokens. One
// thread at a time.

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

/// A part of a text, from `begin` up to `end`.
struct TextPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool matched = false;

  friend bool operator==(const TextPart&, const TextPart&) = default;
};

class TextPattern {
 public:
  /// `regex` is UTF-8. Fails with what the library says is wrong with it.
  static Result<TextPattern> compiled(std::string_view regex);
  /// Of a text that stands for itself.
  static Result<TextPattern> literal(std::string_view text);

  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;
  ~TextPattern();

  /// The text, cut into what matches and what is between. A match that takes more than the
  /// library's ten million steps back ends the search: what is left is one part.
  std::vector<TextPart> parts(std::string_view text) const;

 private:
  struct Compiled;
  explicit TextPattern(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

}  // namespace ba
