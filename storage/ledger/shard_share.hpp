#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who publishes which outbox shard. Used as one transaction each.

#include <string>
#include <vector>

#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

/// Takes and gives back shards up to the fair share; answers with what the incarnation then owns.
Result<std::vector<ShardState>> share_shards(Transaction& transaction, IncarnationId self);

/// Stops a shard and takes it from its owner. Conflict when it isn't the incarnation's.
Result<void> stop_owned_shard(Transaction& transaction, IncarnationId self, const ShardState& known,
                              const std::string& reason);

Error shard_conflict(int shard, const std::string& why);

}  // namespace ba
