#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is to be published: records that wait for Kafka, and the state of the shards. Values.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/core/job/outcome.hpp"

namespace ba {

using Headers = std::vector<std::pair<std::string, std::string>>;  ///< in order, names may repeat

/// A record for a topic, to be published exactly once. Written by the transaction that decides it.
struct OutboxRecord {
  ResultId result_id;  ///< unique over the outbox
  int shard = 0;       ///< shard_of(tenant, job)
  std::string topic;
  std::string key;
  std::string value;
  Headers headers;

  friend bool operator==(const OutboxRecord&, const OutboxRecord&) = default;
};

struct ShardState {
  int shard = 0;
  std::int64_t assigned_batch = 0;   ///< 0: none was ever assigned
  std::int64_t published_batch = 0;  ///< all after it were withdrawn, but the last may be in flight
};

struct OutboxBatch {
  int shard = 0;
  std::int64_t number = 0;  ///< 0: there was nothing to assign
  std::vector<OutboxRecord> records;
  std::int64_t version = 0;  ///< of the shard's row, which each change of it changes
};

/// Which batch of a shard is wanted.
struct BatchRequest {
  int shard = 0;
  std::int64_t published = 0;  ///< the newest batch that is known to be out; 0: none
  int records_max = 0;
  std::set<std::string> without;  ///< topics whose records wait, in the order they have
};

/// Puts another record in the place of one that Kafka refuses for what it is; `record.result_id`
/// says which. `result` is the job's terminal row from then on, where the record is its result.
struct RecordReplacement {
  OutboxRecord record;
  std::optional<JobResult> result;
};

}  // namespace ba
