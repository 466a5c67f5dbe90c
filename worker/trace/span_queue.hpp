#pragma once
// SPDX-License-Identifier: Apache-2.0
// Spans on their way from the thread that tells them to the one that sends them. Bounded; whoever
// adds never waits: what doesn't fit is dropped and counted. Any thread.

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/base/time.hpp"

namespace ba::trace {

// One span as OpenTelemetry knows it. A value; built on the control thread, sent by another.

/// By the numbers of OTLP.
enum class SpanKind { Internal = 1, Server = 2, Client = 3, Producer = 4, Consumer = 5 };

using AttributeValue =
    std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

struct SpanAttribute {
  std::string name;
  AttributeValue value;

  friend bool operator==(const SpanAttribute&, const SpanAttribute&) = default;
};

/// Longer texts of one attribute are cut, so that a span is small whatever a model invents.
inline constexpr std::size_t kAttributeBytesMax = 1024;

struct Span {
  std::string trace_id;   ///< 32 hex digits
  std::string span_id;    ///< 16
  std::string parent_id;  ///< 16; empty: it is the trace's first
  std::string trace_state;
  bool remote_parent = false;  ///< the parent is another process's
  std::string name;
  SpanKind kind = SpanKind::Internal;
  WallTime start{};
  WallTime end{};
  std::vector<SpanAttribute> attributes;
  bool failed = false;
  std::string failure;  ///< a few words, where it failed

  /// Texts are cut to `bytes_max`, between code points.
  void set(std::string_view attribute, std::string_view text,
           std::size_t bytes_max = kAttributeBytesMax);
  void set(std::string_view attribute, std::int64_t number) { add(attribute, number); }
  void set(std::string_view attribute, bool yes) { add(attribute, yes); }
  void set(std::string_view attribute, double number) { add(attribute, number); }
  void set(std::string_view attribute, std::vector<std::string> texts) {
    add(attribute, std::move(texts));
  }
  void set(std::string_view attribute, const char* text) { set(attribute, std::string_view(text)); }
  void set(std::string_view attribute, int number) { add(attribute, std::int64_t{number}); }

  friend bool operator==(const Span&, const Span&) = default;

 private:
  void add(std::string_view attribute, AttributeValue value) {
    attributes.push_back({std::string(attribute), std::move(value)});
  }
};

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

}  // namespace ba::trace
