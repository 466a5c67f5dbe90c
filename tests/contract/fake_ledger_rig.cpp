// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/fake_rows_rig.hpp"
#include "tests/support/loop_executor.hpp"

namespace ba {
namespace {

class StandingClock final : public Clock {
 public:
  SteadyTime now() const override { return SteadyTime(std::chrono::hours(1)); }
  WallTime wall() const override { return WallTime(Microseconds(1772366400000000)); }
};

class FakeLedgerRig final : public FakeRowsRig {
 public:
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  Membership& membership() override { return ledger_; }
  Ledger& ledger() override { return ledger_; }
  Outbox& outbox() override { return ledger_; }
  Retention& retention() override { return ledger_; }

 private:
  FakeLedger& rows() override { return ledger_; }

  LoopExecutor executor_;
  StandingClock clock_;
  FakeLedger ledger_{executor_, clock_, kShards};
};

}  // namespace

std::unique_ptr<LedgerRig> make_ledger_rig() { return std::make_unique<FakeLedgerRig>(); }

}  // namespace ba
