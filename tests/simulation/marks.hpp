#pragma once
// SPDX-License-Identifier: Apache-2.0
// What must happen sometimes: rare branches that a run has to reach, or it was too gentle. Values.

#include <array>
#include <cstdint>
#include <string_view>

namespace ba::sim {

enum class Mark {
  CommitAnswerLost,
  LateCommitApplied,
  CommitRefused,
  DatabaseCrashed,
  DatabaseSetBack,
  FencedWriteRefused,
  FencedWhilePaused,
  LifeLost,
  IncarnationVoid,
  ReaperReaped,
  ReaperWaited,
  ReaperWasDead,
  ClaimAnswerLost,
  IntakeAnswerLost,
  RecordRepeated,
  DeadLetterTaken,
  OffsetCommitRefused,
  Rebalanced,
  MemberExpired,
  LanePaused,
  TopicMadeAgain,
  IntakeBeganAnew,
  TransactionAborted,
  TransactionTimedOut,
  LateEndTxn,
  ProducerFenced,
  CoordinatorMoved,
  GuardReplacedProducer,
  ReceiptSaidSent,
  ReceiptSaidUnsent,
  RecordRefused,
  TopicClosed,
  ResultReplaced,
  ForgedLetterReplaced,
  ShardStoppedAhead,
  ShardStoppedBehind,
  ToolOutcomeUnknown,
  ToolRepeatedWithKey,
  ToolRetried,
  CallFoundRunning,
  ModelCallWasted,
  ModelCallAbandoned,
  ModelReplyLost,
  ReplyCut,
  ReplyFoundNoRoom,      ///< and was paid
  ContextRefused,        ///< unpaid, and heard
  AnsweredAfterRefusal,  ///< of its context, or a reply without room
  JobPoisoned,
  JobOverDeadline,
  JobWaitedTooLong,  ///< for its conversation
  JobOverLimit,
  JobRefusedByLedger,
  JobHandedBack,
  JobWaited,
  CallHappened,
  CallDidNotHappen,
  CallGivenUp,
  ConversationContinued,
  ConversationBeganAnew,
  RequestAfterRemoval,
  JobRemoved,
  OutboxRowRemoved,
  DeadLetterRemoved,
  CancelHeard,
  PauseHeard,
  JobCancelled,
  JobPaused,
  JobResumed,
  IdleJobCancelled,
  SummaryAsked,
  SummaryUsed,
  SummaryReused,
  SummaryRefused,
  SummaryLost,
  ContextCounted,
  CountFailed,        ///< and what we count decides
  CountFoundDurable,  ///< by who took the job over: nobody is asked again
  TaskRepeated,
  SubAgentEnded,
  SubAgentCancelled,
  SubAgentHeld,
  SubAgentWentOn,
  ResultShared,     ///< one job's call gave another's answer
  FlightElsewhere,  ///< another process makes the result
  FlightJoined,     ///< another call of the process does
  FlightTakenOver,  ///< and brought nothing
  CacheUnreachable,
  ArtifactFetched,
  ArtifactNotKept,       ///< and the call was answered all the same
  ServedCallUnknown,     ///< lost under way
  ServedCallDidNothing,  ///< and it is known
  ServedCallSentAgain,   ///< in a new session
  ServedEffectUnheard,   ///< the server died between effect and answer
  ServedToolCameLate,    ///< after it had been wanted, and was used
  ServerForgotSession,
  ServerConnectedAgain,
  PipeBroke,
  SkillActivated,
  SkillRead,  ///< and not activated
  SkillEnded,
  SkillEndRefused,
  SkillCycleRefused,
  SkillDepthRefused,
  SkillForbadeCall,
  SkillEndedByRound,
  SkillTakenOver,          ///< the next worker goes on with it
  SkillMessagesTakenOver,  ///< of a step that was open
  WorkerKilled,
  WorkerKilledMidTask,
  WorkerPaused,
  WorkerDrained,
  kCount
};

inline constexpr std::size_t kMarks = static_cast<std::size_t>(Mark::kCount);

/// How often each was reached.
using MarkCounts = std::array<std::int64_t, kMarks>;

std::string_view to_string(Mark mark);  ///< kebab-case

}  // namespace ba::sim
