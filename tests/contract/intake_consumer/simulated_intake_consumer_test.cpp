// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/intake_consumer/intake_consumer_contract.hpp"
#include "tests/simulation/consumer.hpp"

namespace ba {
namespace {

using namespace sim;

class SimulatedRig final : public IntakeConsumerRig, private Group::Listener {
 public:
  ~SimulatedRig() override { world_.close(); }

  const JobTopics& topics() const override { return topics_; }
  std::unique_ptr<IntakeConsumer> join(IntakeEvents events) override {
    return std::make_unique<Consumer>(world_, process_, group_, link_, scenario_, Mutant::None,
                                      std::move(events));
  }
  void send(Lane lane, int partition, const std::vector<std::string>& values) override {
    for (const std::string& value : values) {
      RawRecord record;
      record.value = value;
      group_.append(static_cast<std::size_t>(lane), partition, std::move(record));
    }
  }
  std::int64_t committed(Lane lane, int partition) override {
    return group_.logs().at({topics_.at(static_cast<std::size_t>(lane)), partition}).committed;
  }
  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!world_.run_one()) return false;
    return true;
  }
  void settle() override {
    const SteadyTime end = world_.now() + std::chrono::seconds(1);
    while (world_.now() < end && world_.run_one()) {
    }
  }

 private:
  static Scenario two_partitions() {
    Scenario scenario;
    scenario.partitions = 2;
    scenario.intake_batch = kBatchMax;
    return scenario;
  }

  void offset_committed(const PartitionKey&, std::int64_t) override {}

  static_assert(Consumer::kOutstandingMax == kOutstandingMax);

  World world_{1, false};
  const Scenario scenario_ = two_partitions();
  const JobTopics topics_{"ba.jobs.high", "ba.jobs", "ba.jobs.batch"};
  Group group_{world_, scenario_, topics_, *this};
  LinkFaults link_;
  Process process_{world_, ProcessTraits{}, [] {}};
};

std::unique_ptr<IntakeConsumerRig> make_rig() { return std::make_unique<SimulatedRig>(); }

INSTANTIATE_TEST_SUITE_P(Simulated, IntakeConsumerContract,
                         testing::Values(IntakeConsumerKind{"Simulated", make_rig}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ba
