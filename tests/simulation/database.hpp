#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated PostgreSQL: the ledger in memory that passes the contract suite, behind
// transactions that take a while, hold the fence of their incarnation meanwhile, are refused, die
// with a crash, or take effect unheard. What is committed is told to the checker at once.

#include <map>
#include <memory>
#include <optional>

#include "tests/simulation/faults.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/store_call.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba::sim {

class Checker;

class Database {
 public:
  /// One call of a port, made on the rows when its transaction commits.
  template <typename T>
  using Work = std::function<void(FakeLedger&, Completion<T>)>;

  /// What a transaction is, beside its work.
  struct Kind {
    LedgerCall call = LedgerCall::Claim;
    IncarnationId self;
    bool fenced = true;  ///< proves its incarnation first, under a lock
    std::shared_ptr<FakeSession> session = nullptr;
  };

  Database(World& world, const Scenario& scenario, Mutant mutant, Checker& checker);

  template <typename T>
  void run(Kind kind, Work<T> work, Reply<Result<T>> reply);

  /// Everything open is lost; answers again after `down`.
  void crash(Microseconds down);
  void take_backup();
  bool has_backup() const { return backup_ != nullptr; }
  /// Comes back as it was when the backup was taken.
  void set_back(Microseconds down);
  void jump_clock(Milliseconds by) { clock_.ahead += by; }
  void calm() { calm_ = true; }

  const FakeLedger& rows() const { return *rows_; }
  FakeLedger& rows_by_hand() { return *rows_; }  ///< to change them by no transaction
  bool down() const { return down_; }
  Checker& checker() { return checker_; }
  /// What a person says of a call for which a job waits.
  void resolve(const TenantId& tenant, const JobId& job, const CallAnswer& answer);
  /// What a person asks of a job; false: refused.
  bool control(const TenantId& tenant, const JobId& job, JobAction action);
  int age() const { return age_; }  ///< crashes so far: requests of an earlier age are cut off
  int set_backs() const { return set_backs_; }

 private:
  class RowsClock final : public Clock {
   public:
    explicit RowsClock(const World& world) : world_(world) {}
    SteadyTime now() const override { return began.value_or(world_.now() + ahead); }
    WallTime wall() const override {
      return WallTime(std::chrono::duration_cast<Microseconds>(now().time_since_epoch()));
    }
    Milliseconds ahead{0};
    std::optional<SteadyTime> began;  ///< of the transaction whose work is being done

   private:
    const World& world_;
  };

  template <typename T>
  void commit(Kind kind, SteadyTime began, Work<T> work, Reply<Result<T>> reply);
  template <typename T>
  void await_locks(Kind kind, Work<T> work, Reply<Result<T>> reply);
  bool waits(const Kind& kind) const;
  std::optional<Error> refusal();
  Microseconds duration();
  void unlock(IncarnationId incarnation);
  void committed(const Kind& kind, bool success);
  void entered(IncarnationId incarnation);

  World& world_;
  const Scenario& scenario_;
  Mutant mutant_;
  Checker& checker_;
  RowsClock clock_;
  AtOnce at_once_;
  std::unique_ptr<FakeLedger> rows_;
  std::unique_ptr<FakeLedger> backup_;
  std::map<IncarnationId, int> locks_;  ///< open transactions that hold the fence
  int age_ = 0;
  int set_backs_ = 0;
  bool down_ = false;
  bool calm_ = false;
};

std::string_view to_string(LedgerCall call);

/// After this a waiting transaction looks again whether it may go on.
inline constexpr Microseconds kLockPoll{20'000};

// ---- templates ---------------------------------------------------------------------------------

template <typename T>
void Database::run(Kind kind, Work<T> work, Reply<Result<T>> reply) {
  if (down_) return reply->answer(ledger_error(ErrorCode::Unavailable, "PostgreSQL is down"));
  if (auto refused = refusal()) return reply->answer(*refused);
  if (waits(kind)) return await_locks(kind, std::move(work), std::move(reply));
  if (kind.fenced && !rows_->alive(kind.self) && mutant_ != Mutant::NoFence) {
    world_.mark(Mark::FencedWriteRefused);
    rows_->serve(kind.session);
    const Error dead = rows_->dead(kind.self);
    rows_->serve(nullptr);
    return reply->answer(dead);
  }
  if (kind.fenced) ++locks_[kind.self];
  const Microseconds takes = duration();
  reply->expect(takes);
  world_.under_way(takes);
  world_.at(takes, [this, kind, age = age_, began = clock_.now(), work = std::move(work),
                    reply = std::move(reply)]() mutable {
    if (age != age_) return;  // the crash took it; the connection is cut
    if (kind.fenced) unlock(kind.self);
    commit(kind, began, std::move(work), std::move(reply));
  });
}

template <typename T>
void Database::await_locks(Kind kind, Work<T> work, Reply<Result<T>> reply) {
  world_.mark(Mark::ReaperWaited);
  world_.at(kLockPoll,
            [this, kind, age = age_, work = std::move(work), reply = std::move(reply)]() mutable {
              if (age == age_) run(kind, std::move(work), std::move(reply));
            });
}

template <typename T>
void Database::commit(Kind kind, SteadyTime began, Work<T> work, Reply<Result<T>> reply) {
  std::optional<Result<T>> result;
  // A fence that was proven holds until the end, even if the lease runs out meanwhile.
  if (kind.fenced) clock_.began = began;
  rows_->serve(kind.session);
  work(*rows_, [&](Result<T> answer) { result = std::move(answer); });
  rows_->serve(nullptr);
  clock_.began.reset();
  if constexpr (std::is_same_v<T, IncarnationId>)
    if (*result) entered(**result);
  committed(kind, result->has_value());
  reply->answer(std::move(*result));
}

}  // namespace ba::sim
