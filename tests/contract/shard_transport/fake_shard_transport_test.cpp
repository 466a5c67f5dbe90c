// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_shard_transport.hpp"
#include "tests/contract/shard_transport/shard_transport_contract.hpp"

namespace ba {
namespace {

class FakeWorld final : public ShardTransportWorld {
 public:
  FakeWorld() { network_.faults().delay_max = Milliseconds(5); }

  ShardTransports& transports() override { return transports_; }
  bool run_until(const std::function<bool()>& reached) override {
    return world_.run_until(reached, std::chrono::minutes(1));
  }
  std::string topic() override { return "results"; }
  std::vector<std::string> committed_values() override {
    std::vector<std::string> values;
    for (const OutboxRecord& record : kafka_.committed()) values.push_back(record.value);
    return values;
  }

 private:
  VirtualExecutor world_{7};
  FakeNetwork network_{world_, {}};
  FakeKafka kafka_;
  FakeShardTransports transports_{kafka_, network_, world_};
};

INSTANTIATE_TEST_SUITE_P(Fake, ShardTransportContract,
                         testing::Values([] { return std::make_unique<FakeWorld>(); }),
                         [](const auto&) { return "Fake"; });

}  // namespace
}  // namespace ba
