#pragma once
// SPDX-License-Identifier: Apache-2.0
// The partitions that the group gave this consumer: where each stands, and what the library was
// told about it (it can't be asked). Owned by the intake loop; polling thread only.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/time.hpp"
#include "worker/kafka/client.hpp"
#include "worker/kafka/kafka_intake_consumer.hpp"

namespace ba::kafka {

using PartitionKey = std::pair<std::string, int>;

class AssignedPartitions {
 public:
  /// Lets all partitions go. The library keeps a pause beyond the assignment, so it is lifted:
  /// else a partition that comes back would never be read again.
  void release(rd_kafka_t& client);

  /// Adds these partitions, or sets them anew, at the ledger's offsets and epochs.
  void start(const std::vector<PartitionOffset>& offsets);

  /// Tells the library to read all partitions from where they stand. It forgets pauses.
  rd_kafka_resp_err_t assign(rd_kafka_t& client);

  /// Pauses and resumes exactly what changed: resuming a partition that isn't paused would rewind
  /// it.
  void pause(rd_kafka_t& client, bool all, const std::set<std::string>& topics);

  /// A record was taken: moves its partition's position and notes the epoch it was read in.
  void took(RecordSource& source);

  /// True when the ledger's offset moved on: worth committing.
  bool acknowledged(const PartitionOffset& next);

  /// The ledger's offset isn't in the log. What the ledger knows of the partition; none: not ours.
  std::optional<PartitionOffset> out_of_range(const PartitionKey& key, bool stop);

  std::vector<PartitionLag> lags(rd_kafka_t& client) const;

 private:
  struct Partition {
    std::int64_t next = -1;      ///< acknowledged, or where it started
    std::int64_t position = -1;  ///< to be taken next; -1: the beginning of the log
    int epoch = 0;
    bool paused = false;
    bool stopped = false;
  };

  void lift_pauses(rd_kafka_t& client);

  std::map<PartitionKey, Partition> partitions_;
};

PartitionList make_partition_list();
rd_kafka_topic_partition_t& add_to(const PartitionList& list, const PartitionKey& key);

/// Offsets on their way to Kafka, as information for lag tools: the ledger's offsets count, so a
/// failed commit is not repeated. Owned by the intake loop; polling thread only.
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

}  // namespace ba::kafka
