// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_retry.hpp"

#include <algorithm>
#include <cmath>

#include "worker/http/retry_wait.hpp"

namespace ba {
namespace {

constexpr int kOverloadFactor = 4;  // an overloaded provider recovers slowly

}  // namespace

void apply_retry_headers(Error& error, const HttpHead& head, WallTime now) {
  if (const auto wait = asked_wait(head, now)) error.retry_after = wait;
  if (error.code == ErrorCode::LimitExceeded) return;
  const std::string_view word = head.header("x-should-retry");
  if (word == "true") error.retry = Retry::Later;
  if (word == "false") error.retry = Retry::Never;
}

Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random) {
  if (error.retry_after) return *error.retry_after;
  double delay = static_cast<double>(retry.initial_delay.count());
  if (error.code == ErrorCode::Overloaded) delay *= kOverloadFactor;
  delay *= std::pow(retry.multiplier, tries - 1);
  delay = std::min(delay, static_cast<double>(retry.max_delay.count()));
  return bounded_milliseconds(delay * (1 - retry.jitter * random_share(random)));
}

}  // namespace ba
