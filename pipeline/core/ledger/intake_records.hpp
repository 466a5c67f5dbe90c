#pragma once
// SPDX-License-Identifier: Apache-2.0
// What intake brings: jobs, undecodable records and how far each partition was read. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

/// Where a record stood in Kafka.
struct RecordSource {
  std::string topic;
  std::string topic_id;  ///< the broker's id of the topic where known, else empty
  int partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = 0;
  int epoch = 0;  ///< of the partition's offsets in the ledger, see PartitionOffset

  friend bool operator==(const RecordSource&, const RecordSource&) = default;
};

struct IntakeJob {
  Job job;
  std::string payload;  ///< canonical protobuf bytes of the job (contract/encode_job)
  RecordSource source;
};

struct DeadLetter {
  RecordSource source;
  std::string reason;  ///< UPPER_SNAKE: BAD_JSON, MISSING_FIELD, TOO_LARGE, UNKNOWN_VERSION, …
  std::string field;   ///< path of the field, "messages[2]", or empty
  std::string message;
  std::optional<std::string> key;
  std::string value;  ///< the original bytes
  Headers headers;
  OutboxRecord record;  ///< its message on the dead-letter topic
};

struct PartitionOffset {
  std::string topic;
  std::string topic_id;
  int partition = 0;
  std::int64_t next_offset = 0;  ///< the ledger keeps the greatest it has seen of the epoch
  /// Counts how often intake of this partition began anew because its log no longer held the
  /// ledger's offset. Offsets of an older epoch say nothing about the log as it is now.
  int epoch = 0;

  friend bool operator==(const PartitionOffset&, const PartitionOffset&) = default;
};

struct IntakeBatch {
  std::vector<IntakeJob> jobs;
  std::vector<DeadLetter> dead_letters;
  std::vector<PartitionOffset> offsets;
};

}  // namespace ba
