#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens a message has: its role, text, thinking, the names and arguments of its calls, a
// result. Control thread only, as the counter that it asks.

#include <cstdint>

#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/token_estimate.hpp"

namespace ba {

/// Without a margin. What a provider's own extras (signatures, reasoning items) take isn't known.
std::int64_t message_tokens(const Message& message, const CountTokens& count);

/// A message with its tokens, counted once. The message outlives it.
struct CountedMessage {
  const Message* message = nullptr;
  std::int64_t tokens = 0;
};

}  // namespace ba
