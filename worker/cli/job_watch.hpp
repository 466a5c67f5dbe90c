#pragma once
// SPDX-License-Identifier: Apache-2.0
// Waits for the results of submitted jobs: by asking the ledger five times a second where
// PostgreSQL is configured (it also shows the progress), else by reading the results topic.
// Blocking; one thread.

#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/job/outcome.hpp"
#include "worker/cli/interrupt.hpp"
#include "worker/cli/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba {

struct WatchOptions {
  Milliseconds timeout{600'000};
  bool progress = true;
};

class JobWatch {
 public:
  virtual ~JobWatch() = default;

  /// Calls `finished` for each result as it comes. Timeout when some job has none in time,
  /// Cancelled when interrupted.
  virtual Result<void> wait(const std::vector<Job>& jobs, const WatchOptions& options,
                            const Interrupt& interrupt, Terminal& terminal,
                            const std::function<void(const JobResult&)>& finished) = 0;
};

/// To be made before the jobs are sent, so that no result is missed.
Result<std::unique_ptr<JobWatch>> make_job_watch(const Config& config);

}  // namespace ba
