#pragma once
// SPDX-License-Identifier: Apache-2.0
// What RunProtocol does, as a table: each situation, and below it what comes of each event there,
// as `phase: actions | events`. An event that stands nowhere below a situation can't come in it.
// `+agents`: sub-agents are at work. `+paid`: a model call is under way that may be paid.
//
// It covers all phases, and which actions the run's own events and a few of its conversation's
// bring. What isn't here: what the actions carry (rows, counts of lost calls), jobs that can't be
// loaded whole, are unfit or overdue, and when summaries are wanted. run_protocol_test has some of
// that, engine tests the rest.

namespace ba {

inline constexpr const char* kLaw = R"(
Loading
  Loading: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Pause
  Loading: | SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Opening: Open | Loaded
  Over: End(Broken) | LoadFailed
  Over: End(Fenced) | LeaseLost LoadFailed/fenced
  Over: End(AtBoundary) | Drain GraceOver GraceOver+agents GraceOver+paid Halt
  Loading: DisarmDeadline | Cancel Cancel+agents

Opening
  Opening: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Pause
  Opening: | SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Running: ArmDeadline AskModel | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, cancelled
  Opening: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Opening: | DeadlineReached+agents Drain Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: Write(cancelled) | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, paused
  Opening: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Pause
  Opening: | SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  LettingGo: ArmDeadline LetGo | Opened
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Opening, again
  Opening: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Halt
  Opening: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  Opening: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Closing: AbortAll Write(failed) | Opened

Running, the model is asked
  Running: | CallSuspended CallSuspended+agents Drain Pause SubAgentsGone SubAgentsUsed SummaryEnded
  Running: Write | ModelAnswered/calls
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  Running: Write(completed) | ModelAnswered
  HaltingAgents: HaltSubAgents | DeadlineReached+agents
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, a step is written
  Running: | CallSuspended CallSuspended+agents Drain Pause SubAgentsGone SubAgentsUsed SummaryEnded
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Running: AbortAll | DeadlineReached SubAgentsUsed/limit
  Running: RetryWrite | WriteFailed/trouble
  Running: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: RunTool RunTool | Written
  HaltingAgents: HaltSubAgents | DeadlineReached+agents
  Running: DisarmDeadline AbortAll | Cancel
  Halting: DropModel DropTools DisarmDeadline | Halt
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

Running, tools run
  Running: | CallSuspended CallSuspended+agents Drain Pause SubAgentsGone SubAgentsUsed
  Running: Write | SummaryEnded
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  HaltingAgents: HaltSubAgents | DeadlineReached+agents
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, tools run, grace is over
  Running: | CallSuspended+agents Drain Pause SubAgentsGone SubAgentsUsed
  Running: Write | SummaryEnded
  LettingGo: LetGo | CallSuspended
  Over: End(Fenced) | LeaseLost
  Running: DisarmDeadline | GraceOver+agents
  HaltingAgents: HaltSubAgents | DeadlineReached+agents
  LettingGo: DisarmDeadline LetGo | GraceOver GraceOver+paid
  Running: AbortAll Write(cost_limit) | SubAgentsUsed/limit
  Running: AbortAll Write(deadline_exceeded) | DeadlineReached
  HaltingAgents: DisarmDeadline HaltSubAgents | Cancel+agents
  Running: DisarmDeadline AbortAll Write(cancelled) | Cancel
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Running, the end is written
  Running: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Running: | Drain Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Over: End(Finished) | Written
  Running: RetryWrite | WriteFailed/trouble
  HaltingAgents: HaltSubAgents | DeadlineReached+agents
  Running: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Halting: DropModel DropTools DisarmDeadline | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

HaltingAgents
  Stopping: | SubAgentsHalted+agents
  HaltingAgents: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  HaltingAgents: | DeadlineReached+agents Drain Pause SubAgentsGone SubAgentsUsed
  HaltingAgents: | SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost
  HaltingAgents: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsHalted
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping
  Stopping: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Stopping: | DeadlineReached+agents Drain Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, at its deadline
  Stopping: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Pause
  Stopping: | SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(deadline_exceeded) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, at its deadline, cancelled
  Stopping: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Stopping: | DeadlineReached+agents Drain Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, cancelled, at its deadline
  Stopping: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Stopping: | DeadlineReached+agents Drain Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, a step was written
  Stopping: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Stopping: | DeadlineReached+agents Drain Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | SubAgentsGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

Stopping, a step is written
  Stopping: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Stopping: | DeadlineReached+agents Drain Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Stopping: | Written
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Running: AbortAll | SubAgentsGone
  Stopping: RetryWrite | WriteFailed/trouble
  Stopping: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

LettingGo
  LettingGo: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Pause
  LettingGo: | SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  GivingBack: Write | LetGone LetGone/summary
  Over: End(Fenced) | LeaseLost
  LettingGo: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

LettingGo, nothing is lost
  LettingGo: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Pause
  LettingGo: | SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  GivingBack: Write | LetGone/summary
  Over: End(Fenced) | LeaseLost
  LettingGo: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: HandBack(AtBoundary) | LetGone
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt

GivingBack
  GivingBack: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain
  GivingBack: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  GivingBack: RetryWrite | WriteFailed/trouble
  GivingBack: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Over: HandBack(AtBoundary) | Written
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

GivingBack, at its deadline
  GivingBack: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain
  GivingBack: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  GivingBack: RetryWrite | WriteFailed/trouble
  GivingBack: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(deadline_exceeded) | Written
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

GivingBack, cancelled
  GivingBack: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  GivingBack: | DeadlineReached+agents Drain Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  GivingBack: RetryWrite | WriteFailed/trouble
  GivingBack: DisarmDeadline | GraceOver GraceOver+agents GraceOver+paid
  Running: AbortAll Write(cancelled) | Written
  Over: DropModel DropTools DisarmDeadline End(AtBoundary) | Halt
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/conflict
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/refused
  Reloading: DropModel DropSummary DisarmDeadline DropTools Load | WriteFailed/too_large
  HaltingAgents: DropModel DropSummary DisarmDeadline HaltSubAgents | WriteFailed/refused+agents

Halting
  Halting: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Halt
  Halting: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Halting: RetryWrite | WriteFailed/trouble
  Over: End(AtBoundary) | WriteFailed/conflict WriteFailed/refused WriteFailed/refused+agents
  Over: End(AtBoundary) | WriteFailed/too_large Written
  Halting: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Refused
  Refused: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Halt
  Refused: | Pause SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Fenced) | LeaseLost
  Refused: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid
  Reloading: DropTools Load | SubAgentsGone

