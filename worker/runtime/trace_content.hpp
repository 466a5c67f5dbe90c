#pragma once
// SPDX-License-Identifier: Apache-2.0
// Messages as OpenTelemetry's GenAI conventions write them (gen_ai.input.messages and the like),
// for traces that are to hold content. Pure functions.

#include <cstddef>
#include <span>
#include <string>

#include "pipeline/text/message/message.hpp"

namespace ba {

/// A JSON array of the newest messages that fit, in order; texts of more than a quarter of the
/// bound are cut. Thinking is left out.
std::string messages_content(std::span<const Message> messages, std::size_t bytes_max);

/// A JSON array of the one reply.
std::string reply_content(const AiMessage& reply, const std::string& finish_reason,
                          std::size_t bytes_max);

}  // namespace ba
