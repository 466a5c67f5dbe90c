#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long a job waited before a worker had it. Pure; any thread.

#include <algorithm>

#include "pipeline/core/conversation/state.hpp"

namespace ba::runtime {

/// From when it was made, which is when it was redriven for one that was, to its first claim. The
/// same however often it is taken over. 0: nobody knew the time of its record.
inline Milliseconds queue_wait(const ConversationState& state) {
  if (state.claim.created_at == WallTime{}) return Milliseconds(0);
  const auto waited = std::chrono::duration_cast<Milliseconds>(state.claim.first_claimed_at -
                                                               state.claim.created_at);
  return std::max(Milliseconds(0), waited);
}

}  // namespace ba::runtime
