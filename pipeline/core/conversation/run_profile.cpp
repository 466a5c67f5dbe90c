// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/run_profile.hpp"

#include <algorithm>

namespace ba {
namespace {

template <typename T>
void lower(T& limit, T wanted) {
  if (wanted > T{}) limit = std::min(limit, wanted);
}

}  // namespace

EffectiveLimits apply_job_limits(EffectiveLimits limits, const JobLimits& job) {
  lower(limits.steps_per_round_max, job.steps_per_round_max);
  lower(limits.tokens_max, job.tokens_max);
  lower(limits.cost_micro_usd_max, job.cost_micro_usd_max);
  lower(limits.deadline, job.deadline);
  return limits;
}

}  // namespace ba
