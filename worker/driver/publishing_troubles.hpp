#pragma once
// SPDX-License-Identifier: Apache-2.0
// What goes wrong while a life publishes, over all its shards: which of it is told in the log,
// since all shards meet the same trouble again and again, and what readiness says. A value of the
// incarnation; control thread only.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/repeats.hpp"

namespace ba::driver {

class PublishingTroubles {
 public:
  explicit PublishingTroubles(Milliseconds quiet) : repeats_(quiet) {}

  /// A step of the shard failed. Tell it? Then the value is how many like it were kept quiet.
  std::optional<std::int64_t> failed(int shard, const Error& error, SteadyTime now);

  void published(int shard) { denied_.erase(shard); }

  /// Whether one shard of this life was fenced again and again of late. Within one installation who
  /// takes a shard over fences its last owner once, which then learns from the ledger that it has
  /// lost it; somebody who doesn't know of this ledger goes on fencing.
  bool contested(SteadyTime now) const;

  /// What the brokers deny some shard whose last step failed so; empty: nothing.
  std::string denied() const { return denied_.empty() ? "" : denied_.begin()->second; }

 private:
  Repeats repeats_;
  std::map<int, std::string> denied_;
  std::map<int, std::deque<SteadyTime>> fenced_;  ///< the last times
};

}  // namespace ba::driver
