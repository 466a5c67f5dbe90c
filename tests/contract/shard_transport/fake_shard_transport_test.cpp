// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_shard_transport.hpp"
#include "tests/contract/shard_transport/shard_transport_contract.hpp"

namespace ba {
namespace {

class FakeBareProducer final : public BareProducer {
 public:
  FakeBareProducer(FakeKafka& kafka, int shard) : kafka_(kafka), shard_(shard) {}

  Result<void> init() override {
    epoch_ = kafka_.init(shard_);
    return {};
  }
  Result<void> produce(const OutboxBatch& batch) override {
    if (auto begun = told(kafka_.begin(shard_, epoch_)); !begun) return begun;
    return told(kafka_.produce(shard_, epoch_, batch.records, batch.number));
  }
  Result<void> commit() override { return told(kafka_.commit(shard_, epoch_)); }

 private:
  static Result<void> told(FakeKafka::Answer answer) {
    if (answer == FakeKafka::Answer::Ok) return {};
    const bool fenced = answer == FakeKafka::Answer::Fenced;
    return Error{
        fenced ? ErrorCode::Fenced : ErrorCode::Protocol, Retry::Never, "refused", "", {}, false};
  }

  FakeKafka& kafka_;
  int shard_;
  int epoch_ = -1;
};

class FakeWorld final : public ShardTransportWorld {
 public:
  FakeWorld() { network_.faults().delay_max = Milliseconds(5); }

  ShardTransports& transports() override { return transports_; }
  std::unique_ptr<BareProducer> bare_producer(int shard) override {
    return std::make_unique<FakeBareProducer>(kafka_, shard);
  }
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
