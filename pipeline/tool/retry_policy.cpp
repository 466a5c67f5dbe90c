// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/retry_policy.hpp"

#include <algorithm>
#include <cmath>

namespace ba {
namespace {

/// A share of one: 0 for no bit set, just below 1 for all of them.
double share_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

void expect(std::vector<std::string>& problems, bool good, const char* key,
            const std::string& value, const char* allowed) {
  if (!good)
    problems.push_back(std::string("tools.retry.") + key + ": " + value + " is not " + allowed);
}

std::string ms(Milliseconds value) { return std::to_string(value.count()); }

}  // namespace

bool repeatable(EffectClass effect) {
  return effect == EffectClass::Pure || effect == EffectClass::Keyed;
}

Milliseconds retry_delay(const ToolRetryPolicy& policy, int attempt, std::uint64_t random) {
  const auto most = static_cast<double>(policy.max_delay.count());
  const double base = static_cast<double>(policy.initial_delay.count()) *
                      std::pow(policy.backoff_multiplier, attempt);
  const double moved = std::min(base, most) * (0.9 + 0.2 * share_of(random));
  return Milliseconds(std::llround(std::min(moved, most)));
}

Milliseconds longer_timeout(const ToolRetryPolicy& policy, Milliseconds timeout) {
  const double longer = static_cast<double>(timeout.count()) * policy.timeout_multiplier;
  const auto most = static_cast<double>(policy.max_timeout.count());
  return std::max(timeout, Milliseconds(std::llround(std::min(longer, most))));
}

std::vector<std::string> validate(const ToolRetryPolicy& policy) {
  std::vector<std::string> problems;
  expect(problems, policy.max_retries >= 0 && policy.max_retries <= 20, "max_retries",
         std::to_string(policy.max_retries), "between 0 and 20");
  for (const ToolErrorType type : policy.retry_on)
    expect(problems, retryable(type), "retry_on", std::string(to_string(type)),
           "one of timeout, rate_limit, resource_error, transient_error");
  expect(problems, policy.backoff_multiplier >= 1 && policy.backoff_multiplier <= 100,
         "backoff_multiplier", std::to_string(policy.backoff_multiplier), "between 1 and 100");
  expect(problems, policy.initial_delay.count() >= 0, "initial_delay_ms", ms(policy.initial_delay),
         "0 or more");
  expect(problems, policy.max_delay >= policy.initial_delay, "max_delay_ms", ms(policy.max_delay),
         "at least initial_delay_ms");
  expect(problems, policy.timeout_multiplier >= 1 && policy.timeout_multiplier <= 100,
         "timeout_multiplier", std::to_string(policy.timeout_multiplier), "between 1 and 100");
  expect(problems, policy.max_timeout.count() > 0, "max_timeout_ms", ms(policy.max_timeout),
         "positive");
  return problems;
}

}  // namespace ba
