#pragma once
// SPDX-License-Identifier: Apache-2.0
// The prices of models, as they were each time that the configuration was read: a job's calls cost
// what its worker had read when the job was loaded. The adapter of the port CallPrices. Owned by
// the process; control thread only.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/core/model/model_client.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba::llm {

class PriceBook final : public CallPrices {
 public:
  static constexpr std::size_t kReadingsMax = 100;  ///< jobs with older ones get the oldest kept

  explicit PriceBook(const std::vector<ModelConfig>& models) { read(models); }

  /// The newest reading's number, for jobs that begin.
  int reading() const { return readings_.rbegin()->first; }

  void read(const std::vector<ModelConfig>& models);

  /// Of a model by its configured name, at that moment; null: not known. Reading -1: the newest.
  const ModelPrices* at(int reading, const std::string& model, WallTime moment) const;

  std::optional<std::int64_t> cost_of_call(const std::string& model, const Usage& usage,
                                           int reading, WallTime moment) const override;

  std::int64_t output_tokens_max(const std::string& model) const override;

 private:
  using Prices = std::map<std::string, ModelConfig>;
  std::map<int, Prices> readings_;
};

}  // namespace ba::llm
