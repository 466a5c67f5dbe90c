// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/retry_policy.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/base/setting_problem.hpp"

namespace ba {

namespace {

/// A share of one: 0 for no bit set, just below 1 for all of them.
double share_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

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

bool waits_so_long(const ToolRetryPolicy& policy, Milliseconds timeout, Milliseconds asked) {
  return asked <= std::min(policy.max_delay, timeout);
}

Milliseconds asked_delay(const ToolRetryPolicy& policy, int attempt, Milliseconds asked,
                         std::uint64_t random) {
  const double spread = static_cast<double>(asked.count()) * 0.1 * share_of(random);
  const Milliseconds wait = asked + Milliseconds(std::llround(spread));
  return std::min(std::max(wait, retry_delay(policy, attempt, random)), policy.max_delay);
}

void add_retry_after(RawToolResult& failure, std::optional<Milliseconds> asked) {
  if (!asked || !failure.error || !retryable(failure.error->type)) return;
  failure.retry_after = asked;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*asked);
  failure.error->message += ". It asks for a wait of " + std::to_string(seconds.count()) + " s";
}

Milliseconds longer_timeout(const ToolRetryPolicy& policy, Milliseconds timeout) {
  const double longer = static_cast<double>(timeout.count()) * policy.timeout_multiplier;
  const auto most = static_cast<double>(policy.max_timeout.count());
  return std::max(timeout, Milliseconds(std::llround(std::min(longer, most))));
}

std::vector<SettingProblem> validate(const ToolRetryPolicy& policy) {
  std::vector<SettingProblem> problems;
  KeyChecks(problems, "tools.retry")
      .expect(policy.max_delay >= policy.initial_delay, "max_delay_ms",
              std::to_string(policy.max_delay.count()), "at least initial_delay_ms");
  return problems;
}

}  // namespace ba
