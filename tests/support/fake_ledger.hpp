#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ledger in memory: Membership, Ledger, Outbox and Retention for tests and simulations.
// Deterministic: one thread, time from the given clock, answers through the executor. It passes the
// contract suite of the real one, asserts what only a bug of the caller could do (finishing a call
// that was never intended), and can be told to fail a call or to lose its answer.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/ledger/retention.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/resolution.hpp"
#include "storage/dead_letters.hpp"
#include "storage/history/known_history.hpp"
#include "tests/support/ledger_flaws.hpp"

namespace ba {

/// The calls of the ports, to name one in a fault.
enum class LedgerCall {
  Enter,
  Renew,
  Reap,
  Leave,
  Intake,
  Claim,
  IntakeOffsets,
  ResetIntake,
  Load,
  LoadRemains,
  Append,
  BeginSubAgent,
  BeginSummary,
  HandBack,
  OwnShards,
  PendingShards,
  NextBatch,
  WithdrawBatch,
  ReplaceRecord,
  StopShard,
  RemoveBatch
};

using FakeJobState = JobState;

struct FakeSummary {
  SummaryRow row;
  std::int64_t estimate_micro_usd = 0;
  SteadyTime began_at{};
  SteadyTime ended_at{};
};

/// One job with all its rows, open to a test's eyes.
struct FakeJob {
  LedgerJobId id;
  LedgerConversationId conversation;
  IntakeJob intake;
  std::optional<AskingCall> asked_by;  ///< of a sub-agent's
  FakeJobState state = FakeJobState::Ready;
  JobRequest request = JobRequest::None;
  SteadyTime accepted_at{};
  std::optional<OverdueWait> overdue;    ///< it was claimed to end for this
  std::optional<SteadyTime> idle_since;  ///< while paused, waiting or held
  Milliseconds idle{0};                  ///< before that
  IncarnationId incarnation;             ///< who runs or finished it
  int attempt = 0;
  int claims = 0;  ///< how often it was claimed; never goes back
  bool after_crash = false;
  std::optional<WallTime> first_claimed_at;
  std::map<Position, Message> messages;
  std::map<int, StoredRound> rounds;
  std::map<std::pair<int, int>, StepReplied> steps;
  std::map<Position, StoredToolCall> calls;
  std::map<Position, StoredSkillUse> skills;
  std::map<IncarnationId, int> wasted_model_calls;
  std::map<Position, CompressionRow> compressions;
  std::map<Position, RefusedContextRow> refused_contexts;  ///< round -1: of a copy's source
  std::map<Position, ExactCountRow> exact_counts;
  std::map<int, CompressedHistoryRow> compressed_histories;
  std::map<Position, FakeSummary> summaries;
  int copied_rounds = 0;  ///< as StoredTally has it
  int copied_step = -1;
  std::optional<JobFinished> finished;
  SteadyTime finished_at{};
};

bool in_calls(const FakeJob& job);            ///< some are open
Savings savings_of(const StepReplied& step);  ///< without price: no money

struct FakeIncarnation {
  Membership::Identity identity;
  SteadyTime lease_until{};
  bool ended = false;
  storage::HistoryMarks marks;
};

/// By which session of which process a call comes.
struct FakeSession {
  std::shared_ptr<storage::KnownHistory> history;
  int slot = 0;
  Result<storage::HistoryMarks> expected{
      storage::HistoryMarks{}};  ///< as of when the call was sent
  std::int64_t raised = 0;       ///< set by a call that raised its mark
};

struct FakeOutboxRow {
  OutboxRecord record;
  std::int64_t batch = 0;  ///< set once it is published
  SteadyTime published_at{};
};

struct FakeShard {
  IncarnationId owner;
  std::int64_t assigned_batch = 0;
  std::int64_t published_batch = 0;
  std::vector<std::size_t> in_flight;  ///< indexes of outbox rows
  std::int64_t version = 1;            ///< changes whenever the shard does
  std::string stopped_reason;
  SteadyTime published_at{};  ///< its newest batch
};

/// Whether it is the same record, in whatever epoch it was read.
inline bool same_record(RecordSource one, const RecordSource& other) {
  one.epoch = other.epoch;
  return one == other;
}

class FakeLedger final : public Membership, public Ledger, public Outbox, public Retention {
 public:
  FakeLedger(Executor& executor, const Clock& clock, int shards, LedgerFlaws flaws = {});

  /// The next call of this kind does nothing and answers with `error`. Faults queue up.
  void fail_next(LedgerCall call, Error error);
  /// What an intake holds of which this says so is refused, as a database refuses data.
  std::function<bool(const IntakeBatch&)> refuses_intake;
  /// The next call of this kind does its work and answers with `error` (Timeout, maybe done).
  void lose_next_answer(LedgerCall call);
  /// Lets the lease of an incarnation run out now.
  void expire(IncarnationId incarnation);
  /// As after the database went back by some transactions of this incarnation, or to before it.
  void lose_newest(IncarnationId incarnation);
  void lose(IncarnationId incarnation) { incarnations_.erase(incarnation); }

