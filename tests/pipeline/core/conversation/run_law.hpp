#pragma once
// SPDX-License-Identifier: Apache-2.0
// The law of a run as a table: each situation, and below it what comes of each event there, as
// `phase: actions | events`. An event that stands nowhere below a situation can't come in it.
// `+agents`: sub-agents are at work. `+paid`: a model call is under way that may be paid.

namespace ba {

inline constexpr const char* kLaw = R"(
Loading
  Loading: | CallSuspended DeadlineReached Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Opening: Open | Loaded
  Over: End(Broken) | LoadFailed
  Over: End(Fenced) | LeaseLost LoadFailed/fenced
  Over: End(AtBoundary) | Drain GraceOver GraceOver+agents GraceOver+paid Halt
  Loading: DisarmDeadline | Cancel Cancel+agents

Opening
  Opening: | CallSuspended DeadlineReached Drain Pause SubAgentsGone SubAgentsUsed
  Opening: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Running: ArmDeadline AskModel | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, cancelled
  Opening: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsGone
  Opening: | SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: Write(cancelled) | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, paused
  Opening: | CallSuspended DeadlineReached Drain Pause SubAgentsGone SubAgentsUsed
  Opening: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  LettingGo: ArmDeadline LetGo | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, again
  Opening: | CallSuspended DeadlineReached Drain Halt Pause SubAgentsGone SubAgentsUsed
  Opening: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Closing: AbortAll Write(failed) | Opened

Running, the model is asked
  Running: | CallSuspended Drain Pause SubAgentsGone SubAgentsUsed SummaryEnded
  Running: Write | ModelAnswered/calls
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  Running: Write(completed) | ModelAnswered
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, a step is written
  Running: | CallSuspended Drain Pause SubAgentsGone SubAgentsUsed SummaryEnded
  Running: RunTool | Written
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Running: AbortAll | DeadlineReached SubAgentsUsed/limit
  Running: RetryWrite | WriteFailed/trouble
  Running: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: DisarmDeadline AbortAll | Cancel
  Halting: DropModel DropTools DisarmDeadline | Halt
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

Running, tools run
  Running: | Drain Pause SubAgentsGone SubAgentsUsed
  Running: Write | SummaryEnded
  LettingGo: LetGo | CallSuspended
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, tools run, grace is over
  Running: | Drain Pause SubAgentsGone SubAgentsUsed
  Running: Write | SummaryEnded
  LettingGo: LetGo | CallSuspended
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, the end is written
  Running: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsGone
  Running: | SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Over: End(Finished) | Written
  Running: RetryWrite | WriteFailed/trouble
  Running: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Halting: DropModel DropTools DisarmDeadline | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

HaltingAgents
  Stopping: | SubAgentsHalted+agents
  HaltingAgents: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsGone
  HaltingAgents: | SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  HaltingAgents: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsHalted
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping
  Stopping: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsUsed
  Stopping: | SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, a step was written
  Stopping: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsUsed
  Stopping: | SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, a step is written
  Stopping: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsUsed
  Stopping: | SubAgentsUsed/limit SummaryEnded Written
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Running: AbortAll | SubAgentsGone
  Stopping: RetryWrite | WriteFailed/trouble
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

LettingGo
  LettingGo: | CallSuspended DeadlineReached Drain Pause SubAgentsGone SubAgentsUsed
  LettingGo: | SubAgentsUsed/limit
  GivingBack: Write | LetGone LetGone/summary
  Over: End(Fenced) | LeaseLost
  LettingGo: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

LettingGo, nothing is lost
  LettingGo: | CallSuspended DeadlineReached Drain Pause SubAgentsGone SubAgentsUsed
  LettingGo: | SubAgentsUsed/limit
  GivingBack: Write | LetGone/summary
  Over: End(Fenced) | LeaseLost
  Over: HandBack(AtBoundary) | LetGone
  LettingGo: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

GivingBack
  GivingBack: | CallSuspended DeadlineReached Drain Pause SubAgentsGone SubAgentsUsed
  GivingBack: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  GivingBack: RetryWrite | WriteFailed/trouble
  GivingBack: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: HandBack(AtBoundary) | Written
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

GivingBack, cancelled
  GivingBack: | CallSuspended Cancel Cancel+agents DeadlineReached Drain Pause SubAgentsGone
  GivingBack: | SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  GivingBack: RetryWrite | WriteFailed/trouble
  GivingBack: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | Written
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

Halting
  Halting: | CallSuspended DeadlineReached Drain Halt Pause SubAgentsGone SubAgentsUsed
  Halting: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Halting: RetryWrite | WriteFailed/trouble
  Over: End(AtBoundary) | WriteFailed/refused WriteFailed/refused+agents Written
  Halting: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Refused
  Refused: | CallSuspended DeadlineReached Drain Halt Pause SubAgentsUsed SubAgentsUsed/limit
  Refused: | SummaryEnded
  Over: End(Fenced) | LeaseLost
  Refused: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Reloading: DropTools Load | SubAgentsGone

Reloading
  Reloading: | CallSuspended DeadlineReached Drain Halt Pause SubAgentsGone SubAgentsUsed
  Reloading: | SubAgentsUsed/limit
  Over: End(Broken) | LoadFailed
  Over: End(Fenced) | LeaseLost LoadFailed/fenced
  Opening: Open(again) | Loaded
  Reloading: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Closing
  Closing: | CallSuspended DeadlineReached Drain Halt Pause SubAgentsGone SubAgentsUsed
  Closing: | SubAgentsUsed/limit SummaryEnded
  Over: End(Broken) | WriteFailed/refused WriteFailed/refused+agents
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Closing: RetryWrite | WriteFailed/trouble
  Over: End(Finished) | Written
  Closing: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Over
  Over: | CallSuspended Cancel Cancel+agents DeadlineReached Drain GraceOver GraceOver+agents
  Over: | GraceOver+paid Halt LeaseLost LetGone LetGone/summary LoadFailed LoadFailed/fenced
  Over: | Loaded ModelAnswered ModelAnswered/calls Opened Pause SubAgentsGone SubAgentsHalted
  Over: | SubAgentsHalted+agents SubAgentsUsed SubAgentsUsed/limit SummaryEnded WriteFailed/fenced
  Over: | WriteFailed/refused WriteFailed/refused+agents WriteFailed/trouble Written
)";

}  // namespace ba
