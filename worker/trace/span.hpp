#pragma once
// SPDX-License-Identifier: Apache-2.0
// One span as OpenTelemetry knows it. A value; built on the control thread, sent by another.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/base/time.hpp"

namespace ba {

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

}  // namespace ba
