#pragma once
// SPDX-License-Identifier: Apache-2.0
// A member of the consumer group of the job topics, as a port. A partition starts at the ledger's
// offset (at the beginning of its log where the ledger has none), not at Kafka's; offsets go to
// Kafka afterwards, as information for lag tools. The real one is in worker/kafka.
// All functions: control thread, never blocking, unless said otherwise.

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/intake/raw_record.hpp"

namespace ba {

/// Called on the control thread. All are required.
struct IntakeEvents {
  /// These partitions were assigned: answer with the ledger's offsets (Ledger::intake_offsets). An
  /// error is asked again after a moment; meanwhile nothing is fetched.
  std::function<void(std::vector<PartitionOffset>, Completion<std::vector<PartitionOffset>>)>
      start_offsets;
  /// The log no longer holds the ledger's offset of this partition, and on_offset_out_of_range is
  /// earliest: begin a new epoch (Ledger::reset_intake). Afterwards start_offsets is asked again.
  std::function<void(PartitionOffset, Completion<PartitionOffset>)> begin_epoch;
  /// Records in the order of their partitions. Each must be acknowledged.
  std::function<void(std::vector<RawRecord>)> records;
  /// Something a person should know: a partition stopped because its offset is out of range,
  /// authorisation is missing, the group threw us out. Intake goes on as far as it can.
  std::function<void(Error)> trouble;
};

struct PartitionLag {
  std::string topic;
  int partition = 0;
  std::int64_t next_offset = -1;  ///< acknowledged so far; -1: nothing yet
  std::int64_t end_offset = -1;   ///< end of the log, as last fetched; -1: not known
  std::int64_t lag = 0;           ///< not yet acknowledged
  bool paused = false;
  bool stopped = false;  ///< out of range, see trouble

  friend bool operator==(const PartitionLag&, const PartitionLag&) = default;
};

/// A snapshot for metrics and readiness, at most a second old.
struct IntakeState {
  bool connected = false;  ///< some broker answers
  bool assigned = false;   ///< member of the group, with start offsets (maybe of no partition)
  std::int64_t rebalances = 0;
  std::int64_t records = 0;  ///< handed over since the start
  std::int64_t outstanding = 0;
  std::vector<PartitionLag> partitions;
};

class IntakeConsumer {
 public:
  virtual ~IntakeConsumer() = default;  ///< leaves the group (may block)

  /// The ledger has committed `records` records: they no longer count as outstanding, and the
  /// offsets go to Kafka, for partitions still assigned.
  virtual void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) = 0;

  /// Exactly these job topics are paused from now on, also in later assignments.
  virtual void set_paused(std::set<std::string> topics) = 0;

  /// Stops fetching, commits the acknowledged offsets, leaves the group, then answers. No records
  /// come after this call.
  virtual void close(std::function<void()> done) = 0;

  virtual IntakeState state() const = 0;  ///< any thread
};

/// Joins the group; what `events` refer to outlives the consumer.
using MakeIntakeConsumer =
    std::function<Result<std::unique_ptr<IntakeConsumer>>(IntakeEvents events)>;

}  // namespace ba
