#pragma once
// SPDX-License-Identifier: Apache-2.0
// The law of one job's run, as a state machine without I/O: on(event, facts) -> actions. It owns
// the conversation's state, passes its events on to advance(), and decides everything around them:
// how a run begins, stops, goes back, begins again when rows are refused, and ends. README.md has
// the picture. Whoever owns it (worker/driver/job_runner) performs the actions in order and feeds
// their outcomes back; an event may come while the actions of another are performed.

#include <memory>
#include <optional>
#include <set>

#include "pipeline/base/rare.hpp"
#include "pipeline/core/conversation/machine.hpp"
#include "pipeline/core/conversation/run_events.hpp"
#include "pipeline/core/conversation/run_losses.hpp"

namespace ba {

enum class RunPhase {
  Loading,        ///< its rows are being read
  Opening,        ///< they are; watchers are told
  Running,        ///< steps follow each other
  HaltingAgents,  ///< its sub-agents are told to halt
  Stopping,       ///< its job is to end once they have come to rest
  LettingGo,      ///< what it has in flight is dropped
  GivingBack,     ///< what was paid is being put on record; then it goes back
  Halting,        ///< of a sub-agent: over once what it is writing is durable
  Refused,        ///< its rows were refused; its sub-agents come to rest
  Reloading,      ///< the rows that are durable are read again
  Closing,        ///< its job ends from these
  Over,
};

class RunProtocol final {
 public:
  /// `overdue`: the job waited too long for its conversation.
  RunProtocol(const MachineContext& context, std::optional<OverdueWait> overdue)
      : context_(context), overdue_(std::move(overdue)) {}

  /// An event that can't come in the phase is a bug of the caller and asserts. Nothing is done for
  /// a run that is over.
  RunActions on(RunEvent event, const RunFacts& facts);

  RunPhase phase() const { return phase_; }
  bool over() const { return phase_ == RunPhase::Over; }
  /// It is to go back at the next boundary, or has ended.
  bool stopping() const { return over() || boundary_; }
  /// Whether a summary that is begun now would be of use.
  bool wants_summaries() const;

  /// Null until the job is loaded. The only way to it.
  const ConversationState* conversation() const { return state_.get(); }

  int lost_calls_recorded() const { return losses_.recorded(); }
  void count_lost_calls_from(int recorded) { losses_.go_on_from(recorded); }

 private:
  class Step;

  const MachineContext context_;
  const std::optional<OverdueWait> overdue_;
  RunPhase phase_ = RunPhase::Loading;
  std::unique_ptr<ConversationState> state_;
  Rare<JobStart> start_;  ///< its ending, and why it is unfit; in Opening
  RunLosses losses_;
  bool boundary_ = false;    ///< drained or paused: no model is asked any more
  bool grace_over_ = false;  ///< nor is a tool waited for
  bool cancelled_ = false;
  Rare<Ending> stop_;                    ///< how its job is to end
  bool written_ = false;                 ///< in Stopping: a write became durable meanwhile
  Rare<Error> refusal_;                  ///< from the refused write on
  std::set<Position> suspended_;         ///< calls that wait for another run of the job
  RunEnd back_as_ = RunEnd::AtBoundary;  ///< from LettingGo on
  bool lost_call_ = false;               ///< in LettingGo: that must be on record
};

}  // namespace ba
