#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts of tokens, one line of JSON at a time. One thread.

#include <string>
#include <string_view>

#include "pipeline/token/token_profile.hpp"
#include "worker/cli/arguments.hpp"

namespace ba {

/// Counts as a command was told: exactly, with a model's margin, or by the cheap estimate.
class TokenCount {
 public:
  explicit TokenCount(const TokensCountArguments& arguments);

  std::int64_t of(std::string_view text);

 private:
  const TokensCountArguments& arguments_;
  const TokenProfile profile_;
  TokenCounter counter_;
};

struct TokenLine {
  std::string text;  ///< {"id", "count"}, or {"id", "error"}
  bool good = true;
};

/// Of {"id", "text"}. A broken escape or byte counts as U+FFFD, as in any other text.
TokenLine answer_token_line(TokenCount& count, std::string_view line);

std::string refused_token_line(const std::string& why);

}  // namespace ba
