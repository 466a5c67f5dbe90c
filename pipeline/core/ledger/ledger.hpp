#pragma once
// SPDX-License-Identifier: Apache-2.0
// The durable truth about jobs, as ports. The real one is PostgreSQL (storage/), the double an
// in-memory one (tests/support); both pass the same contract suite (tests/contract).
//
// Every writing call belongs to one incarnation and proves under a lock, in its own transaction,
// that the incarnation is alive. If it is not: ErrorCode::Fenced, and nothing was written. The same
// when the database went back in time and lacks something that was acknowledged under the
// incarnation, which is void from then on: also what it reads of its jobs is refused.
// Every call is safe to repeat. Unavailable and Timeout come back only after the adapter's own
// retries; the caller may repeat. Control thread only; completions come there.

#include <cstddef>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/claim_records.hpp"
#include "pipeline/core/ledger/context_records.hpp"
#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "pipeline/core/ledger/sub_agent_records.hpp"

namespace ba {

// How much one transaction carries, in bytes: a statement beyond a gigabyte is more than PostgreSQL
// takes, and what is written together is held in memory together. A single larger row still goes.

inline constexpr std::size_t kIntakeBatchBytesMax = 8U << 20U;  ///< records taken in together
inline constexpr std::size_t kOutboxBatchBytesMax = 8U << 20U;  ///< values published together

/// Life of one worker start (docs/internals/ledger.md, "Fencing").
class Membership {
 public:
  virtual ~Membership() = default;

  struct Identity {
    std::string worker;  ///< configured name
    std::string host;
    int pid = 0;
    std::string version;
  };

  /// A new incarnation with a lease of `lease` by the database's clock. Its id is not given to
  /// another one again, not even by a database that went back in time; ids have no order.
  virtual void enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) = 0;

  /// Extends the lease; Fenced when it has run out or was taken.
  virtual void renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) = 0;

  /// Marks incarnations whose lease ran out as dead, which waits for their running transactions,
  /// and returns their jobs and shards. Does nothing, and says Fenced, when `self`'s own lease has
  /// run out. The value is how many incarnations died.
  virtual void reap(IncarnationId self, Completion<int> done) = 0;

  /// The end of a clean shutdown: hands back what is left without counting an attempt.
  virtual void leave(IncarnationId incarnation, Completion<void> done) = 0;
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  /// ONE transaction: jobs (unique by tenant and job id), dead letters (by source) with their
  /// outbox records, next offsets; then a claim as below. InvalidArgument: it refuses what a record
  /// holds.
  virtual void intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
                      Completion<ClaimAnswer> done) = 0;

  /// Claims ready jobs: guaranteed lane shares, then lanes in order, fair between tenants, in order
  /// within a conversation, never two running jobs of one. Jobs that are to be cancelled come
  /// on top, whatever holds them back but a running job of their conversation; so do, if asked for,
  /// those that were never begun and wait for an earlier job of their conversation for too long,
  /// counted from when they were taken in, without the time that they were paused. These come
  /// before any other job of their conversation begins, one at a time. Answers with ALL
  /// unfinished jobs this incarnation owns but those in `known`, the new ones included, so that a
  /// lost answer loses no job, and with what people ask of those it owns.
  virtual void claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) = 0;

  /// Where intake of these partitions starts: the ledger's offset, or -1 where it has none; and
  /// the epoch. Fenced like a write, as all that is taken in later relies on the answer.
  virtual void intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                              Completion<std::vector<PartitionOffset>> done) = 0;

  /// Begins a new epoch of a partition whose log no longer holds the ledger's offset: the offset is
  /// none again (-1), so that intake begins at the log's beginning, and the ledger keeps a line
  /// about it. Conflict when `partition.epoch` isn't the current one: ask for the offsets anew.
  virtual void reset_intake(IncarnationId self, PartitionOffset partition,
                            Completion<PartitionOffset> done) = 0;

  virtual void load(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                    Completion<StoredJob> done) = 0;

  /// What is needed to end a job that must not or cannot be loaded; `excerpt_bytes_max` bounds its
  /// ConversationExcerpt.
  virtual void load_remains(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                            std::int64_t excerpt_bytes_max, Completion<JobRemains> done) = 0;

  /// Makes one delta durable. Fenced also when the job isn't running under `self`. The delta is
  /// shared, as the caller keeps it to repeat the call.
  virtual void append(IncarnationId self, SharedDelta delta, Completion<void> done) = 0;

  /// The sub-agent's job of a call of a job that runs under `self`: made and claimed, claimed again
  /// when it was held, or as an earlier run of the call left it. No claim answers with it.
  /// Conflict: the asking job doesn't run, another job has its id, or the agent to be resumed is at
  /// work. NotFound: the conversation to be resumed was left by no sub-agent of the asking job's
  /// conversation. InvalidArgument: it was left by another kind of agent, or didn't come to an end
  /// that it can go on from.
  virtual void begin_sub_agent(IncarnationId self, SubAgentOrder order,
                               Completion<SubAgentStanding> done) = 0;

  /// Puts on record that a model is about to be asked for a summary, where no more than
  /// `hour_micro_usd_max` was and may still be spent on summaries in the last hour, by all workers;
  /// or answers with an earlier one of the same content. Refused where it costs too much, where
  /// the job had a summary at this place, or another job is having this one written. Fenced like
  /// append().
  virtual void begin_summary(IncarnationId self, SummaryOrder order,
                             Completion<SummaryStanding> done) = 0;

  /// Gives jobs back without counting the attempt: ready again, waiting for a person, or paused
  /// where that was asked for. Those of their sub-agents go with them, and are held; so whenever a
  /// job goes back, and after a crash with the lost call that each may have had recorded. One that
  /// ends takes those that have not with it, as cancelled.
  virtual void hand_back(IncarnationId self, std::vector<ReturnedJob> jobs,
                         Completion<void> done) = 0;
};

