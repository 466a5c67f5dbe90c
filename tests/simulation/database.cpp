// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/database.hpp"

#include <algorithm>
#include <array>

#include "pipeline/base/assert.hpp"
#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

constexpr std::array<std::string_view, 4> kRefusals{"40P01", "40001", "53100", "connection"};

}  // namespace

std::string_view to_string(LedgerCall call) {
  switch (call) {
    case LedgerCall::Enter:
      return "enter";
    case LedgerCall::Renew:
      return "renew";
    case LedgerCall::Reap:
      return "reap";
    case LedgerCall::Leave:
      return "leave";
    case LedgerCall::Intake:
      return "intake";
    case LedgerCall::Claim:
      return "claim";
    case LedgerCall::IntakeOffsets:
      return "intake offsets";
    case LedgerCall::ResetIntake:
      return "reset intake";
    case LedgerCall::LoadRemains:
      return "load remains";
    case LedgerCall::WithdrawBatch:
      return "withdraw batch";
    case LedgerCall::ReplaceRecord:
      return "replace record";
    case LedgerCall::Load:
      return "load";
    case LedgerCall::Append:
      return "append";
    case LedgerCall::BeginSubAgent:
      return "begin a sub-agent";
    case LedgerCall::BeginSummary:
      return "begin a summary";
    case LedgerCall::HandBack:
      return "hand back";
    case LedgerCall::OwnShards:
      return "own shards";
    case LedgerCall::PendingShards:
      return "pending shards";
    case LedgerCall::NextBatch:
      return "next batch";
    case LedgerCall::StopShard:
      return "stop shard";
    case LedgerCall::RemoveBatch:
      return "remove batch";
  }
  return "ledger call";
}

Database::Database(World& world, const Scenario& scenario, Mutant mutant, Checker& checker)
    : world_(world),
      scenario_(scenario),
      mutant_(mutant),
      checker_(checker),
      clock_(world),
      rows_(std::make_unique<FakeLedger>(at_once_, clock_, scenario.shards, flaws_of(mutant))) {
  if (scenario.kept_ms > 0) rows_->compare_last(Milliseconds(scenario.kept_ms));
}

/// A reaper waits for the transactions of those it finds expired, a leaver for its own.
bool Database::waits(const Kind& kind) const {
  if (mutant_ == Mutant::FenceWithoutLock) return false;
  if (kind.call != LedgerCall::Reap && kind.call != LedgerCall::Leave) return false;
  return std::any_of(locks_.begin(), locks_.end(), [&](const auto& lock) {
    if (lock.second == 0) return false;
    return kind.call == LedgerCall::Leave ? lock.first == kind.self : !rows_->alive(lock.first);
  });
}

std::optional<Error> Database::refusal() {
  if (calm_ || !world_.dice.hit(scenario_.strength(Fault::LedgerRefused))) return std::nullopt;
  world_.mark(Mark::CommitRefused);
  Error error = ledger_error(ErrorCode::Unavailable, "PostgreSQL refused");
  error.detail = kRefusals.at(static_cast<std::size_t>(world_.dice.below(kRefusals.size())));
  return error;
}

Microseconds Database::duration() {
  const bool slow = !calm_ && world_.dice.hit(scenario_.strength(Fault::LedgerSlow));
  return world_.up_to(slow ? 1'500'000 : 3'000);
}

void Database::unlock(IncarnationId incarnation) {
  const auto found = locks_.find(incarnation);
  if (found != locks_.end() && --found->second == 0) locks_.erase(found);
}

void Database::crash(Microseconds down) {
  world_.mark(Mark::DatabaseCrashed);
  world_.note("database crashed");
  ++age_;
  locks_.clear();
  down_ = true;
  world_.at(down, [this, age = age_] {
    if (age == age_) down_ = false;
  });
}

void Database::take_backup() {
  world_.note("backup taken");
  backup_ = std::make_unique<FakeLedger>(*rows_);
}

void Database::set_back(Microseconds down) {
  crash(down);
  world_.mark(Mark::DatabaseSetBack);
  world_.note("database set back");
  ++set_backs_;
  rows_ = std::make_unique<FakeLedger>(*backup_);
  checker_.database_was_set_back();
}

void Database::resolve(const TenantId& tenant, const JobId& job, const CallAnswer& answer) {
  BA_ASSERT(rows_->resolve(tenant, job, answer).has_value());
}

bool Database::control(const TenantId& tenant, const JobId& job, JobAction action) {
  return rows_->control(tenant, job, action).has_value();
}

void Database::entered(IncarnationId incarnation) { checker_.entered(incarnation); }

void Database::committed(const Kind& kind, bool success) {
  world_.note(to_string(kind.call), kind.self.value, success);
  if (success) checker_.committed(kind.call, kind.self);
}

}  // namespace ba::sim
