// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/known_verdicts.hpp"

#include <utility>

namespace ba {
namespace {

constexpr std::size_t kKnownMax = 100;

}  // namespace

void KnownVerdicts::clear() {
  known_.clear();
  order_.clear();
  dropped_.clear();
}

std::optional<KnownVerdicts::Known> KnownVerdicts::find(const std::string& key) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void KnownVerdicts::remember(const std::string& key, Known known) {
  forget(key);
  if (order_.size() >= kKnownMax) forget(std::string(order_.front()));
  known_[key] = std::move(known);
  order_.push_back(key);
}

void KnownVerdicts::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  drop(found->second.name);
  known_.erase(found);
  order_.remove(key);
}

void KnownVerdicts::forget_all() {
  while (!order_.empty()) forget(std::string(order_.front()));
}

std::vector<std::string> KnownVerdicts::take_dropped() { return std::exchange(dropped_, {}); }

}  // namespace ba
