#pragma once
// SPDX-License-Identifier: Apache-2.0
// When and how a failed tool call is tried again. Values.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

struct ToolRetryPolicy {
  int max_retries = 3;
  std::set<ToolErrorType> retry_on{ToolErrorType::Timeout, ToolErrorType::RateLimit,
                                   ToolErrorType::ResourceError, ToolErrorType::TransientError};
  double backoff_multiplier = 1.5;
  Milliseconds initial_delay{1000};
  Milliseconds max_delay{10000};
  double timeout_multiplier = 2.0;  ///< of the timeout, with each retry after a timeout
  Milliseconds max_timeout{300000};

  friend bool operator==(const ToolRetryPolicy&, const ToolRetryPolicy&) = default;
};

/// Whether a call with this effect may be run a second time by itself.
bool repeatable(EffectClass effect);

/// The wait before retry `attempt` (from 0): initial × multiplier^attempt, moved by up to a tenth
/// either way as `random` (any 64 bits) says, never above max_delay.
Milliseconds retry_delay(const ToolRetryPolicy& policy, int attempt, std::uint64_t random);

/// Whether the policy has a try so late: `asked` is what the other side wants to be waited for.
bool waits_so_long(const ToolRetryPolicy& policy, Milliseconds timeout, Milliseconds asked);

/// The same wait where the other side asked for one: never shorter than that, and up to a tenth
/// longer, so that many who were asked don't come back at the same moment.
Milliseconds asked_delay(const ToolRetryPolicy& policy, int attempt, Milliseconds asked,
                         std::uint64_t random);

/// Of a failure that may pass: when to come again, for the runtime and in its message.
void add_retry_after(RawToolResult& failure, std::optional<Milliseconds> asked);

/// The timeout of the try after one that timed out; never below `timeout`.
Milliseconds longer_timeout(const ToolRetryPolicy& policy, Milliseconds timeout);

/// What doesn't fit together. Empty: all is well.
std::vector<SettingProblem> validate(const ToolRetryPolicy& policy);

}  // namespace ba
