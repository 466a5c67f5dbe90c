// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/closed_topics.hpp"

#include <algorithm>
#include <utility>

namespace ba {
namespace {

constexpr int kDoublingsMax = 16;

}  // namespace

void ClosedTopics::close(const Topics& batch, const Reasons& closed) {
  forget(batch);
  for (const auto& [topic, why] : closed) {
    reasons_[topic] = why;
    left_out_.insert(topic);
  }
  if (std::exchange(trying_, false)) ++times_;
}

void ClosedTopics::try_again() {
  left_out_.clear();
  trying_ = true;
}

void ClosedTopics::forget(const Topics& topics) {
  for (const std::string& topic : topics) {
    reasons_.erase(topic);
    left_out_.erase(topic);
  }
}

void ClosedTopics::sent(const Topics& batch) {
  forget(batch);
  if (reasons_.empty()) *this = {};
}

Milliseconds ClosedTopics::wait(Milliseconds min, Milliseconds max) const {
  const int doublings = std::clamp(times_ - 1, 0, kDoublingsMax);
  return std::min(max, min * (1 << doublings));
}

}  // namespace ba
