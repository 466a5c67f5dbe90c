// SPDX-License-Identifier: Apache-2.0
#include "pipeline/outbox/closed_topics.hpp"

#include <algorithm>
#include <utility>

namespace ba {
namespace {

constexpr int kDoublingsMax = 16;

}  // namespace

void ClosedTopics::close(const Topics& batch, const Topics& closed, std::string why) {
  for (const std::string& topic : batch) topics_.erase(topic);
  topics_.insert(closed.begin(), closed.end());
  trying_ = false;
  ++times_;
  why_ = std::move(why);
}

void ClosedTopics::sent(const Topics& batch) {
  for (const std::string& topic : batch) topics_.erase(topic);
  if (topics_.empty()) reset();
}

Milliseconds ClosedTopics::wait(Milliseconds min, Milliseconds max) const {
  const int doublings = std::clamp(times_ - 1, 0, kDoublingsMax);
  return std::min(max, min * (1 << doublings));
}

}  // namespace ba
