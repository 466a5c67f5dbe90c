#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes metrics and series on one registry of prometheus-cpp. Inside worker/observe, for
// metric_families.hpp.

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ba::observe {

/// Series of one Prometheus family by one or two names, found without building labels again. The
/// number of series is bounded: names beyond it share the series "other". Any thread.
template <typename Metric, std::size_t Labels>
class Series {
 public:
  using Names = std::array<std::string_view, Labels>;
  using Make = std::function<Metric&(const prometheus::Labels&)>;

  Series(std::array<const char*, Labels> labels, std::size_t series_max, Make make)
      : labels_(labels), series_max_(series_max), make_(std::move(make)) {}

  Metric& at(const Names& names) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = known_.find(names); found != known_.end()) return *found->second;
    }
    const std::unique_lock lock(mutex_);
    return add(names);
  }

 private:
  using Key = std::array<std::string, Labels>;

  struct Less {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      for (std::size_t i = 0; i < Labels; ++i) {
        const int order = std::string_view(a[i]).compare(std::string_view(b[i]));
        if (order != 0) return order < 0;
      }
      return false;
    }
  };

  Metric& add(Names names) {
    if (known_.size() >= series_max_) names.fill("other");
    if (const auto found = known_.find(names); found != known_.end()) return *found->second;
    prometheus::Labels labels;
    Key key;
    for (std::size_t i = 0; i < Labels; ++i) {
      key[i] = names[i];
      labels.emplace(labels_[i], key[i]);
    }
    Metric& metric = make_(labels);
    known_.emplace(std::move(key), &metric);
    return metric;
  }

  const std::array<const char*, Labels> labels_;
  const std::size_t series_max_;
  const Make make_;
  std::shared_mutex mutex_;
  std::map<Key, Metric*, Less> known_;
};

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
                                   const char* const (&labels)[Labels]) {
    auto& family = counter_family(name, help);
    return {std::to_array(labels), kSeriesMax,
            [&family](const prometheus::Labels& set) -> Counter& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Gauge, Labels> gauges(const char* name, const char* help,
                               const char* const (&labels)[Labels]) {
    auto& family = gauge_family(name, help);
    return {std::to_array(labels), kSeriesMax,
            [&family](const prometheus::Labels& set) -> Gauge& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Histogram, Labels> histograms(const char* name, const char* help,
                                       const char* const (&labels)[Labels],
                                       const Buckets& buckets) {
    auto& family = histogram_family(name, help);
    return {std::to_array(labels), kSeriesMax,
            [&family, &buckets](const prometheus::Labels& set) -> Histogram& {
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

}  // namespace ba::observe
