#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens a text has, exactly, in one of the encodings whose vocabularies come with the
// program. Special tokens are text like any other. What isn't well-formed UTF-8 counts as U+FFFD,
// one for each longest part of a character that broke off, as Python's and browsers' decoders have
// it. One thread each: a counter keeps the counts of pieces it has met (3 MiB).

#include <cstdint>
#include <memory>
#include <string_view>

#include "pipeline/base/enum_names.hpp"

namespace ba {

enum class TokenEncoding { Cl100kBase, O200kBase };
inline constexpr EnumNames<TokenEncoding, 2> kTokenEncodingNames{
    {{TokenEncoding::Cl100kBase, "cl100k_base"}, {TokenEncoding::O200kBase, "o200k_base"}}};

class TokenCounter {
 public:
  explicit TokenCounter(TokenEncoding encoding);
  TokenCounter(TokenCounter&&) noexcept;
  ~TokenCounter();

  std::int64_t count(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ba
