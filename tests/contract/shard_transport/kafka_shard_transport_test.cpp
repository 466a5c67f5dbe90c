// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_shard_transport.hpp"
#include "tests/contract/shard_transport/shard_transport_contract.hpp"
#include "tests/worker/kafka/broker_fixture.hpp"
#include "worker/kafka/client.hpp"
#include "worker/kafka/receipt_reader.hpp"

namespace ba {
namespace {

class KafkaBareProducer final : public BareProducer {
 public:
  KafkaBareProducer(const kafka::KafkaOptions& options, int shard) : options_(options) {
    auto conf = kafka::make_conf(
        options, hooks_, {{"transactional.id", kafka::transactional_id(options.outbox, shard)}});
    auto client = kafka::make_client(RD_KAFKA_PRODUCER, std::move(conf.value()));
    client_ = std::move(client.value());
  }

  Result<void> init() override { return told(rd_kafka_init_transactions(&*client_, kPatienceMs)); }

  Result<void> produce(const OutboxBatch& batch) override {
    if (auto begun = told(rd_kafka_begin_transaction(&*client_)); !begun) return begun;
    for (const OutboxRecord& record : batch.records)
      add(record.topic, RD_KAFKA_PARTITION_UA, record.key, record.value);
    add(options_.topics.receipts, batch.shard, kafka::receipt_key(batch.shard),
        kafka::receipt_value(batch.number));
    const auto flushed = rd_kafka_flush(&*client_, kPatienceMs);
    if (flushed != RD_KAFKA_RESP_ERR_NO_ERROR)
      return kafka::to_error(kafka::failure_of(flushed), "flushing");
    return {};
  }

  Result<void> commit() override {
    return told(rd_kafka_commit_transaction(&*client_, kPatienceMs));
  }

 private:
  static constexpr int kPatienceMs = 30'000;

  void add(const std::string& topic, int partition, const std::string& key,
           const std::string& value) {
    EXPECT_EQ(ba::kafka::produce(*client_, topic, partition, &key, value, {}),
              RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  static Result<void> told(rd_kafka_error_t* answer) {
    const kafka::ErrorHandle error(answer);
    if (!error) return {};
    return kafka::to_error(kafka::failure_of(*error), "a request of a bare producer");
  }

  const kafka::KafkaOptions& options_;
  kafka::ClientHooks hooks_{{}};
  kafka::ClientHandle client_;
};

class KafkaWorld final : public ShardTransportWorld {
 public:
  KafkaWorld() {
    const auto created = kafka::create_topics(options_);
    if (!created) throw std::runtime_error(created.error().message + " (BA_KAFKA_BROKERS)");
  }

  ~KafkaWorld() override { kafka::delete_topics(options_); }

  ShardTransports& transports() override { return transports_; }
  std::unique_ptr<BareProducer> bare_producer(int shard) override {
    return std::make_unique<KafkaBareProducer>(options_, shard);
  }
  bool run_until(const std::function<bool()>& reached) override {
    return control_.run_until(reached, std::chrono::seconds(60));
  }
  std::string topic() override { return options_.topics.results; }
  std::vector<std::string> committed_values() override {
    std::vector<std::string> values;
    auto reader = kafka::ResultReader::create(options_, {topic()}, kafka::ReadFrom::Beginning);
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
  kafka::KafkaOptions options_ = kafka::broker_options();
  LoopExecutor control_;
  kafka::KafkaShardTransports transports_{options_, control_};
};

INSTANTIATE_TEST_SUITE_P(Kafka, ShardTransportContract,
                         testing::Values([] { return std::make_unique<KafkaWorld>(); }),
                         [](const auto&) { return "Kafka"; });

}  // namespace
}  // namespace ba
