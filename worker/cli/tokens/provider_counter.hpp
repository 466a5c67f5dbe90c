#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts of tokens by a model's provider, for `tokens count`. One thread.

#include <string>

#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/config/text_counter.hpp"
#include "worker/llm/count_api.hpp"

namespace ba {

/// What the provider calls a model that `llm.models` has under this name; any other name as it is.
/// Tokens are counted by that, as in a worker.
std::string model_id_of(const LlmConfig& llm, const std::string& name);

/// Who is asked about the tokens of a configured model (by its name or id), as a worker would be.
/// InvalidArgument where there is nobody.
Result<CountApi> counting_api(const LoadedConfig& loaded, const std::string& model);

/// Asks, without a margin. Where nobody answers, a message says so and `otherwise` counts.
/// InvalidArgument where there is nobody to ask. All outlive what is returned.
Result<TextCounter> provider_counter(const LoadedConfig& loaded, const std::string& model,
                                     TextCounter otherwise, Terminal& terminal);

}  // namespace ba