Reloading
  Reloading: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Halt
  Reloading: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit
  Over: End(Broken) | LoadFailed
  Over: End(Fenced) | LeaseLost LoadFailed/fenced
  Opening: Open(again) | Loaded
  Reloading: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Closing
  Closing: | CallSuspended CallSuspended+agents DeadlineReached DeadlineReached+agents Drain Halt
  Closing: | Pause SubAgentsGone SubAgentsUsed SubAgentsUsed/limit SummaryEnded
  Over: End(Broken) | WriteFailed/conflict WriteFailed/refused WriteFailed/refused+agents
  Over: End(Broken) | WriteFailed/too_large
  Over: End(Fenced) | LeaseLost WriteFailed/fenced
  Closing: RetryWrite | WriteFailed/trouble
  Over: End(Finished) | Written
  Closing: DisarmDeadline | Cancel Cancel+agents GraceOver GraceOver+agents GraceOver+paid

Over
  Over: | CallSuspended CallSuspended+agents Cancel Cancel+agents DeadlineReached
  Over: | DeadlineReached+agents Drain GraceOver GraceOver+agents GraceOver+paid Halt LeaseLost
  Over: | LetGone LetGone/summary LoadFailed LoadFailed/fenced Loaded ModelAnswered
  Over: | ModelAnswered/calls Opened Pause SubAgentsGone SubAgentsHalted SubAgentsHalted+agents
  Over: | SubAgentsUsed SubAgentsUsed/limit SummaryEnded WriteFailed/conflict WriteFailed/fenced
  Over: | WriteFailed/refused WriteFailed/refused+agents WriteFailed/too_large WriteFailed/trouble
  Over: | Written
)";

}  // namespace ba
