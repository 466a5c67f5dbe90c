#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every implementation of the ledger's ports must do, as one suite (ledger_*_contract.cpp).
// It is linked into one program per implementation, each with its own make_ledger_rig().

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/ledger/retention.hpp"
#include "pipeline/core/tool/resolution.hpp"
#include "storage/dead_letters.hpp"

namespace ba {

/// One implementation, fresh and empty, with kShards outbox shards.
class LedgerRig {
 public:
  static constexpr int kShards = 4;

  virtual ~LedgerRig() = default;
  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;
  virtual Membership& membership() = 0;
  virtual Ledger& ledger() = 0;
  virtual Outbox& outbox() = 0;
  virtual Retention& retention() = 0;
  /// Lets the lease of an incarnation run out now.
  virtual void expire(IncarnationId incarnation) = 0;
  /// As after the database went back by the newest transaction of each of its sessions.
  virtual void lose_newest(IncarnationId incarnation) = 0;
  /// As after the database went back to before it entered.
  virtual void lose(IncarnationId incarnation) = 0;
  /// What a person asks of a job of tenant acme.
  virtual Result<JobStanding> control(const std::string& job_id, JobAction action) = 0;
  /// What a person says of a call of such a job.
  virtual Result<UnresolvedCall> resolve(const std::string& job_id, const CallAnswer& answer) = 0;
  /// A new job that a person makes from an old one.
  virtual Result<storage::CopiedRows> copy_job(const storage::JobCopy& wanted) = 0;
  /// Whatever has ended, come, stopped or been published, and each summary, did so that much longer
  /// ago.
  virtual void age(Milliseconds by) = 0;
  /// Another worker is removing rows just now, or not any more.
  virtual void another_removes(bool removes) = 0;
  virtual std::vector<std::string> job_ids() = 0;  ///< of all jobs there are, sorted
  /// Everything there is, as text: equal before and after a call that wrote nothing.
  virtual std::string dump() = 0;
};

std::unique_ptr<LedgerRig> make_ledger_rig();

struct JobSpec {
  std::string job_id;
  std::string tenant = "acme";
  std::string conversation = {};  ///< default: one of its own
  Lane lane = Lane::Normal;
};

class LedgerContract : public testing::Test {
 protected:
  template <typename T>
  Result<T> await(const std::function<void(Completion<T>)>& start) {
    std::optional<Result<T>> answer;
    start([&](Result<T> result) { answer = std::move(result); });
    if (!rig_->run_until([&] { return answer.has_value(); })) {
      ADD_FAILURE() << "no answer";
      return Error{};
    }
    return *std::move(answer);
  }

  Membership& membership() { return rig_->membership(); }
  Ledger& ledger() { return rig_->ledger(); }
  Outbox& outbox() { return rig_->outbox(); }

  // The calls, waited for.
  IncarnationId enter(const std::string& worker = "worker-a");
  Result<void> renew(IncarnationId self);
  Result<int> reap(IncarnationId self);
  Result<void> leave(IncarnationId self);
  Result<ClaimAnswer> intake(IncarnationId self, IntakeBatch batch, int claim_max = 0);
  Result<ClaimAnswer> claim(IncarnationId self, ClaimRequest request);
  Result<ClaimAnswer> claim(IncarnationId self, int jobs_max);
  Result<void> append(IncarnationId self, Delta delta);
  Result<StoredJob> load(const ClaimedJob& job);
  Result<JobRemains> load_remains(const ClaimedJob& job, std::int64_t excerpt_bytes_max = 100'000);
  Result<void> hand_back(IncarnationId self, std::vector<LedgerJobId> jobs);
  /// Hands it back, to wait for a person.
  Result<void> leave_waiting(IncarnationId self, LedgerJobId job);
  Result<std::vector<PartitionOffset>> offsets(std::vector<PartitionOffset> partitions);
  Result<PartitionOffset> reset_intake(IncarnationId self, PartitionOffset partition);
  Result<void> replace_record(IncarnationId self, int shard, RecordReplacement replacement);
  Result<std::vector<ShardState>> own_shards(IncarnationId self);
  Result<std::vector<int>> pending_shards(IncarnationId self);
  Result<OutboxBatch> next_batch(IncarnationId self, int shard, std::int64_t published,
                                 int records_max = 10, std::set<std::string> without = {});
  /// Of `batch` as it was told.
  Result<void> withdraw(IncarnationId self, const OutboxBatch& batch);
  /// `assigned`: the batch that is taken to be assigned last, by default the one that is.
  Result<void> stop_shard(IncarnationId self, int shard, const std::string& reason,
                          std::optional<std::int64_t> assigned = std::nullopt);
  Result<RemovedRows> remove_batch(IncarnationId self, const RetentionRules& rules);

  /// Takes in one job and claims it.
  ClaimedJob running_job(IncarnationId self, const std::string& job_id = "job-1");
  /// One whose first step has its call's result.
  ClaimedJob job_in_step_two(IncarnationId self, const JobSpec& spec = {.job_id = "job-1"});
  /// The payloads ("tenant/job") of a claim's jobs, in its order.
  static std::vector<std::string> names(const Result<ClaimAnswer>& answer);

  std::unique_ptr<LedgerRig> rig_ = make_ledger_rig();
  IncarnationId latest_;  ///< who entered last; loads and asks for offsets
};

// ---- values for the tests ----------------------------------------------------------------------

IntakeJob intake_job(const JobSpec& spec);
IntakeBatch batch_of(const std::vector<JobSpec>& specs);
DeadLetter dead_letter(std::int64_t offset, int shard = 0);
OutboxRecord outbox_record(const std::string& result_id, int shard = 0);

Delta delta_for(const ClaimedJob& job);
Delta round_opened(const ClaimedJob& job, int round = 0);
/// The model's reply of a step with `calls` intended tool calls.
Delta step_replied(const ClaimedJob& job, int step = 1, int calls = 1);
Delta call_started(const ClaimedJob& job, int step = 1, int call = 0);
Delta call_finished(const ClaimedJob& job, int step = 1, int call = 0);
Delta finished(const ClaimedJob& job, const std::string& job_id = "job-1");
/// The same in another round than the first.
Delta in_round(int round, Delta delta);

inline bool is(const Error& error, ErrorCode code) { return error.code == code; }

}  // namespace ba
