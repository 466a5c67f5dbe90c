#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes metrics and series on one registry of prometheus-cpp. Inside worker/observe, for
// metric_families.hpp.

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "worker/observe/series.hpp"

namespace ba {

/// What a family takes; later names count under "other".
inline constexpr std::size_t kSeriesMax = 200;

/// A counter that follows the total which some part of the process counts by itself.
class RunningTotal {
 public:
  explicit RunningTotal(prometheus::Counter& counter) : counter_(counter) {}

  void set(std::int64_t total) {
    const std::int64_t before = last_.exchange(total);
    const std::int64_t more = total >= before ? total - before : total;
    if (more > 0) counter_.Increment(static_cast<double>(more));
  }

 private:
  prometheus::Counter& counter_;
  std::atomic<std::int64_t> last_{0};
};

/// Running totals of one family, one for each of a closed set of names; all are shown from the
/// start.
class RunningTotals {
 public:
  RunningTotals(prometheus::Family<prometheus::Counter>& family, const char* label,
                std::initializer_list<const char*> names) {
    for (const char* name : names) totals_.try_emplace(name, family.Add({{label, name}}));
  }

  /// `name` is one of them.
  void set(std::string_view name, std::int64_t total) { totals_.find(name)->second.set(total); }

 private:
  std::map<std::string, RunningTotal, std::less<>> totals_;
};

/// Makes families on one registry.
class MetricMaker {
 public:
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  using Histogram = prometheus::Histogram;
  using Buckets = Histogram::BucketBoundaries;

  explicit MetricMaker(prometheus::Registry& registry) : registry_(registry) {}

  Counter& counter(const char* name, const char* help) {
    return counter_family(name, help).Add({});
  }
  Gauge& gauge(const char* name, const char* help) { return gauge_family(name, help).Add({}); }
  Histogram& histogram(const char* name, const char* help, const Buckets& buckets) {
    return histogram_family(name, help).Add({}, buckets);
  }

  RunningTotals totals(const char* name, const char* help, const char* label,
                       std::initializer_list<const char*> names) {
    return {counter_family(name, help), label, names};
  }

  template <std::size_t Labels>
  Series<Counter, Labels> counters(const char* name, const char* help,
                                   std::array<const char*, Labels> labels) {
    auto& family = counter_family(name, help);
    return {labels, kSeriesMax,
            [&family](const prometheus::Labels& set) -> Counter& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Gauge, Labels> gauges(const char* name, const char* help,
                               std::array<const char*, Labels> labels) {
    auto& family = gauge_family(name, help);
    return {labels, kSeriesMax,
            [&family](const prometheus::Labels& set) -> Gauge& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Histogram, Labels> histograms(const char* name, const char* help,
                                       std::array<const char*, Labels> labels,
                                       const Buckets& buckets) {
    auto& family = histogram_family(name, help);
    return {labels, kSeriesMax, [&family, &buckets](const prometheus::Labels& set) -> Histogram& {
              return family.Add(set, buckets);
            }};
  }

 private:
  prometheus::Family<Counter>& counter_family(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<Gauge>& gauge_family(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<Histogram>& histogram_family(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  }

  prometheus::Registry& registry_;
};

template <std::size_t N>
constexpr std::array<const char*, N> labels(const char* const (&names)[N]) {
  std::array<const char*, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = names[i];
  return out;
}

}  // namespace ba
