// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/run_worker.hpp"

#include <sys/prctl.h>

#include <cstdio>

#include "worker/observe/structured_log.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_process.hpp"

namespace ba {

Result<void> run_worker(const LoadedConfig& loaded, const Decorators& decorators) {
  const Config& config = loaded.config;
  LogSettings settings = log_settings_of(config);
  settings.secrets = loaded.findings.secrets;
  auto log = StructuredLog::create(settings);
  if (!log) {
    std::fprintf(stderr, "ba-agent: %s\n", log.error().message.c_str());
    return invalid_argument(log.error().message);
  }
  if (!config.observability.core_dumps) ::prctl(PR_SET_DUMPABLE, 0);
  WorkerProcess process(loaded, decorators, *log.value());
  if (auto built = process.build(); !built) {
    log.value()->critical("the worker cannot start", {{"error", built.error().message}});
    return built.error();
  }
  process.run();
  return {};
}

}  // namespace ba
