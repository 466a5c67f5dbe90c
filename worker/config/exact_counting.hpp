#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whose providers are asked for exact counts: token_encoders.yaml says it of names of models, this
// of the configured ones. Pure functions.

#include <map>
#include <string>

#include "worker/config/config.hpp"
#include "worker/llm/count_form.hpp"

namespace ba::config {

/// Who counts for a configured model, whether it is to be asked or not. InvalidArgument: nobody, or
/// what is named doesn't fit.
Result<llm::CountApi> exact_count_api(const LoadedConfig& loaded, const llm::ModelConfig& model,
                                      const llm::ProviderConfig& provider);

/// By their names: models with `use_exact_counting`, with who counts for them.
std::map<std::string, llm::CountApi> exact_count_apis(const LoadedConfig& loaded);

/// Adds to the findings: models that nobody counts for, though it is asked for.
void check_exact_counting(LoadedConfig& loaded);

}  // namespace ba::config
