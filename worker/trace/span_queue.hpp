#pragma once
// SPDX-License-Identifier: Apache-2.0
// Spans on their way from the thread that tells them to the one that sends them. Bounded; whoever
// adds never waits: what doesn't fit is dropped and counted. Any thread.

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "worker/trace/span.hpp"

namespace ba {

/// What became of all spans so far.
struct SpanCounts {
  std::int64_t exported = 0;
  std::int64_t dropped_full = 0;         ///< the queue was full
  std::int64_t dropped_refused = 0;      ///< the collector would not have them
  std::int64_t dropped_unreachable = 0;  ///< it could not be reached, or was busy for too long
  std::int64_t dropped_at_end = 0;       ///< the worker stopped first

  friend bool operator==(const SpanCounts&, const SpanCounts&) = default;
};

class SpanQueue {
 public:
  explicit SpanQueue(std::size_t spans_max) : spans_max_(spans_max) {}

  /// How many wait now; 0 when the span was dropped.
  std::size_t add(Span span);

  /// The oldest, at most so many.
  std::vector<Span> take(std::size_t spans_max);

  std::size_t size() const;

  using Counter = std::int64_t SpanCounts::*;
  void count(Counter counter, std::int64_t spans);
  SpanCounts counts() const;

 private:
  const std::size_t spans_max_;
  mutable std::mutex mutex_;
  std::deque<Span> spans_;
  SpanCounts counts_;
};

}  // namespace ba
