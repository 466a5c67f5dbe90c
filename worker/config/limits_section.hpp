#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `limits`: how much one worker and one job may take. A job can lower what concerns it,
// never raise it. Reaching a job's limit is an outcome, not a failure. Values.

#include <cstdint>

#include "pipeline/base/time.hpp"
#include "pipeline/core/conversation/run_profile.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::config {

struct LimitsConfig {
  static constexpr EffectiveLimits kJob{};  ///< the defaults of one job

  /// Jobs that run or could run at once, at which a worker stops taking records.
  int window_jobs_max = 1000;
  int waiting_jobs_max = 10'000;  ///< jobs waiting in the ledger at which workers stop likewise
  int running_jobs_max = 256;     ///< jobs of one worker that run at the same time
  int retried_jobs_max = 32;      ///< of these, at most so many on their second attempt
  /// Starts of a job that end in a crash before it is given up.
  int attempts_max = kJob.attempts_max;
  int rounds_per_job_max = 64;  ///< messages of one job
  int steps_per_round_max = kJob.steps_per_round_max;
  int tool_calls_per_step_max = kJob.tool_calls_per_step_max;
  int answer_repairs_max = kJob.answer_repairs_max;  ///< of a round's answer that must fit a schema
  std::int64_t tokens_per_job_max = kJob.tokens_max;  ///< input and output, all rounds
  std::int64_t cost_per_job_max_micro_usd = kJob.cost_micro_usd_max;  ///< all rounds
  Milliseconds deadline = kJob.deadline;                              ///< from the first claim
  /// How long a job may wait for an earlier one of its conversation, in seconds; 0: for ever.
  std::int64_t conversation_wait_max_s = 604'800;
  std::int64_t record_bytes_max = 1024 * 1024;              ///< one record on the jobs topic
  std::int64_t history_bytes_max = kJob.history_bytes_max;  ///< texts of a conversation in memory
  std::int64_t result_bytes_max = 8LL * 1024 * 1024;  ///< a result's record; longer answers are cut
  /// Of the conversation so far in the dead letter of a job that could not be run.
  std::int64_t dead_letter_conversation_bytes_max = 1024 * 1024;

  friend bool operator==(const LimitsConfig&, const LimitsConfig&) = default;
};

void read_limits(settings::SectionReader& in, LimitsConfig& limits);

}  // namespace ba::config
