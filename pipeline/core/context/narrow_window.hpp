#pragma once
// SPDX-License-Identifier: Apache-2.0
// How small a model's window must be, after its provider refused what it was sent. Pure functions.

#include <span>
#include <string>

#include "pipeline/core/ledger/context_records.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba {

/// Refusals of one reply after which a job gives up.
inline constexpr int kRefusalsOfReplyMax = 4;

/// No window is guessed to be smaller than that; a provider may say so.
inline constexpr std::int64_t kGuessedWindowLeast = 1'000;

/// What was refused, in tokens as we count them.
struct RefusedContext {
  std::int64_t tokens = 0;      ///< of the request
  std::int64_t output_max = 0;  ///< that the reply might have taken; 0: not known
};

/// In tokens as we count them: what the provider says, by the ratio of its count to ours where it
/// tells both. Where it says nothing, or nothing that explains the refusal, a window of which no
/// more is used than half of what was refused.
std::int64_t narrowed_window(const ContextRefusal& refusal, const RefusedContext& sent);

/// What a reply may take of a window that was narrowed: at most half of it.
std::int64_t output_ceiling(std::int64_t narrowed);

/// Refusals never make a window larger. `window` 0: not known so far.
std::int64_t smaller_window(std::int64_t window, std::int64_t narrowed);

/// What is left of the window of a model, `window` as configured, after these refusals.
std::int64_t window_after(std::span<const RefusedContextRow> refused, const std::string& model,
                          std::int64_t window);

}  // namespace ba
