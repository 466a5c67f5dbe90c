// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/configured_meter.hpp"

#include <utility>

namespace ba {

Result<std::unique_ptr<ConfiguredMeter>> ConfiguredMeter::of(const LoadedConfig& loaded) {
  auto meter = std::make_unique<ConfiguredMeter>();
  // Models with the same tokenizer share its counter.
  std::map<std::pair<std::string, std::string>, TextCounter> counters;
  for (const ModelConfig& model : loaded.config.llm.models) {
    const TokenProfile profile = loaded.token_encoders.profiles.of(model.model_id);
    TextCounter& counter = counters[{profile.encoding_name, profile.tokenizer_file}];
    if (!counter) {
      Result<TextCounter> made = text_counter(profile);
      if (!made)
        return invalid_argument("the tokenizer of llm.models." + model.name + ": " +
                                made.error().message);
      counter = std::move(*made);
    }
    meter->models_[model.name] = {counter, profile.margin_millionths};
  }
  return meter;
}

std::int64_t ConfiguredMeter::count(const std::string& model, std::string_view text) {
  return models_.at(model).count(text);
}

std::int64_t ConfiguredMeter::margin_millionths(const std::string& model) const {
  return models_.at(model).margin_millionths;
}

}  // namespace ba
