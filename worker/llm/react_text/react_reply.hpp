#pragma once
// SPDX-License-Identifier: Apache-2.0
// The reply of a model that calls tools in its text, from text to calls. Pure functions.

#include "worker/llm/protocol.hpp"

namespace ba {

/// Whether the reply that is read calls tools in its text.
bool calls_in_text(const ProtocolContext& context);

/// Turns the text of `reply` into what it means; a refusal and a stop that says nothing stay as
/// they are. Protocol: the text can't be read.
Result<void> read_react_reply(ModelReply& reply, const ProtocolContext& context);

}  // namespace ba
