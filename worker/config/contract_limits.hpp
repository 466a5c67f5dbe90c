#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the configuration says of jobs: the same for the worker that takes them in and for the
// command that submits them. A pure function.

#include "pipeline/text/contract/limits.hpp"
#include "worker/config/config.hpp"

namespace ba::config {

inline JobContractLimits contract_limits_of(const Config& config) {
  JobContractLimits limits;
  limits.record_bytes_max = static_cast<std::size_t>(config.limits.record_bytes_max);
  limits.messages_max = static_cast<std::size_t>(config.limits.rounds_per_job_max);
  return limits;
}

}  // namespace ba::config
