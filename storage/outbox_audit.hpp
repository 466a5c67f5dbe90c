#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the ledger says about stopped outbox shards, for `ba-agent outbox verify`, and taking over
// what was published without its knowledge. Blocking; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/access.hpp"

namespace ba::storage {

struct StoppedShardState {
  int shard = 0;
  std::int64_t assigned_batch = 0;
  std::int64_t published_batch = 0;
  std::optional<WallTime> agreed_at;  ///< when the last batch was marked as published
  std::string reason;
};

Result<std::vector<StoppedShardState>> stopped_shards(const PgAccess& access);

/// How many shards there are, stopped or not.
Result<int> count_shards(const PgAccess& access);

struct OutboxEntry {
  int shard = 0;
  bool marked = false;  ///< as published
};
using OutboxEntries = std::unordered_map<ResultId, OutboxEntry>;

/// Of these shards: rows that are not marked, and those marked since then (none: all).
Result<OutboxEntries> outbox_entries(const PgAccess& access, const std::vector<int>& shards,
                                     const std::optional<WallTime>& since);

/// Those of `ids` that the outbox has, whenever they were marked.
Result<OutboxEntries> find_outbox_entries(const PgAccess& access, const std::vector<ResultId>& ids);

/// A committed record that the ledger has not marked, or does not know.
struct AdoptedRecord {
  OutboxRecord record;              ///< as it stands on its topic
  std::optional<JobResult> result;  ///< where it is the result of a job
  std::string payload;              ///< stands for that job's, should the ledger not know it
};

struct ShardAdoption {
  int shard = 0;
  std::int64_t receipt = 0;  ///< the shard's last committed batch; 0: no receipt
  std::vector<AdoptedRecord> records;
};

struct AdoptionReport {
  int records_marked = 0;  ///< rows that were there
  int records_added = 0;
  int jobs_ended = 0;     ///< that the ledger held to be unfinished
  int jobs_replaced = 0;  ///< whose terminal row said something else than what was published
  int jobs_added = 0;     ///< that it did not know at all; their records will come again
};

/// ONE transaction: each record is marked as published with its published bytes; each job gets the
/// terminal row that its published result says; each shard goes on after its receipt. Conflict when
/// a worker is alive, or a shard is not stopped: nothing is changed then.
Result<AdoptionReport> adopt_published(const PgAccess& access,
                                       const std::vector<ShardAdoption>& shards);

}  // namespace ba::storage
