// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/span_queue.hpp"

#include <algorithm>
#include <iterator>

namespace ba::trace {

std::size_t SpanQueue::add(Span span) {
  const std::lock_guard lock(mutex_);
  if (spans_.size() >= spans_max_) {
    ++counts_.dropped_full;
    return 0;
  }
  spans_.push_back(std::move(span));
  return spans_.size();
}

std::vector<Span> SpanQueue::take(std::size_t spans_max) {
  const std::lock_guard lock(mutex_);
  const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(std::min(spans_max, spans_.size()));
  std::vector<Span> taken(std::make_move_iterator(spans_.begin()), std::make_move_iterator(end));
  spans_.erase(spans_.begin(), end);
  return taken;
}

std::size_t SpanQueue::size() const {
  const std::lock_guard lock(mutex_);
  return spans_.size();
}

void SpanQueue::count(Counter counter, std::int64_t spans) {
  const std::lock_guard lock(mutex_);
  counts_.*counter += spans;
}

SpanCounts SpanQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace ba::trace