  /// What comes from now on comes by this session. By none: from one process that hears each
  /// answer.
  void serve(std::shared_ptr<FakeSession> session) { session_ = std::move(session); }
  /// Whatever has ended, come, stopped or been published did so that much longer ago.
  void age(Milliseconds by);
  /// How much of a shard's end `outbox verify` compares, so that retention keeps it.
  void compare_last(Milliseconds span) { compared_ = span; }
  /// Another worker is removing rows just now, or not any more.
  void another_removes(bool removes) { another_removes_ = removes; }

  /// What a person asks of a job, at once; as storage/control does it.
  Result<JobStanding> control(const TenantId& tenant, const JobId& job, JobAction action);

  /// What a person says of a call for which a job waits, at once; as storage/control does it.
  Result<UnresolvedCall> resolve(const TenantId& tenant, const JobId& job,
                                 const CallAnswer& answer);

  /// A new job made from an old one, at once; as storage/control does it.
  Result<storage::CopiedRows> copy_job(const storage::JobCopy& wanted);

  const FakeJob* find_job(const TenantId& tenant, const JobId& job) const;
  const FakeJob* find_removed(const TenantId& tenant, const JobId& job) const;
  const std::map<LedgerJobId, FakeJob>& jobs() const { return jobs_; }
  const std::vector<FakeOutboxRow>& outbox() const { return outbox_; }
  const std::vector<FakeShard>& shards() const { return shards_; }
  const std::vector<DeadLetter>& dead_letters() const { return dead_letters_; }
  // What retention has removed, for a test's eyes only.
  const std::map<LedgerJobId, FakeJob>& removed_jobs() const { return removed_jobs_; }
  const std::vector<FakeOutboxRow>& removed_outbox() const { return removed_outbox_; }
  const std::vector<DeadLetter>& removed_letters() const { return removed_letters_; }
  int deltas_alone() const { return deltas_alone_; }  ///< appended with Delta::alone
  bool alive(IncarnationId incarnation) const;
  bool has_ended(IncarnationId incarnation) const;  ///< marked as dead, or left
  Error dead(IncarnationId incarnation) const;      ///< what one that isn't alive is told
  std::optional<std::int64_t> intake_offset(const std::string& topic, int partition) const;
  int intake_epoch(const std::string& topic, int partition) const;

