#pragma once
// SPDX-License-Identifier: Apache-2.0
// Validity of messages, checked at each boundary (decode, store, model adapter, injection). What is
// invalid is an error that names the field, "messages[3].tool_calls[0].id"; nothing is repaired.
// Pure functions, any thread.

#include <span>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// One message by itself: ids, UTF-8 without NUL, arguments that are JSON objects, counts, version.
Result<void> validate_message(const Message& message);

/// A model's reply before it has ids of its own: the same, but for those.
Result<void> validate_reply(const AiMessage& message);

/// How a history may end.
enum class HistoryEnd {
  Answered,  ///< every tool call has its answer: fit to be sent to a model
  Open,      ///< the last calls may still wait for some of their answers
};

/// Every message, no message id twice, and each AIMessage's calls answered by exactly one
/// ToolMessage each, in order, before anything else. Of a history that grows: history_check.hpp.
Result<void> validate_history(std::span<const Message* const> messages, HistoryEnd end);
Result<void> validate_history(const std::vector<Message>& messages, HistoryEnd end);

}  // namespace ba
