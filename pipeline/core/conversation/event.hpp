#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can happen to a running job, and what it then wants done. Values.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "pipeline/core/conversation/state.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba {

namespace event {
struct Begin {                     ///< the state is loaded: start, or go on after a crash
  std::optional<Ending> ending{};  ///< or end at once: the job must not run any more
};
struct ModelTryLost {};  ///< one that may have been paid; the call rests until GoOnAsking
struct ModelAnswered {
  ModelReply reply;
  std::optional<std::int64_t> estimated_input{};  ///< in tokens, of what was sent
  std::int64_t left_out = 0;                      ///< tokens of the history that were not sent
};
struct ContextRefused {  ///< the provider takes no more than it says, and generated nothing
  ContextRefusal refusal;
  std::optional<std::int64_t> tokens{};  ///< of what was sent, as we count; none: nothing counts
};
struct ContextCounting {};  ///< before the model is asked, its provider is to count: that is free
struct ContextCounted {     ///< it has, or it doesn't answer
  ExactCountRow row;
};
struct ContextStuck {};  ///< it was refused, and can't be made shorter than it was
struct ModelFailed {
  ModelFailure failure;
};
struct Committed {};  ///< the last Commit is durable
struct ToolFinished {
  std::size_t call = 0;  ///< index into State::calls
  ToolResult result;     ///< as with_skill_verdict() has it
};
struct SubAgentsUsed {  ///< one began, or spent of the job's tokens and money; since the last one
  SubAgentUse use;
};
struct HistoryCompressed {  ///< for the model call that is about to be made
  CompressionRow row;
  int compressions = 0;  ///< of the job's history so far
};
struct SummaryAsked {  ///< a model is being asked for it, beside all else
  SummaryRow row;
};
struct SummaryEnded {  ///< written, or not
  SummaryRow row;
};
struct Stop {  ///< deadline, cancellation, a failure of ours
  Ending ending;
  bool model_paid = true;  ///< of a model call in flight: between two tries none can be lost
};
}  // namespace event

using Event =
    std::variant<event::Begin, event::ModelTryLost, event::ModelAnswered, event::ContextRefused,
                 event::ContextCounting, event::ContextCounted, event::ContextStuck,
                 event::ModelFailed, event::Committed, event::ToolFinished, event::SubAgentsUsed,
                 event::HistoryCompressed, event::SummaryAsked, event::SummaryEnded, event::Stop>;

namespace action {
struct AskModel {};    ///< with profile and history of the state
struct GoOnAsking {};  ///< the call's lost try is durable
struct RunTool {
  std::size_t call = 0;
};
struct Commit {
  Delta delta;
};
struct AbortAll {};     ///< drop the model call and tool runs in flight; their events must not come
struct DropSummary {};  ///< the one being written; its end must not come
struct WaitForPerson {};  ///< the step stands but for unresolved calls; the run is over
struct Done {};           ///< the job is terminal in the ledger
}  // namespace action

using Action =
    std::variant<action::AskModel, action::GoOnAsking, action::RunTool, action::Commit,
                 action::AbortAll, action::DropSummary, action::WaitForPerson, action::Done>;
using Actions = std::vector<Action>;

/// When an event happened.
struct Moment {
  SteadyTime now{};
  WallTime wall{};
};

}  // namespace ba
