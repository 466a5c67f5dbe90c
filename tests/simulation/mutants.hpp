#pragma once
// SPDX-License-Identifier: Apache-2.0
// Protections that can be left out, one at a time, to show that the checker would notice. Those
// listed here are left out in the simulated servers or in what stands around the worker's ports:
// they belong to SQL or to librdkafka. Those of the product's own code stand in protections.py and
// come after them; they are left out in copies of its sources. Values.

#include <string_view>
#include <vector>

#include "tests/support/ledger_flaws.hpp"

namespace ba::sim {

enum class Mutant {
  None,
  // PostgreSQL
  NoFence,           ///< writes don't prove their incarnation
  FenceWithoutLock,  ///< a plain SELECT: the reaper doesn't wait
  ReaperIgnoresOwnLease,
  ReaperKeepsJobs,
  ReaperKeepsShards,
  NoUniqueJob,
  JobKeyWithoutTenant,
  ConversationKeyWithoutTenant,
  FinalDeltaRepeats,
  OffsetsBeforeJobs,  ///< the ledger's offsets in a transaction of their own, first
  DeadLettersDropped,
  EpochsNotCompared,  ///< an offset of an older epoch counts
  ClaimListsNewOnly,
  AttemptNotCounted,
  TwoOfOneConversation,
  AllJobsFresh,     ///< nothing that is stored of a job is loaded
  OutboxRowsLater,  ///< not in the final transaction
  BatchGrowsUnderWay,
  CrashNotTold,
  WastedCallsOverwritten,
  CrashToldAgain,      ///< though something was written since
  ReplacedResultKept,  ///< the terminal row stays when Kafka gets a smaller record
  WithdrawnNumberComesAgain,
  LateWithdrawalCounts,  ///< records for closed topics are taken out of whatever batch there is
  IncarnationIdsComeAgain,
  SubAgentsStay,      ///< when their job goes back
  SubAgentsOutlive,   ///< the job that asked for them
  SummaryAskedAgain,  ///< at a place where one was lost
  UnpublishedJobsRemoved,
  HistoriesRemovedInPart,
  RemovedMessagesStay,     ///< in their conversation, without their job
  WaitsEndEarly,           ///< whatever a job may wait for its conversation
  FirstOneOverdue,         ///< a job that waits for nobody ends for its wait
  ArtifactsNeededRemoved,  ///< those of jobs that have not ended
  FlightsNotHeld,          ///< a result that another process makes is made beside it
  // Kafka
  ReceiptOutside,  ///< of the transaction
  ReceiptReadBeforeInit,
  NoInitAfterFailure,
  UnknownCommitIsSuccess,
  UnknownCommitIsFailure,
  SetBackIgnored,
  LostReceiptIgnored,
  OffsetCommittedAtOnce,
  StartAtKafkaOffset,
  // the worker's steps
  IntentNotRecorded,  ///< no start record of a call
  IntentNotRead,
  ActsBeforeDurable,
  KeyPerTry,         ///< a keyed tool gets another key at each try
  ClassIgnored,      ///< a once tool is run as a keyed one
  UnknownIsFailure,  ///< of a tool that isn't pure
  kCount             ///< the first one of protections.py
};

std::string_view to_string(Mutant mutant);  ///< kebab-case
std::vector<Mutant> all_mutants();

/// From now on, in this process: what the copies of the product's sources leave out.
void leave_out(Mutant mutant);
/// Is it this one of protections.py? For those copies.
bool left_out(int protection);

/// What the ledger in memory leaves out for it.
LedgerFlaws flaws_of(Mutant mutant);

}  // namespace ba::sim
