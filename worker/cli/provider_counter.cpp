// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/provider_counter.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/token/well_formed.hpp"
#include "worker/llm/provider_count.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{30'000};

const ModelConfig* model_of(const LlmConfig& llm, const std::string& name) {
  const auto found = std::ranges::find_if(llm.models, [&](const ModelConfig& model) {
    return model.name == name || model.model_id == name;
  });
  return found == llm.models.end() ? nullptr : &*found;
}

const ProviderConfig* provider_of(const LlmConfig& llm, const ModelConfig& model) {
  const auto found = std::ranges::find(llm.providers, model.provider, &ProviderConfig::name);
  return found == llm.providers.end() ? nullptr : &*found;
}

}  // namespace

std::string model_id_of(const LlmConfig& llm, const std::string& name) {
  if (name.empty()) return name;  // which is the default model to llm.model()
  const ModelConfig* model = llm.model(name);
  return model == nullptr || model->model_id.empty() ? name : model->model_id;
}

const ProviderConfig* counting_provider(const LlmConfig& llm, const std::string& model) {
  const ModelConfig* configured = model_of(llm, model);
  const ProviderConfig* provider = configured ? provider_of(llm, *configured) : nullptr;
  return provider && counts_tokens(*provider) ? provider : nullptr;
}

Result<TextCounter> provider_counter(const LlmConfig& llm, const std::string& model,
                                     TextCounter otherwise, Terminal& terminal) {
  const ProviderConfig* provider = counting_provider(llm, model);
  if (!provider)
    return invalid_argument("nobody can be asked about the tokens of '" + model +
                            "': under llm.models there is no such model of a provider with an "
                            "endpoint that counts (protocol anthropic)");
  return TextCounter([provider, id = model_of(llm, model)->model_id,
                      otherwise = std::move(otherwise), &terminal](std::string_view text) {
    const auto count = counted_by_provider(*provider, id, well_formed(text), kPatience);
    if (count) return *count;
    terminal.message(printable(count.error().message + "; counted here instead, with the margin"));
    return otherwise(text);
  });
}

}  // namespace ba
