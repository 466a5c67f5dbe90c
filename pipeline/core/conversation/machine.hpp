#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ReAct state machine of a job: rounds of steps of model calls and tool calls, without I/O.
//
// Rules it keeps:
// - nothing acts on a model's reply before the reply is durable; nothing durable is asked again;
// - at most one Commit is in flight, at most one model call, and never both;
// - every tool call of a reply has exactly one observation before the next model call, in order;
// - a call that isn't pure is recorded as started before it runs;
// - every end, early or not, goes through finish() and one final Commit.

#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/conversation/event.hpp"
#include "pipeline/core/conversation/finish.hpp"

namespace ba {

class ToolRegistry;

inline const RefocusRules kNoReminders{.every_steps = 0};

/// What the machine looks things up in; borrowed, outlives every state.
struct MachineContext {
  const ToolRegistry& tools;
  const Publication& publication;
  const RefocusRules& refocus = kNoReminders;
};

/// Applies one event and says what to do now, in order.
Actions advance(ConversationState& state, Event event, const Moment& moment,
                const MachineContext& context);

}  // namespace ba
