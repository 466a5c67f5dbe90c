#pragma once
// SPDX-License-Identifier: Apache-2.0
// Series of one Prometheus family by one or two names, found without building labels again. The
// number of series is bounded: names beyond it share the series "other". Any thread.

#include <prometheus/family.h>

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ba {

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

}  // namespace ba
