#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ledger of one role, through the ports, as a worker has it. What belongs to the rows' owner is
// left out.

#include <stdexcept>

#include "storage/storage.hpp"
#include "tests/contract/ledger_contract.hpp"
#include "tests/support/loop_executor.hpp"

namespace ba {

class RoleRig final : public LedgerRig {
 public:
  explicit RoleRig(const storage::PgAccess& access) {
    storage::PgOptions options;
    options.access = access;
    options.shards = kShards;
    auto opened = storage::open_storage(options, executor_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = *std::move(opened);
  }
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  Membership& membership() override { return storage_->membership(); }
  Ledger& ledger() override { return storage_->ledger(); }
  Outbox& outbox() override { return storage_->outbox(); }
  Retention& retention() override { return storage_->retention(); }
  void expire(IncarnationId) override {}
  void lose_newest(IncarnationId) override {}
  void lose(IncarnationId) override {}
  Result<JobStanding> control(const std::string&, JobAction) override { return Error{}; }
  Result<UnresolvedCall> resolve(const std::string&, const CallAnswer&) override { return Error{}; }
  Result<storage::CopiedRows> copy_job(const storage::JobCopy&) override { return Error{}; }
  void age(Milliseconds) override {}
  void another_removes(bool) override {}
  std::vector<std::string> job_ids() override { return {}; }
  std::string dump() override { return {}; }

 private:
  LoopExecutor executor_;
  std::unique_ptr<storage::PgStorage> storage_;
};

/// The contract's calls over any rig; each test gives it its own.
class RoleTest : public LedgerContract {
 protected:
  void work_as(const storage::PgAccess& access) { rig_ = std::make_unique<RoleRig>(access); }

  /// A job from its intake to its end, with a tool call, and its results out of the outbox.
  void run_a_job(const std::string& id) {
    const auto self = enter();
    ASSERT_TRUE(own_shards(self));
    IntakeBatch batch = batch_of({{.job_id = id}});
    batch.dead_letters = {dead_letter(++letters_)};
    batch.offsets = {{"ba.jobs", "id-1", 0, 100 + letters_}};
    const auto taken = intake(self, std::move(batch), 1);
    ASSERT_TRUE(taken) << taken.error().message;
    ASSERT_EQ(taken->jobs.size(), 1u);
    const ClaimedJob job = taken->jobs[0];
    for (Delta delta : {round_opened(job), step_replied(job), call_started(job), call_finished(job),
                        finished(job, id)}) {
      const auto written = append(self, std::move(delta));
      ASSERT_TRUE(written) << written.error().message;
    }
    for (int shard = 0; shard < LedgerRig::kShards; ++shard) {
      const auto next = next_batch(self, shard, 0);
      ASSERT_TRUE(next) << next.error().message;
    }
    const auto renewed = renew(self);
    ASSERT_TRUE(renewed) << renewed.error().message;
    ASSERT_TRUE(reap(self));
    ASSERT_TRUE(leave(self));
  }

  int letters_ = 0;
};

}  // namespace ba
