// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_shard_transport.hpp"
#include "tests/contract/shard_transport/shard_transport_contract.hpp"
#include "tests/worker/kafka/broker_fixture.hpp"

namespace ba {
namespace {

class KafkaWorld final : public ShardTransportWorld {
 public:
  KafkaWorld() {
    const auto created = create_topics(options_);
    if (!created) throw std::runtime_error(created.error().message + " (BA_KAFKA_BROKERS)");
  }

  ~KafkaWorld() override { delete_topics(options_); }

  ShardTransports& transports() override { return transports_; }
  bool run_until(const std::function<bool()>& reached) override {
    return control_.run_until(reached, std::chrono::seconds(60));
  }
  std::string topic() override { return options_.topics.results; }
  std::vector<std::string> committed_values() override {
    std::vector<std::string> values;
    auto reader = ResultReader::create(options_, {topic()}, ReadFrom::Beginning);
    EXPECT_TRUE(reader) << reader.error().message;
    while (reader && !(*reader)->at_end()) {
      const auto records = (*reader)->read(std::chrono::seconds(5), 1000);
      EXPECT_TRUE(records) << records.error().message;
      if (!records) break;
      for (const RawRecord& record : *records) values.push_back(record.value);
    }
    return values;
  }

 private:
  KafkaOptions options_ = broker_options();
  LoopExecutor control_;
  KafkaShardTransports transports_{options_, control_};
};

INSTANTIATE_TEST_SUITE_P(Kafka, ShardTransportContract,
                         testing::Values([] { return std::make_unique<KafkaWorld>(); }),
                         [](const auto&) { return "Kafka"; });

}  // namespace
}  // namespace ba
