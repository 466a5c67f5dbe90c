#pragma once
// SPDX-License-Identifier: Apache-2.0
// Offsets on their way to Kafka, as information for lag tools: the ledger's offsets count, so a
// failed commit is not repeated. Owned by the intake loop; polling thread only.

#include <chrono>
#include <map>

#include "pipeline/base/time.hpp"
#include "worker/kafka/assigned_partitions.hpp"
#include "worker/kafka/client.hpp"

namespace ba {

class OffsetCommits {
 public:
  explicit OffsetCommits(Milliseconds interval) : interval_(interval) {}

  void add(const PartitionOffset& offset) {
    waiting_[{offset.topic, offset.partition}] = offset.next_offset;
  }
  void clear() { waiting_.clear(); }

  /// Sends what waits, at most once an interval unless `now`.
  void send(rd_kafka_t& client, bool now);

  /// Kafka answered one. True when a person should know.
  bool answered(rd_kafka_resp_err_t code);

  bool under_way() const { return under_way_ > 0; }

 private:
  using SteadyClock = std::chrono::steady_clock;

  Milliseconds interval_;
  std::map<PartitionKey, std::int64_t> waiting_;
  SteadyClock::time_point sent_at_;
  int under_way_ = 0;
};

}  // namespace ba
