#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts of tokens, one line of JSON at a time, and by a model's provider. One thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/text/token/token_profile.hpp"
#include "worker/cli/program/answer_lines.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/config/text_counter.hpp"
#include "worker/llm/count_form.hpp"

namespace ba::cli {

struct TokensCountArguments {
  /// By one of these; by none, if only an estimate is wanted.
  std::string encoding;
  std::string model;
  std::string tokenizer;  ///< the name of a tokenizer.json
  bool margin = false;
  bool provider = false;  ///< the model's provider is asked
  bool estimate = false;
  bool jsonl = false;
  std::vector<std::string> files;  ///< at least one; empty or "-": standard input
};

/// Counts as a command was told: exactly, with a model's margin, or by the cheap estimate. Fails
/// where a file of a tokenizer can't be used.
Result<config::TextCounter> token_count(const TokensCountArguments& arguments,
                                        const TokenProfiles& profiles);

/// Of {"id", "text"}: {"id", "count"}, or {"id", "error"}. A broken escape or byte counts as
/// U+FFFD, as in any other text.
LineAnswer answer_token_line(const config::TextCounter& count, std::string_view line);

LineAnswer refused_token_line(const std::string& why);

/// What the provider calls a model that `llm.models` has under this name; any other name as it is.
/// Tokens are counted by that, as in a worker.
std::string model_id_of(const llm::LlmConfig& llm, const std::string& name);

/// Who is asked about the tokens of a configured model (by its name or id), as a worker would be.
/// InvalidArgument where there is nobody.
Result<llm::CountApi> counting_api(const config::LoadedConfig& loaded, const std::string& model);

/// Asks, without a margin. Where nobody answers, a message says so and `otherwise` counts.
/// InvalidArgument where there is nobody to ask. All outlive what is returned.
Result<config::TextCounter> provider_counter(const config::LoadedConfig& loaded,
                                             const std::string& model,
                                             config::TextCounter otherwise, Terminal& terminal);

}  // namespace ba::cli
