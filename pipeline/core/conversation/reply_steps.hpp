#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model's reply makes of its job: rows, calls, an answer, or the end. Used by advance().

#include "pipeline/core/conversation/event.hpp"

namespace ba {

class ToolRegistry;

struct ReplyTaken {
  Delta delta;                          ///< of the step
  std::optional<Ending> ending{};       ///< the job ends with it
  std::optional<std::string> answer{};  ///< that of its round, which is over
};

/// The reply becomes a message of the history and rows, with what its call has saved; its tool
/// calls are intended. Without calls it is an answer, or the model is asked for a better one.
ReplyTaken take_reply(ConversationState& state, event::ModelAnswered event, const Moment& moment,
                      const ToolRegistry& tools);

}  // namespace ba
