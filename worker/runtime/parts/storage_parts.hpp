#pragma once
// SPDX-License-Identifier: Apache-2.0
// A worker's database. Owned by WorkerParts; control thread only.

#include <memory>

#include "storage/ledger_use.hpp"
#include "storage/storage.hpp"
#include "worker/runtime/parts/tool_parts.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba {

struct StorageParts {
  /// Waits for a database that is out of reach.
  Result<void> build(WorkerBasis& basis);

  /// What it keeps for tools, as it is configured.
  void lend_to(ToolParts& tools, const WorkerBasis& basis);

  std::unique_ptr<PgStorage> storage;
  std::unique_ptr<LedgerWatch> watch;
  std::unique_ptr<CacheStore> decorated_cache;         ///< none: no test has one
  std::unique_ptr<ArtifactStore> decorated_artifacts;  ///< the same
};

}  // namespace ba
