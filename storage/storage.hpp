#pragma once
// SPDX-License-Identifier: Apache-2.0
// The PostgreSQL side of the ledger's ports. open_storage() starts the connections' threads; the
// ports are called on the control thread and answer there, through the executor. Destroying the
// storage ends the threads; what was still queued is answered with Cancelled.

#include <cstddef>
#include <memory>
#include <string>

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/access.hpp"

namespace ba {
class ArtifactStore;
class CacheStore;
class Retention;
}  // namespace ba

namespace ba::storage {

struct PgOptions {
  PgAccess access;
  int committers = 3;  ///< threads, each with a connection, that write deltas, intake and claims
  int shards = 8;      ///< outbox shards; rows that are missing are created on opening
  /// How long one call is repeated inside the adapter (lost connection, deadlock, failover) before
  /// Unavailable comes back.
  Milliseconds retry_window{10000};
  std::size_t group_deltas_max = 512;       ///< deltas in one transaction
  std::size_t group_bytes_max = 8U << 20U;  ///< text in one transaction, but at least one delta
  std::string artifact_directory;  ///< of the data of artifacts; empty: it is in the database
};

/// What the writers did, for /metrics. Grows only.
struct PgStatistics {
  std::int64_t deltas = 0;
  std::int64_t delta_transactions = 0;
  std::int64_t retries = 0;
};

class PgStorage {
 public:
  virtual ~PgStorage() = default;
  virtual Membership& membership() = 0;
  virtual Ledger& ledger() = 0;
  virtual Outbox& outbox() = 0;
  virtual Retention& retention() = 0;
  virtual CacheStore& cache() = 0;
  virtual ArtifactStore& artifacts() = 0;
  virtual PgStatistics statistics() const = 0;  ///< any thread
};

/// Connects, checks that the schema is the one this program was built with (see migrate.hpp) and
/// creates missing outbox shards. Blocks; errors with Retry::Later may be tried again. The executor
/// outlives the storage.
Result<std::unique_ptr<PgStorage>> open_storage(PgOptions options, Executor& executor);

/// open_storage(), with the answers of membership() on `lease_executor`, which is of the same
/// thread as `executor`. Both outlive the storage.
Result<std::unique_ptr<PgStorage>> open_worker_storage(PgOptions options, Executor& executor,
                                                       Executor& lease_executor);

}  // namespace ba::storage
