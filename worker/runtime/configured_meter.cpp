// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/configured_meter.hpp"

namespace ba {

Result<std::unique_ptr<ConfiguredMeter>> ConfiguredMeter::of(const LoadedConfig& loaded) {
  const auto counters = text_counters(loaded);
  if (!counters) return counters.error();
  auto meter = std::make_unique<ConfiguredMeter>();
  for (const ModelConfig& model : loaded.config.llm.models)
    meter->models_[model.name] = {
        counters->at(model.name),
        loaded.token_encoders.profiles.of(model.model_id).margin_millionths};
  return meter;
}

std::int64_t ConfiguredMeter::count(const std::string& model, std::string_view text) {
  return models_.at(model).count(text);
}

std::int64_t ConfiguredMeter::margin_millionths(const std::string& model) const {
  return models_.at(model).margin_millionths;
}

}  // namespace ba
