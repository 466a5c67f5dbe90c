// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/retry_policy.hpp"

#include <algorithm>
#include <cmath>

namespace ba {

namespace bounds = tool_retry_bounds;

namespace {

/// A share of one: 0 for no bit set, just below 1 for all of them.
double share_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

void expect(std::vector<std::string>& problems, bool good, const char* key,
            const std::string& value, const std::string& allowed) {
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

std::vector<std::string> validate(const ToolRetryPolicy& policy) {
  std::vector<std::string> problems;
  const auto within = [&](const char* key, std::int64_t value, Bounds bounds) {
    expect(problems, bounds.hold(value), key, std::to_string(value), bounds.text());
  };
  const auto factor = [&](const char* key, double value) {
    const bool good = value >= static_cast<double>(bounds::kFactor.least) &&
                      value <= static_cast<double>(bounds::kFactor.most);
    expect(problems, good, key, std::to_string(value), bounds::kFactor.text());
  };
  within("max_retries", policy.max_retries, bounds::kMaxRetries);
  for (const ToolErrorType type : policy.retry_on)
    expect(problems, retryable(type), "retry_on", std::string(to_string(type)),
           "one of timeout, rate_limit, resource_error, transient_error");
  factor("backoff_multiplier", policy.backoff_multiplier);
  factor("timeout_multiplier", policy.timeout_multiplier);
  within("initial_delay_ms", policy.initial_delay.count(), bounds::kDelayMs);
  within("max_delay_ms", policy.max_delay.count(), bounds::kDelayMs);
  expect(problems, policy.max_delay >= policy.initial_delay, "max_delay_ms", ms(policy.max_delay),
         "at least initial_delay_ms");
  within("max_timeout_ms", policy.max_timeout.count(), bounds::kMaxTimeoutMs);
  return problems;
}

}  // namespace ba
