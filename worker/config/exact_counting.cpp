// SPDX-License-Identifier: Apache-2.0
#include "worker/config/exact_counting.hpp"

namespace ba::config {

Result<llm::CountApi> exact_count_api(const LoadedConfig& loaded, const llm::ModelConfig& model,
                                      const llm::ProviderConfig& provider) {
  return llm::count_api(provider, model,
                        loaded.token_encoders.profiles.of(model.model_id).exact_counting_api);
}

std::map<std::string, llm::CountApi> exact_count_apis(const LoadedConfig& loaded) {
  std::map<std::string, llm::CountApi> apis;
  for (const llm::ModelConfig& model : loaded.config.llm.models) {
    if (!loaded.token_encoders.profiles.of(model.model_id).use_exact_counting) continue;
    const llm::ProviderConfig* provider = loaded.config.llm.provider(model.provider);
    if (provider == nullptr) continue;
    if (const auto api = exact_count_api(loaded, model, *provider)) apis.emplace(model.name, *api);
  }
  return apis;
}

void check_exact_counting(LoadedConfig& loaded) {
  if (!loaded.token_encoders.findings.problems.empty()) return;  // which say what is wrong
  for (const llm::ModelConfig& model : loaded.config.llm.models) {
    if (!loaded.token_encoders.profiles.of(model.model_id).use_exact_counting) continue;
    const llm::ProviderConfig* provider = loaded.config.llm.provider(model.provider);
    const std::string key = "llm.models." + model.name;
    if (provider == nullptr || loaded.findings.is_wrong("llm.providers." + provider->name))
      continue;
    const auto api = exact_count_api(loaded, model, *provider);
    if (!api)
      loaded.findings.error(loaded.findings.place_of(key), key, SettingProblem::Kind::Conflict,
                            "its tokens are to be counted exactly (use_exact_counting in " +
                                loaded.token_encoders.file + "), but " + api.error().message);
  }
}

}  // namespace ba::config
