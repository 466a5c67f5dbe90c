// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/run_worker.hpp"

#include <sys/prctl.h>

#include <cstdio>

#include "worker/config/descriptors.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_process.hpp"

namespace ba {
namespace {

Result<void> check_descriptors(const Config& config, StructuredLog& log) {
  const auto limit = descriptor_limit();
  const std::uint64_t wanted = descriptors_wanted(config);
  if (!limit || *limit >= wanted) return {};
  const std::string text = "this process may open " + std::to_string(*limit) +
                           " files and connections; its settings may take " +
                           std::to_string(wanted) + ": " + kDescriptorsRemedy;
  if (*limit < kDescriptorsMin)
    return invalid_argument(text + "; it needs " + std::to_string(kDescriptorsMin) + " at least");
  log.warning(text);
  return {};
}

}  // namespace

Result<void> run_worker(const LoadedConfig& loaded, const Decorators& decorators) {
  const Config& config = loaded.config;
  LogSettings settings = log_settings_of(config);
  settings.secrets = loaded.findings.secrets;
  auto log = StructuredLog::create(settings);
  if (!log) {
    std::fprintf(stderr, "ba-agent: %s\n", log.error().message.c_str());
    return invalid_argument(log.error().message);
  }
  for (const std::string& warning : loaded.findings.warnings())
    log.value()->warning("the configuration has a warning", {{"warning", warning}});
  if (config.observability.core_dumps) ::prctl(PR_SET_DUMPABLE, 1);
  WorkerProcess process(loaded, decorators, *log.value());
  auto ready = check_descriptors(config, *log.value());
  if (ready) ready = process.build();
  if (!ready) {
    log.value()->critical("the worker cannot start", {{"error", ready.error().message}});
    return ready.error();
  }
  process.run();
  return {};
}

}  // namespace ba
