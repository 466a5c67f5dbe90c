// SPDX-License-Identifier: Apache-2.0
#include "worker/config/limits_section.hpp"

#include "worker/settings/section_reader.hpp"

namespace ba::config {
namespace {
constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kDayS = 24LL * 3600;
constexpr std::int64_t kDayMs = kDayS * 1000;
}  // namespace

void read_limits(settings::SectionReader& in, LimitsConfig& limits) {
  in.read("window_jobs_max", limits.window_jobs_max, {1, 1'000'000});
  in.read("waiting_jobs_max", limits.waiting_jobs_max, {1, 10'000'000});
  in.read("retried_jobs_max", limits.retried_jobs_max, {1, 1'000'000});
  in.read("running_jobs_max", limits.running_jobs_max, {1, 1'000'000});
  in.read("attempts_max", limits.attempts_max, {1, 100});
  in.read("rounds_per_job_max", limits.rounds_per_job_max, {1, 10'000});
  in.read("steps_per_round_max", limits.steps_per_round_max, {1, 10'000});
  in.read("tool_calls_per_step_max", limits.tool_calls_per_step_max, {1, 1000});
  in.read("answer_repairs_max", limits.answer_repairs_max, {0, 100});
  in.read("tokens_per_job_max", limits.tokens_per_job_max, {1, 1'000'000'000'000});
  in.read("cost_per_job_max_usd", settings::Dollars{limits.cost_per_job_max_micro_usd},
          {1, 1'000'000'000'000});
  in.read("deadline_ms", limits.deadline, {1, 366 * kDayMs});
  in.read("conversation_wait_max_s", limits.conversation_wait_max_s, {0, 366 * kDayS});
  in.read("record_bytes_max", limits.record_bytes_max, {1024, 100 * kMiB});
  in.read("history_bytes_max", limits.history_bytes_max, {1024, 16 * 1024 * kMiB});
  in.read("result_bytes_max", limits.result_bytes_max, {64 * 1024, 512 * kMiB});
  in.read("dead_letter_conversation_bytes_max", limits.dead_letter_conversation_bytes_max,
          {0, 4 * kMiB});
  if (limits.waiting_jobs_max < limits.window_jobs_max)
    in.error("waiting_jobs_max", SettingProblem::Kind::Conflict,
             "waiting_jobs_max (" + std::to_string(limits.waiting_jobs_max) +
                 ") can't be below window_jobs_max (" + std::to_string(limits.window_jobs_max) +
                 ")");
  in.at_most("running_jobs_max", limits.running_jobs_max, "window_jobs_max",
             limits.window_jobs_max);
}

}  // namespace ba::config
