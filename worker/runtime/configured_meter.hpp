#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts tokens of texts as the configuration says of each model. One thread.

#include <map>
#include <memory>
#include <string>

#include "pipeline/core/context/context_view.hpp"
#include "worker/config/config.hpp"
#include "worker/config/text_counter.hpp"

namespace ba {

class ConfiguredMeter final : public TokenMeter {
 public:
  /// Fails where a model's file of a tokenizer can't be used.
  static Result<std::unique_ptr<ConfiguredMeter>> of(const LoadedConfig& loaded);

  std::int64_t count(const std::string& model, std::string_view text) override;
  std::int64_t margin_millionths(const std::string& model) const override;

 private:
  struct Model {
    TextCounter count;
    std::int64_t margin_millionths = 1'000'000;
  };

  std::map<std::string, Model> models_;  ///< by the configured name
};

}  // namespace ba
