#pragma once
// SPDX-License-Identifier: Apache-2.0
// The worker process: builds every part from the configuration, lives through one incarnation after
// another, serves its endpoints, and drains on SIGTERM or SIGINT.

#include "worker/config/config.hpp"
#include "worker/runtime/decorators.hpp"

namespace ba::runtime {

/// Runs until it is told to stop. An error, which the log has, means that it could not start.
Result<void> run_worker(const config::LoadedConfig& loaded, const Decorators& decorators);

}  // namespace ba::runtime
