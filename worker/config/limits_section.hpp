#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `limits`: how much one worker and one job may take. A job can lower what concerns it,
// never raise it. Reaching a job's limit is an outcome, not a failure. Values.

#include <cstdint>

#include "pipeline/base/time.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

struct LimitsConfig {
  int window_jobs_max = 1000;   ///< waiting and running jobs at which a worker stops taking records
  int running_jobs_max = 256;   ///< jobs of one worker that run at the same time
  int attempts_max = 3;         ///< starts of a job that end in a crash before it is given up
  int rounds_per_job_max = 64;  ///< messages of one job
  int steps_per_round_max = 20;
  int tool_calls_per_step_max = 32;
  std::int64_t tokens_per_job_max = 2'000'000;          ///< input and output, all rounds
  std::int64_t cost_per_job_max_micro_usd = 5'000'000;  ///< all rounds
  Milliseconds deadline{3'600'000};                     ///< from a job's first claim
  std::int64_t record_bytes_max = 1024 * 1024;          ///< one record on the jobs topic
  std::int64_t history_bytes_max = 64LL * 1024 * 1024;  ///< texts of a conversation in memory

  friend bool operator==(const LimitsConfig&, const LimitsConfig&) = default;
};

void read_limits(settings::SectionReader& in, LimitsConfig& limits);

}  // namespace ba
