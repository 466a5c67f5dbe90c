// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/storage_parts.hpp"

#include "storage/storage.hpp"
#include "storage/storage.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba {
namespace {

constexpr Milliseconds kLedgerLook{10000};  ///< between two looks whether it may be used

}  // namespace

Result<void> StorageParts::build(WorkerBasis& basis) {
  AsioExecutor& executor = basis.process.executor;
  const PgOptions options = storage_options_of(basis.config);
  auto opened = patiently(basis.log, basis.health, {"postgres", "PostgreSQL"}, [&] {
    return open_worker_storage(options, executor, executor.urgent());
  });
  if (!opened) return opened.error();
  storage = std::move(opened.value());
  watch = std::make_unique<LedgerWatch>(options.access, kLedgerLook);
  return {};
}

void StorageParts::lend_to(ToolParts& tools, const WorkerBasis& basis) {
  const Decorators& around = basis.decorators;
  if (basis.config.tool_cache.enabled)
    tools.remember(decorated(storage->cache(), around.cache, decorated_cache));
  if (basis.config.artifacts.enabled)
    tools.keep_artifacts(decorated(storage->artifacts(), around.artifacts, decorated_artifacts));
}

}  // namespace ba
