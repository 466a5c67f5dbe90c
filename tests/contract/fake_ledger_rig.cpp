// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "tests/contract/ledger_contract.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

class StandingClock final : public Clock {
 public:
  SteadyTime now() const override { return SteadyTime(std::chrono::hours(1)); }
  WallTime wall() const override { return WallTime(Microseconds(1772366400000000)); }
};

class FakeLedgerRig final : public LedgerRig {
 public:
  LoopExecutor& executor() override { return executor_; }
  Membership& membership() override { return ledger_; }
  Ledger& ledger() override { return ledger_; }
  Outbox& outbox() override { return ledger_; }
  Retention& retention() override { return ledger_; }
  void expire(IncarnationId incarnation) override { ledger_.expire(incarnation); }
  void lose_newest(IncarnationId incarnation) override { ledger_.lose_newest(incarnation); }
  void lose(IncarnationId incarnation) override { ledger_.lose(incarnation); }
  Result<JobStanding> control(const std::string& job_id, JobAction action) override {
    return ledger_.control(TenantId("acme"), JobId(job_id), action);
  }

  Result<UnresolvedCall> resolve(const std::string& job_id, const CallAnswer& answer) override {
    return ledger_.resolve(TenantId("acme"), JobId(job_id), answer);
  }

  void age(Milliseconds by) override { ledger_.age(by); }
  void another_removes(bool removes) override { ledger_.another_removes(removes); }
  std::vector<std::string> job_ids() override {
    std::vector<std::string> ids;
    for (const auto& [id, job] : ledger_.jobs()) ids.push_back(job.intake.job.job_id.value);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  std::string dump() override {
    std::ostringstream out;
    for (const auto& [id, job] : ledger_.jobs()) {
      out << id.value << ' ' << static_cast<int>(job.state) << ' ' << job.incarnation.value << ' '
          << to_string(job.request) << ' ' << job.attempt << ' ' << job.after_crash << ' '
          << job.rounds.size() << ' ' << job.steps.size() << ' ' << job.messages.size() << ' ';
      for (const auto& [position, call] : job.calls)
        out << to_string(call.state) << position.index << ' ';
      for (const auto& [incarnation, calls] : job.wasted_model_calls)
        out << incarnation.value << '=' << calls << ' ';
      out << '\n';
    }
    for (const FakeShard& shard : ledger_.shards())
      out << shard.owner.value << ' ' << shard.assigned_batch << ' ' << shard.published_batch << ' '
          << shard.stopped_reason << '\n';
    out << ledger_.outbox().size() << ' ' << ledger_.dead_letters().size();
    return out.str();
  }

 private:
  LoopExecutor executor_;
  StandingClock clock_;
  FakeLedger ledger_{executor_, clock_, kShards};
};

}  // namespace

std::unique_ptr<LedgerRig> make_ledger_rig() { return std::make_unique<FakeLedgerRig>(); }

}  // namespace ba
