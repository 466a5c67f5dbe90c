#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts of tokens by a model's provider, for `tokens count`. One thread.

#include <optional>
#include <string>

#include "worker/cli/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/config/text_counter.hpp"

namespace ba {

/// What the provider calls a model that `llm.models` has under this name; any other name as it is.
/// Tokens are counted by that, as in a worker.
std::string model_id_of(const LlmConfig& llm, const std::string& name);

/// The provider that can be asked about the tokens of a configured model (by its name or id).
const ProviderConfig* counting_provider(const LlmConfig& llm, const std::string& model);

/// Asks it, without a margin. Where it doesn't answer, a message says so and `otherwise` counts.
/// InvalidArgument where there is nobody to ask. All outlive what is returned.
Result<TextCounter> provider_counter(const LlmConfig& llm, const std::string& model,
                                     TextCounter otherwise, Terminal& terminal);

}  // namespace ba
