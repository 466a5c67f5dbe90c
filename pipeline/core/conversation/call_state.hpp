#pragma once
// SPDX-License-Identifier: Apache-2.0
// One tool call of the current step: what was asked for, how far it is, and what came of it. A part
// of ConversationState.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// How far one tool call of the current step is.
enum class CallPhase {
  Intended,    ///< durable with the model's reply; not started
  Starting,    ///< its start record is being written (calls that are not pure)
  Startable,   ///< the start record is durable (or none is needed): run it now
  Running,     ///< the driver runs it
  Unresolved,  ///< what became of it is not known: a person is to say
  Finished,    ///< has its result
  Saving,      ///< the result is being written
  Saved,       ///< the result is durable
};

/// What a call does to the skills of its conversation: durable with its outcome.
struct SkillEffect {
  std::vector<MessageRow> injected;
  std::optional<SkillUsed> used;
  std::optional<SkillDone> done;
};

struct CallState {
  Position position;
  ToolCall call;
  EffectClass effect = EffectClass::Once;
  CallPhase phase = CallPhase::Intended;
  bool maybe_done = false;             ///< an earlier attempt started it and told no outcome
  std::string begun_version;           ///< of the tool, where maybe_done
  std::optional<ToolResult> result;    ///< from Finished on (empty for one loaded as Saved)
  std::optional<ToolMessage> message;  ///< its observation, from Finished on
  SkillEffect skill;                   ///< from Finished until it is being written
  std::int64_t saved_tokens = 0;       ///< of its result, from Finished on
};

/// Nothing comes of the call by itself any more.
inline bool at_rest(const CallState& call) {
  return call.phase == CallPhase::Saved || call.phase == CallPhase::Unresolved;
}

}  // namespace ba
