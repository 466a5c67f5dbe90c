// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/shard_transport/shard_transport_contract.hpp"
#include "tests/simulation/transport.hpp"

namespace ba {
namespace {

using namespace sim;

class SimulatedBareProducer final : public BareProducer {
 public:
  SimulatedBareProducer(World& world, Transactions& broker, int shard)
      : world_(world), broker_(broker), shard_(shard) {}

  Result<void> init() override {
    return ask([this] {
      const auto [answer, epoch] = broker_.init(shard_);
      epoch_ = epoch;
      return answer;
    });
  }
  Result<void> produce(const OutboxBatch& batch) override {
    auto begun = ask([&] { return broker_.add_partitions(shard_, epoch_, batch.number); });
    if (!begun) return begun;
    transaction_ = batch.number;
    return ask([&] {
      return broker_.produce(shard_, epoch_, sequence_++, {batch.records, batch.number});
    });
  }
  Result<void> commit() override {
    return ask([this] { return broker_.end(shard_, epoch_, transaction_); });
  }

 private:
  using Answer = Transactions::Answer;

  /// Again while the broker writes the markers of another decision.
  Result<void> ask(const std::function<Answer()>& request) {
    Answer answer = request();
    while (answer == Answer::Concurrent && world_.run_one()) answer = request();
    if (answer == Answer::Ok) return {};
    return Error{answer == Answer::Fenced ? ErrorCode::Fenced : ErrorCode::Protocol,
                 Retry::Never,
                 "refused",
                 "",
                 {},
                 false};
  }

  World& world_;
  Transactions& broker_;
  int shard_;
  int epoch_ = -1;
  int sequence_ = 0;
  std::int64_t transaction_ = 0;
};

class SimulatedWorld final : public ShardTransportWorld, private Transactions::Listener {
 public:
  ~SimulatedWorld() override { world_.close(); }

  ShardTransports& transports() override { return transports_; }
  std::unique_ptr<BareProducer> bare_producer(int shard) override {
    return std::make_unique<SimulatedBareProducer>(world_, broker_, shard);
  }
  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!world_.run_one()) return false;
    return true;
  }
  std::string topic() override { return "results"; }
  /// Once what is decided has become visible.
  std::vector<std::string> committed_values() override {
    const SteadyTime end = world_.now() + Milliseconds(20);
    while (world_.now() < end && world_.run_one()) {
    }
    return visible_;
  }

 private:
  void record_visible(const OutboxRecord& record) override { visible_.push_back(record.value); }
  void receipt_visible(int, std::int64_t) override {}
  void record_refused(const OutboxRecord&) override {}

  World world_{1, false};
  std::vector<std::string> visible_;
  Transactions broker_{world_, *this};
  LinkFaults link_;
  bool broker_down_ = false;
  bool coordinator_moving_ = false;
  TransportStage stage_{
      world_, broker_, link_, Mutant::None, broker_down_, coordinator_moving_, 0, [](int shard) {
        return ShardState{shard, 0, 0};
      }};
  Process process_{world_, ProcessTraits{}, [] {}};
  Transports transports_{stage_, process_};
};

INSTANTIATE_TEST_SUITE_P(Simulated, ShardTransportContract,
                         testing::Values([] { return std::make_unique<SimulatedWorld>(); }),
                         [](const auto&) { return "Simulated"; });

}  // namespace
}  // namespace ba
