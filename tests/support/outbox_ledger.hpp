#pragma once
// SPDX-License-Identifier: Apache-2.0
// What tests of the outbox need of a ledger: incarnations that enter and die, rows to publish, and
// what became of them. A FakeLedger, so shards and batches follow the rules of its contract suite;
// all of it goes through the ledger's ports. One thread.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba {

class OutboxLedger {
 public:
  /// What is called through outbox() is answered by `executor`.
  OutboxLedger(int shards, Executor& executor) : answers_(executor), shards_(shards) {}

  Outbox& outbox() { return *ledger_; }

  /// One call of a port, answered at once.
  template <typename T, typename Call>
  Result<T> now(const Call& call) {
    std::optional<Result<T>> answer;
    answers_.at_once = true;
    call(*ledger_, [&](Result<T> result) { answer = std::move(result); });
    answers_.at_once = false;
    return *std::move(answer);
  }

  IncarnationId enter() {
    return *now<IncarnationId>([](FakeLedger& ledger, Completion<IncarnationId> done) {
      ledger.enter({}, std::chrono::hours(24), std::move(done));
    });
  }

  /// Its lease runs out and somebody reaps it.
  void die(IncarnationId incarnation) {
    ledger_->expire(incarnation);
    as_another([incarnation](FakeLedger& ledger, IncarnationId self) {
      ledger.reap(self, [](const Result<int>& died) { BA_ASSERT(died.has_value()); });
      BA_ASSERT(ledger.has_ended(incarnation));
    });
  }

  /// The end of a job leaves these rows.
  void finish_job(const JobResult& result, std::vector<OutboxRecord> records) {
    as_another([&](FakeLedger& ledger, IncarnationId self) {
      IntakeBatch batch;
      IntakeJob& intake = batch.jobs.emplace_back();
      intake.job.tenant = result.tenant;
      intake.job.job_id = result.job_id;
      intake.job.conversation_id = ConversationId(result.job_id.value);
      Delta delta;
      delta.finished.emplace();
      delta.finished->result = result;
      delta.finished->outbox = std::move(records);
      ClaimRequest claim;
      claim.jobs_max = 1;
      ledger.intake(self, batch, claim, [&](const Result<ClaimAnswer>& claimed) {
        delta.job = claimed->jobs.at(0).id;
        delta.conversation = claimed->jobs.at(0).conversation;
      });
      ledger.append(self, share(std::move(delta)),
                    [](const Result<void>& done) { BA_ASSERT(done.has_value()); });
    });
  }

  /// A row of a job that is named like it.
  void add(const OutboxRecord& record) {
    JobResult result;
    result.job_id = JobId(record.result_id.value);
    finish_job(result, {record});
  }

  bool all_published() const {
    return std::all_of(ledger_->outbox().begin(), ledger_->outbox().end(),
                       [](const FakeOutboxRow& row) { return row.batch > 0; });
  }
  bool any_stopped() const {
    return std::any_of(ledger_->shards().begin(), ledger_->shards().end(),
                       [](const FakeShard& shard) { return !shard.stopped_reason.empty(); });
  }
  const FakeShard& shard(int number) const {
    return ledger_->shards().at(static_cast<std::size_t>(number));
  }

  /// As it is now; to be restored later, when the database goes back in time.
  FakeLedger backup() const { return *ledger_; }
  void restore(const FakeLedger& backup) { ledger_.emplace(backup); }

 private:
  struct Answers final : Executor {
    explicit Answers(Executor& executor) : later(executor) {}
    void post(std::function<void()> task) override {
      if (at_once) return task();
      later.post(std::move(task));
    }
    std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
      return later.after(delay, std::move(task));
    }
    Executor& later;
    bool at_once = false;
  };

  struct StandingClock final : Clock {
    SteadyTime now() const override { return SteadyTime(std::chrono::hours(1)); }
    WallTime wall() const override { return WallTime(Microseconds(1772366400000000)); }
  };

  /// Work of an incarnation that is gone before anybody shares the shards with it.
  template <typename Work>
  void as_another(const Work& work) {
    const IncarnationId self = enter();
    const auto left = now<void>([&](FakeLedger& ledger, Completion<void> done) {
      work(ledger, self);
      ledger.leave(self, std::move(done));
    });
    BA_ASSERT(left.has_value());
  }

  Answers answers_;
  StandingClock clock_;
  int shards_;
  std::optional<FakeLedger> ledger_{std::in_place, answers_, clock_, shards_};
};

}  // namespace ba