  void enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) override;
  void renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) override;
  void reap(IncarnationId self, Completion<int> done) override;
  void leave(IncarnationId incarnation, Completion<void> done) override;

  void intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
              Completion<ClaimAnswer> done) override;
  void claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) override;
  void intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                      Completion<std::vector<PartitionOffset>> done) override;
  void reset_intake(IncarnationId self, PartitionOffset partition,
                    Completion<PartitionOffset> done) override;
  void load(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
            Completion<StoredJob> done) override;
  void load_remains(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                    std::int64_t excerpt_bytes_max, Completion<JobRemains> done) override;
  void append(IncarnationId self, SharedDelta delta, Completion<void> done) override;
  void begin_sub_agent(IncarnationId self, SubAgentOrder order,
                       Completion<SubAgentStanding> done) override;
  void begin_summary(IncarnationId self, SummaryOrder order,
                     Completion<SummaryStanding> done) override;
  void hand_back(IncarnationId self, std::vector<ReturnedJob> jobs, Completion<void> done) override;

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override;
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override;
  void next_batch(IncarnationId self, BatchRequest request, Completion<OutboxBatch> done) override;
  void withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                      Completion<void> done) override;
  void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                      Completion<void> done) override;
  void stop_shard(IncarnationId self, ShardState known, std::string reason,
                  Completion<void> done) override;

  void remove_batch(IncarnationId self, RetentionRules rules,
                    Completion<RemovedRows> done) override;

 private:
  struct Fault {
    bool before = false;  ///< fail without doing anything
    Error error;
  };
  using PartitionKey = std::tuple<std::string, std::string, int>;

  /// Runs `work` as one task of the executor, with this call's next fault if one is queued.
  template <typename T>
  void answer(LedgerCall call, Completion<T> done, std::function<Result<T>()> work);

  IncarnationId fresh_incarnation();
  Result<void> same_history(IncarnationId self) const;
  Result<void> fence(IncarnationId self);
  storage::KnownHistory& history() const { return session_ ? *session_->history : *own_history_; }
  void end(IncarnationId incarnation, bool crashed);
  void give_back(FakeJob& job, bool crashed);
  void leave_waiting(FakeJob& job);

  Result<ClaimAnswer> take_in(IncarnationId self, const IntakeBatch& batch,
                              const ClaimRequest& claim);
  void accept(const IntakeJob& job);
  void accept(const DeadLetter& letter);
  ClaimAnswer claim_now(IncarnationId self, const ClaimRequest& request);
  struct Choice {
    std::vector<LedgerJobId> jobs;
    LanePlaces places;
  };
  Choice choose(IncarnationId self, const ClaimRequest& request) const;
  bool fresh(const FakeJob& job) const;
  bool claimable(const FakeJob& job) const;
  bool ends_anyway(const FakeJob& job) const;
  bool any_runs(LedgerConversationId conversation) const;
  std::vector<LedgerJobId> claim_overdue(IncarnationId self, std::chrono::seconds max);
  const FakeJob* overdue_behind(const FakeJob& job, std::chrono::seconds max) const;
  void start(FakeJob& job, IncarnationId self);
  void stand(FakeJob& job, const JobStanding& standing);
  StoredJob stored(const FakeJob& job) const;
  StoredTally tally_of(const FakeJob& job) const;
  ConversationExcerpt excerpt(const FakeJob& job, std::int64_t bytes_max) const;
  std::vector<Message> history_before(const FakeJob& job) const;
  std::vector<Message> inherited_by(LedgerConversationId conversation) const;

  Result<SubAgentStanding> begin_now(IncarnationId self, const SubAgentOrder& order);
  std::optional<EarlierSubAgent> earlier_sub_agent(const SubAgentOrder& order) const;
  SubAgentUse use_of_sub_agents(LedgerJobId job) const;
  std::int64_t saved_before(const FakeJob& job) const;
  void end_sub_agents(LedgerJobId job);
  void end_calls(FakeJob& job);
  void hold_sub_agents(LedgerJobId job);

  Result<void> write(IncarnationId self, const Delta& delta);
  void write_steps(FakeJob& job, const Delta& delta);
  void write_calls(FakeJob& job, const Delta& delta);
  void write_context(FakeJob& job, const Delta& delta);
  Result<SummaryStanding> begin_now(IncarnationId self, const SummaryOrder& order);
  const FakeSummary* reusable(const SummaryOrder& order) const;
  bool being_written(const SummaryOrder& order) const;
  std::int64_t spent_on_summaries() const;
  std::vector<RefusedContextRow> refused_contexts_of(const FakeJob& job) const;
  void write_skills(FakeJob& job, const Delta& delta);
  std::vector<StoredSkillUse> skill_uses(const FakeJob& job, bool contents) const;
  void finish(FakeJob& job, const JobFinished& finished);
  void publish_later(const OutboxRecord& record);

  Result<FakeShard*> owned_shard(IncarnationId self, int shard);
  bool pending(std::size_t shard) const;
  void replace_result(const RecordReplacement& replacement);
  std::vector<ShardState> share_shards(IncarnationId self);
  OutboxBatch advance(const BatchRequest& request);

  RemovedRows remove_now(const RetentionRules& rules);
  std::vector<LedgerJobId> old_jobs(const RetentionRules& rules) const;
  bool needed(const FakeJob& job, SteadyTime until) const;
  bool unpublished(const ResultId& result) const;
  std::int64_t remove_jobs(const std::vector<LedgerJobId>& old);
  std::int64_t remove_outbox(Milliseconds age, int rows_max);
  std::int64_t remove_letters(Milliseconds age, int rows_max);

  Executor& executor_;
  const Clock& clock_;
  LedgerFlaws flaws_;
  std::map<LedgerCall, std::vector<Fault>> faults_;
  std::map<IncarnationId, FakeIncarnation> incarnations_;
  std::map<LedgerJobId, FakeJob> jobs_;
  std::map<std::pair<TenantId, JobId>, LedgerJobId> job_ids_;
  std::int64_t last_job_ = 0;
  std::map<std::pair<TenantId, ConversationId>, LedgerConversationId> conversation_ids_;
  std::map<std::string, std::string> skill_contents_;        ///< by hash
  std::map<LedgerConversationId, int> conversation_rounds_;  ///< of jobs that have ended
  std::map<LedgerConversationId, std::vector<Message>> inherited_;
  std::map<LedgerConversationId, std::int64_t> inherited_saved_tokens_;  ///< of its results
  std::map<PartitionKey, PartitionOffset> offsets_;
  std::vector<DeadLetter> dead_letters_;
  std::map<ResultId, SteadyTime> letters_came_at_;
  std::vector<FakeOutboxRow> outbox_;
  std::set<ResultId> result_ids_;
  std::vector<FakeShard> shards_;
  int deltas_alone_ = 0;
  /// Copies share them: a number isn't given again by a ledger that is set back to a copy.
  std::shared_ptr<std::int64_t> incarnations_entered_ = std::make_shared<std::int64_t>(0);
  std::shared_ptr<storage::KnownHistory> own_history_ = std::make_shared<storage::KnownHistory>();
  std::shared_ptr<FakeSession> session_;
  bool another_removes_ = false;
  Milliseconds compared_ = std::chrono::hours(1);
  std::map<LedgerJobId, FakeJob> removed_jobs_;
  std::vector<FakeOutboxRow> removed_outbox_;
  std::vector<DeadLetter> removed_letters_;
};

}  // namespace ba
