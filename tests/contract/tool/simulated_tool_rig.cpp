// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/tool/simulated_tool_rig.hpp"

#include "tests/simulation/checker.hpp"
#include "tests/simulation/tools.hpp"

namespace ba {
namespace {

using namespace sim;

class SimulatedRig final : public StatusRig {
 public:
  explicit SimulatedRig(const std::string& name) : name_(name) {
    checker_.watch(database_, group_);
    box_->set_stage(&stage_);
  }
  ~SimulatedRig() override { world_.close(); }

  Tool& tool() override { return *box_->registry().find(name_)->tool; }
  void close() override { box_.reset(); }

  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.tool_name = name_;
    call.tenant = tenant(number);
    call.parameters = R"({"for":")" + call.tenant.value + R"("})";
    call.job = LedgerJobId(number + 1);
    call.idempotency_key = "key-" + std::to_string(number);
    return call;
  }

  std::string data(int number) override {
    return R"({"for":")" + tenant(number).value + R"(","rows":[1,2]})";
  }

  void act(const std::function<void()>& task) override {
    bool done = false;
    process_.post([&] {
      task();
      done = true;
    });
    ASSERT_TRUE(run_until([&] { return done; }));
  }

  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!world_.run_one()) return false;
    return true;
  }

  void settle() override {
    while (world_.run_one()) {
    }
  }

  void happened(int) override {}  // its server knows

 private:
  static TenantId tenant(int number) { return TenantId("tenant-" + std::to_string(number)); }

  const std::string name_;
  World world_{1, false};
  const Scenario scenario_;
  const Plan plan_;
  Checker checker_{world_, scenario_, plan_};
  Database database_{world_, scenario_, Mutant::None, checker_};
  Group group_{world_, scenario_, JobTopics(), checker_};
  LinkFaults link_;
  ToolStage stage_{world_, scenario_, checker_, link_, Mutant::None, false, {}, {}, {}, {}, 0};
  Process process_{world_, ProcessTraits{}, [] {}};
  std::unique_ptr<ToolBox> box_ = std::make_unique<ToolBox>(Mutant::None);
};

}  // namespace

std::unique_ptr<StatusRig> make_simulated_tool_rig(const std::string& name) {
  return std::make_unique<SimulatedRig>(name);
}

}  // namespace ba