/// The outbox side (docs/internals/publishing.md).
class Outbox {
 public:
  virtual ~Outbox() = default;

  /// Takes this incarnation's fair share of the shards: at most ceil(shards / live incarnations),
  /// gives back what is above that and not in flight, and answers with all it owns. Stopped shards
  /// are nobody's.
  virtual void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) = 0;

  /// Which of this incarnation's shards have rows that no batch has yet, or a batch that isn't
  /// published. One read, no lock: it only says where next_batch is worth calling.
  virtual void pending_shards(IncarnationId self, Completion<std::vector<int>> done) = 0;

  /// In one transaction: marks batch `published` of the shard as published, then assigns the next
  /// number to up to `records_max` pending rows (their bytes: kOutboxBatchBytesMax) that are not
  /// for a topic in `without`. Answers with it, or with the one assigned and not yet published,
  /// whatever it holds; 0: none is pending. Conflict when the shard isn't this incarnation's (given
  /// back, or stopped); so stop_shard too.
  virtual void next_batch(IncarnationId self, BatchRequest request,
                          Completion<OutboxBatch> done) = 0;

  /// Makes the records of the batch in flight pending again. Its number is never used again, so
  /// that a receipt always stands for the same records, even for a database that went back in time.
  /// Only for a batch that isn't out, as its receipt has shown. No effect where the shard has
  /// changed since next_batch told `version`, so that a late call does no harm. Conflict when the
  /// shard isn't this incarnation's.
  virtual void withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                              Completion<void> done) = 0;

  /// Replaces a record of the shard's batch that is assigned and not published. Conflict when the
  /// shard isn't this incarnation's or the record isn't in that batch.
  virtual void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                              Completion<void> done) = 0;

  /// Stops a shard whose receipt can't be explained by `known`; `reason` is shown by doctor.
  /// Conflict also when the ledger has assigned another batch than `known` says: the shard was
  /// somebody else's in between and came back unheard, and its owner has to begin anew.
  virtual void stop_shard(IncarnationId self, ShardState known, std::string reason,
                          Completion<void> done) = 0;
};

}  // namespace ba
