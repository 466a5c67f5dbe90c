// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/run_worker.hpp"

#include <cstdio>

#include "worker/observe/structured_log.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_process.hpp"

namespace ba {
namespace {

// The process's exit codes by cause, as `ba-agent --help` lists them.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUnavailable = 69;
constexpr int kBadConfiguration = 78;

int exit_code_of(const Error& error) {
  if (error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotFound)
    return kBadConfiguration;
  if (error.code == ErrorCode::Unavailable || error.code == ErrorCode::Timeout) return kUnavailable;
  return kFailed;
}

}  // namespace

int run_worker(const LoadedConfig& loaded, const Decorators& decorators) {
  const Config& config = loaded.config;
  LogSettings settings = log_settings_of(config);
  settings.secrets = loaded.findings.secrets;
  auto log = StructuredLog::create(settings);
  if (!log) {
    std::fprintf(stderr, "ba-agent: %s\n", log.error().message.c_str());
    return kBadConfiguration;
  }
  WorkerProcess process(config, decorators, *log.value());
  if (auto built = process.build(); !built) {
    log.value()->critical("the worker cannot start", {{"error", built.error().message}});
    return exit_code_of(built.error());
  }
  process.run();
  return kDone;
}

}  // namespace ba
