#pragma once
// SPDX-License-Identifier: Apache-2.0
// The storage of a worker: its lease is answered apart from everything else, so that it waits for
// no job's work.

#include <memory>

#include "storage/storage.hpp"

namespace ba {

/// open_storage(), with the answers of membership() on `lease_executor`, which is of the same
/// thread as `executor`. Both outlive the storage.
Result<std::unique_ptr<PgStorage>> open_worker_storage(PgOptions options, Executor& executor,
                                                       Executor& lease_executor);

}  // namespace ba
