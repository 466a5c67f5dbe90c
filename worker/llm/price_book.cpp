// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/price_book.hpp"

#include <iterator>

#include "worker/llm/reply_checks.hpp"

namespace ba::llm {

void PriceBook::read(const std::vector<ModelConfig>& models) {
  Prices prices;
  for (const ModelConfig& model : models) {
    ModelConfig& own = prices[model.name];
    own.prices = model.prices;
    own.price_changes = model.price_changes;
    own.max_output_tokens = model.max_output_tokens;
  }
  readings_.emplace(readings_.empty() ? 0 : reading() + 1, std::move(prices));
  if (readings_.size() > kReadingsMax) readings_.erase(readings_.begin());
}

const ModelPrices* PriceBook::at(int reading, const std::string& model, WallTime moment) const {
  auto prices = reading < 0 ? std::prev(readings_.end()) : readings_.find(reading);
  if (prices == readings_.end()) prices = readings_.begin();
  const auto own = prices->second.find(model);
  return own == prices->second.end() ? nullptr : own->second.prices_at(moment);
}

std::optional<std::int64_t> PriceBook::cost_of_call(const std::string& model, const Usage& usage,
                                                    int reading, WallTime moment) const {
  const ModelPrices* in_force = at(reading, model, moment);
  if (in_force == nullptr) return std::nullopt;
  return cost_of(usage, *in_force);
}

std::int64_t PriceBook::output_tokens_max(const std::string& model) const {
  const Prices& newest = readings_.rbegin()->second;
  const auto own = newest.find(model);
  return own == newest.end() ? 0 : own->second.max_output_tokens;
}

}  // namespace ba::llm
