#pragma once
// SPDX-License-Identifier: Apache-2.0
// Compares what stands on the result topics with what the outbox says of stopped shards. Values and
// pure functions.

#include <set>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "storage/outbox_audit.hpp"

namespace ba::cli {

/// The result id that a published record bears in its headers; empty: it bears none.
ResultId published_id(const RawRecord& record);

/// One stopped shard, compared.
struct ShardComparison {
  storage::StoppedShardState state;
  std::optional<std::int64_t> receipt;           ///< last committed batch
  int agreed = 0;                                ///< on their topic, and marked
  std::vector<storage::AdoptedRecord> unmarked;  ///< on their topic, but not marked as published
  std::vector<storage::AdoptedRecord> unknown;   ///< on their topic, but not in the outbox at all
  int unpublished = 0;            ///< in the outbox, not yet published: that will happen
  std::vector<ResultId> missing;  ///< marked as published since then, on no topic
};

/// Built up record by record; knows the shards' outbox rows.
class OutboxComparison {
 public:
  /// `shards_total` as the outbox is divided, `entries` of outbox_entries().
  OutboxComparison(std::vector<ShardComparison> shards, int shards_total,
                   storage::OutboxEntries entries);

  /// Records as they come from the topics; `older` are those of their ids that the outbox has, but
  /// `entries` has not.
  void add(const std::vector<RawRecord>& records, const storage::OutboxEntries& older);

  /// Ids that `entries` does not have: the outbox is to be asked about them.
  std::vector<ResultId> unfamiliar(const std::vector<RawRecord>& records) const;

  /// After the last record.
  std::vector<ShardComparison> take();

 private:
  ShardComparison* shard(int number);
  void add_unknown(const RawRecord& record, const ResultId& id);

  std::vector<ShardComparison> shards_;
  int shards_total_;
  storage::OutboxEntries entries_;
  std::set<ResultId> seen_;
};

}  // namespace ba::cli
