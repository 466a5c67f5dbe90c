// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tokens/provider_counter.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/text/token/well_formed.hpp"
#include "worker/config/exact_counting.hpp"
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

}  // namespace

std::string model_id_of(const LlmConfig& llm, const std::string& name) {
  if (name.empty()) return name;  // which is the default model to llm.model()
  const ModelConfig* model = llm.model(name);
  return model == nullptr || model->model_id.empty() ? name : model->model_id;
}

Result<CountApi> counting_api(const LoadedConfig& loaded, const std::string& model) {
  const LlmConfig& llm = loaded.config.llm;
  const ModelConfig* configured = model_of(llm, model);
  const ProviderConfig* provider = configured ? llm.provider(configured->provider) : nullptr;
  const std::string nobody = "nobody can be asked about the tokens of '" + model + "': ";
  if (!provider) return invalid_argument(nobody + "under llm.models there is no such model");
  auto api = exact_count_api(loaded, *configured, *provider);
  if (!api) return invalid_argument(nobody + api.error().message);
  return api;
}

Result<TextCounter> provider_counter(const LoadedConfig& loaded, const std::string& model,
                                     TextCounter otherwise, Terminal& terminal) {
  const auto api = counting_api(loaded, model);
  if (!api) return api.error();
  const LlmConfig& llm = loaded.config.llm;
  const ModelConfig* configured = model_of(llm, model);
  return TextCounter([provider = llm.provider(configured->provider), api = *api,
                      id = configured->model_id, otherwise = std::move(otherwise),
                      &terminal](std::string_view text) {
    const auto count = counted_by_provider(*provider, api, id, well_formed(text), kPatience);
    if (count) return *count;
    terminal.message(printable(count.error().message + "; counted here instead, with the margin"));
    return otherwise(text);
  });
}

}  // namespace ba
