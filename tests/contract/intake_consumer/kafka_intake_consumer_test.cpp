// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_intake_consumer.hpp"
#include "tests/contract/intake_consumer/intake_consumer_contract.hpp"
#include "tests/worker/kafka/broker_fixture.hpp"
#include "worker/kafka/client.hpp"

namespace ba {
namespace {

class KafkaRig final : public IntakeConsumerRig {
 public:
  explicit KafkaRig(int outstanding_bytes_max = kafka::KafkaIntakeOptions{}.outstanding_bytes_max) {
    options_.intake.outstanding_bytes_max = outstanding_bytes_max;
    options_.intake.batch_records_max = kBatchMax;
    options_.intake.on_offset_out_of_range = kafka::OutOfRange::Earliest;
    options_.intake.outstanding_records_max = kOutstandingMax;
    options_.intake.session_timeout = std::chrono::seconds(3);  // members hear of others sooner
    const auto created = kafka::create_topics(options_);
    if (!created) throw std::runtime_error(created.error().message + " (BA_KAFKA_BROKERS)");
    producer_ =
        kafka::make_client(RD_KAFKA_PRODUCER, kafka::make_conf(options_, hooks_, {}).value())
            .value();
  }
  ~KafkaRig() override { kafka::delete_topics(options_); }

  const JobTopics& topics() const override { return options_.topics.jobs; }
  std::unique_ptr<IntakeConsumer> join(IntakeEvents events) override {
    auto joined = kafka::make_intake_consumer(options_, control_, std::move(events));
    if (!joined) throw std::runtime_error(joined.error().message);
    return std::move(*joined);
  }
  void send(Lane lane, int partition, const std::vector<std::string>& values) override {
    for (const std::string& value : values)
      EXPECT_EQ(kafka::produce(*producer_, topics().at(static_cast<std::size_t>(lane)), partition,
                               nullptr, value, {}),
                RD_KAFKA_RESP_ERR_NO_ERROR);
    EXPECT_EQ(rd_kafka_flush(&*producer_, 30'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  std::int64_t committed(Lane lane, int partition) override {
    return kafka::committed_offset(options_, topics().at(static_cast<std::size_t>(lane)),
                                   partition);
  }
  bool run_until(const std::function<bool()>& reached) override {
    return control_.run_until(reached, std::chrono::seconds(30));
  }
  void settle() override {
    control_.run_until([] { return false; }, Milliseconds(400));
  }

 private:
  kafka::KafkaOptions options_ = kafka::broker_options();
  LoopExecutor control_;
  kafka::ClientHooks hooks_{{}};
  kafka::ClientHandle producer_;
};

std::unique_ptr<IntakeConsumerRig> make_rig() { return std::make_unique<KafkaRig>(); }

INSTANTIATE_TEST_SUITE_P(Kafka, IntakeConsumerContract,
                         testing::Values(IntakeConsumerKind{"Kafka", make_rig}),
                         [](const auto& info) { return info.param.name; });

TEST(KafkaIntakeConsumer, WhatIsOutstandingIsBoundedInBytes) {
  constexpr std::size_t kBytes = 100'000;
  constexpr std::size_t kAll = 18;  // fewer than the bound of their number
  KafkaRig rig(3 * kBytes);
  rig.send(Lane::Normal, 0, std::vector<std::string>(kAll, std::string(kBytes, 'x')));
  IntakeLedger ledger;
  IntakeMember member(rig, ledger);
  member.takes_in = false;
  ASSERT_TRUE(rig.run_until([&] { return member.records.size() >= 3; }));
  rig.settle();
  const std::size_t held = member.records.size();
  EXPECT_LT(held, 3 + IntakeConsumerRig::kBatchMax);
  member.takes_in = true;
  member.take_in(held);
  EXPECT_TRUE(rig.run_until([&] { return member.records.size() == kAll; }));
  EXPECT_TRUE(rig.run_until([&] { return member.state().outstanding == 0; }));
}

}  // namespace
}  // namespace ba
