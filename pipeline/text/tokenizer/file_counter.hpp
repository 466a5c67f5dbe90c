#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens a text has by a tokenizer file: what the package's
// `len(tokenizer.encode(text, add_special_tokens=False))` is. Keeps the counts of pieces that it
// met. One thread each.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "pipeline/text/tokenizer/tokenizer_file.hpp"

namespace ba {

class FileCounter {
 public:
  explicit FileCounter(TokenizerFile file);

  /// What isn't well-formed UTF-8 counts as U+FFFD.
  std::int64_t count(std::string_view text);

 private:
  std::int64_t between_added(std::string_view text);
  std::int64_t of_piece(const std::string& piece);

  static constexpr std::size_t kKnownMax = 65'536;
  static constexpr std::size_t kPieceBytesMax = 64;

  const std::vector<NormalForm> normal_forms_;
  const std::vector<CutStep> cut_steps_;
  const VocabularyMerges model_;
  const AddedTokens as_written_;
  const AddedTokens as_normalized_;
  std::unordered_map<std::string, std::int64_t> known_;
};

}  // namespace ba
