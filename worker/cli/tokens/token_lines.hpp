#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts of tokens, one line of JSON at a time. One thread.

#include <string>
#include <string_view>

#include "pipeline/text/token/token_profile.hpp"
#include "worker/cli/program/arguments.hpp"
#include "worker/config/text_counter.hpp"

namespace ba {

/// Counts as a command was told: exactly, with a model's margin, or by the cheap estimate. Fails
/// where a file of a tokenizer can't be used.
Result<TextCounter> token_count(const TokensCountArguments& arguments,
                                const TokenProfiles& profiles);

struct TokenLine {
  std::string text;  ///< {"id", "count"}, or {"id", "error"}
  bool good = true;
};

/// Of {"id", "text"}. A broken escape or byte counts as U+FFFD, as in any other text.
TokenLine answer_token_line(const TextCounter& count, std::string_view line);

std::string refused_token_line(const std::string& why);

}  // namespace ba
