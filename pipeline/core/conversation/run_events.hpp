#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can happen to the run of a job, beside what happens to its conversation (event.hpp), and
// what is to be done then. Values; see run_protocol.hpp.

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// How a run ended, for the engine.
enum class RunEnd {
  Finished,    ///< terminal in the ledger
  AtBoundary,  ///< stopped between two steps, for a drain or a pause: hand it back
  Unresolved,  ///< a person is to say what became of its open calls: hand it back, to wait
  Broken,      ///< not even its end can be written: left alone, a person must look
  Fenced,      ///< the incarnation is dead
};

/// Where a run begins: the job's state as the ledger has it, or what is left of it.
struct JobStart {
  std::unique_ptr<ConversationState> state;
  std::optional<Ending> ending;  ///< of a job that can't be loaded, or must not be
  std::optional<Error> unfit;    ///< why no agent here can run it
};

/// What only the performer knows, at the time of an event.
struct RunFacts {
  Moment at;
  bool model_paid = false;          ///< a model call is under way that may be paid
  std::optional<Position> summary;  ///< of one that is being written
  bool summary_paid = false;        ///< it may be paid
  bool sub_agents = false;          ///< some of the job's are at work, or write
};

namespace run {

// ---- what happened -----------------------------------------------------------------------------

struct Loaded {
  JobStart start;
};
struct LoadFailed {
  Error error;
};
struct Opened {};     ///< Open is done
struct Drain {};      ///< the worker ends: stop between two steps
struct Pause {};      ///< a person asks for that
struct GraceOver {};  ///< the worker ends now
struct Cancel {};     ///< a person asks for the job's end
struct DeadlineReached {};
struct LeaseLost {};  ///< found before a call begins: the incarnation is dead
struct Halt {};       ///< of a sub-agent: its asking job needs it no more
struct Written {};    ///< what Write gave is durable
struct WriteFailed {
  Error error;
};
struct SubAgentsHalted {  ///< told to stop; some may still write
  int lost = 0;           ///< model calls that were under way
};
struct SubAgentsGone {};  ///< none is at work, or writes, any more
struct CallSuspended {    ///< its sub-agent has stopped, as the job is to go back
  Position call;
};
struct LetGone {  ///< LetGo is done
  std::optional<SummaryRow> summary{};
};

// ---- what to do --------------------------------------------------------------------------------

struct Load {};  ///< the job's rows
struct Open {    ///< tell watchers and tools of the loaded state; then Opened
  bool again = false;
};
struct ArmDeadline {};
struct DisarmDeadline {};
struct DropModel {};
struct DropTools {};
struct HaltSubAgents {};  ///< and drop the tools; then SubAgentsHalted
struct LetGo {};          ///< of model, tools and summary; then LetGone
struct RetryWrite {};     ///< the last Write again, later
struct HandBack {         ///< tell watchers; the run is over
  RunEnd how = RunEnd::AtBoundary;
};
struct End {  ///< the run is over
  RunEnd how = RunEnd::Finished;
};

}  // namespace run

/// An event of the conversation is passed on to its machine.
using RunEvent =
    std::variant<Event, run::Loaded, run::LoadFailed, run::Opened, run::Drain, run::Pause,
                 run::GraceOver, run::Cancel, run::DeadlineReached, run::LeaseLost, run::Halt,
                 run::Written, run::WriteFailed, run::SubAgentsHalted, run::SubAgentsGone,
                 run::CallSuspended, run::LetGone>;

/// What its machine wants, but for the ends, which the run translates; and its own.
using RunAction =
    std::variant<action::AskModel, action::GoOnAsking, action::RunTool, action::Commit,
                 action::AbortAll, action::DropSummary, run::Load, run::Open, run::ArmDeadline,
                 run::DisarmDeadline, run::DropModel, run::DropTools, run::HaltSubAgents,
                 run::LetGo, run::RetryWrite, run::HandBack, run::End>;
using RunActions = std::vector<RunAction>;

}  // namespace ba
