// SPDX-License-Identifier: Apache-2.0
// A simulated worker's way to the simulated PostgreSQL, over a network without faults.
#include "tests/contract/fake_rows_rig.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/ledger_client.hpp"

namespace ba {
namespace {

using namespace sim;

class SimulatedLedgerRig final : public FakeRowsRig {
 public:
  SimulatedLedgerRig() { checker_.watch(database_, group_); }
  ~SimulatedLedgerRig() override { world_.close(); }

  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!world_.run_one()) return false;
    return true;
  }
  Membership& membership() override { return client_; }
  Ledger& ledger() override { return client_; }
  Outbox& outbox() override { return client_; }
  Retention& retention() override { return client_; }

 private:
  FakeLedger& rows() override { return database_.rows_by_hand(); }

  static Scenario calm() {
    Scenario scenario;
    scenario.shards = kShards;
    return scenario;
  }

  World world_{1, false};
  const Scenario scenario_ = calm();
  const Plan plan_;
  const JobTopics topics_;
  Checker checker_{world_, scenario_, plan_};
  Database database_{world_, scenario_, Mutant::None, checker_};
  Group group_{world_, scenario_, topics_, checker_};
  const LinkFaults link_;
  Process process_{world_, ProcessTraits{}, [] {}};
  LedgerClient client_{world_, process_, database_, link_, Mutant::None};
};

}  // namespace

std::unique_ptr<LedgerRig> make_ledger_rig() { return std::make_unique<SimulatedLedgerRig>(); }

}  // namespace ba
