#pragma once
// SPDX-License-Identifier: Apache-2.0
// Waits for the results of submitted jobs: by asking the ledger five times a second where
// PostgreSQL is configured (it also shows the progress), else by reading the results topic (which
// tells nothing of a record that was refused). Blocking; one thread.

#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "worker/cli/jobs/sent_jobs.hpp"
#include "worker/cli/program/interrupt.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba::cli {

struct WatchOptions {
  Milliseconds timeout{600'000};
  bool progress = true;
};

/// Whom a watch tells how each job ended.
struct JobEnds {
  std::function<void(const JobResult&)> finished;
  /// A worker took the record for no job; the text says why.
  std::function<void(const Job&, const std::string& why)> refused;
  /// Its id had been taken before: what is shown is that job. Before its end, once; not where only
  /// the results topic is read.
  std::function<void(EarlierJob, const std::string& text)> known;
};

class JobWatch {
 public:
  virtual ~JobWatch() = default;

  /// Tells of each end as it comes. Timeout when some job has none in time, Cancelled when
  /// interrupted.
  virtual Result<void> wait(const std::vector<SentJob>& jobs, const WatchOptions& options,
                            const Interrupt& interrupt, Terminal& terminal,
                            const JobEnds& ends) = 0;
};

/// To be made before the jobs are sent: no result is missed then, and a ledger that can't be asked,
/// or has another schema, is told of while nothing was paid for.
Result<std::unique_ptr<JobWatch>> make_job_watch(const config::Config& config);

}  // namespace ba::cli
