// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/job_producer.hpp"

#include <algorithm>
#include <set>

#include "worker/kafka/client.hpp"
#include "worker/kafka/needed_rights.hpp"

namespace ba::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Where the delivery report of one record goes.
struct Slot {
  std::optional<Result<RecordSource>> answer;
};

class Producer final : public JobProducer, private ClientHooks {
 public:
  explicit Producer(const KafkaOptions& options) : ClientHooks(options.log), options_(options) {}

  Result<void> start() {
    const std::string timeout = std::to_string(options_.request_timeout.count());
    auto client =
        make_client(RD_KAFKA_PRODUCER, options_, *this,
                    {{"enable.idempotence", "true"},
                     {"message.timeout.ms", timeout},
                     {"linger.ms", "2"},
                     {"compression.type", options_.outbox.compression},
                     {"message.max.bytes", std::to_string(options_.outbox.record_bytes_max)}});
    if (!client) return client.error();
    client_ = std::move(*client);
    return await_brokers(*client_, *this, options_);
  }

  std::vector<Result<RecordSource>> send_all(std::vector<OutgoingRecord> records) override {
    std::vector<Slot> slots(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (auto there = expect_topic(records[i].topic); there)
        enqueue(records[i], slots[i]);
      else
        slots[i].answer = there.error();
    }
    await(slots);
    std::vector<Result<RecordSource>> answers;
    for (Slot& slot : slots) answers.push_back(std::move(*slot.answer));
    return answers;
  }

 private:
  /// A record of a topic that isn't there would wait for it until the time-out. Only that is an
  /// error here; everything else shows when it is sent.
  Result<void> expect_topic(const std::string& name) {
    if (there_.contains(name)) return {};
    const TopicHandle topic(rd_kafka_topic_new(client_.get(), name.c_str(), nullptr));
    const rd_kafka_metadata_t* raw = nullptr;
    const auto code = rd_kafka_metadata(client_.get(), 0, topic.get(), &raw,
                                        static_cast<int>(options_.request_timeout.count()));
    const MetadataHandle metadata(raw);
    const bool answered = code == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1;
    if (!answered || metadata->topics[0].err != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      there_.insert(name);
      return {};
    }
    Error error = to_error(failure_of(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART), "");
    error.message = "kafka: topic " + name +
                    " does not exist: run `ba-agent topics create`, or correct kafka.topics";
    return error;
  }

  Error not_sent(const KafkaFailure& failure, const std::string& topic) const {
    return with_lack(to_error(failure, "sending to " + topic),
                     {KafkaResource::Topic, topic, KafkaOperation::Write}, options_);
  }

  /// The library tells of records that send_all() gave up as of purged ones.
  KafkaFailure failure_of_delivery(rd_kafka_resp_err_t code) const {
    if (code != RD_KAFKA_RESP_ERR__PURGE_QUEUE && code != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
      return failure_of(code);
    return failure_of(code, "not confirmed within kafka.request_timeout_ms (" +
                                std::to_string(options_.request_timeout.count()) + ")");
  }

  void on_delivery(const rd_kafka_message_t& message) override {
    Slot& slot = *static_cast<Slot*>(message._private);
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      slot.answer = not_sent(failure_of_delivery(message.err), rd_kafka_topic_name(message.rkt));
      return;
    }
    RecordSource source;
    source.topic = rd_kafka_topic_name(message.rkt);
    source.partition = message.partition;
    source.offset = message.offset;
    source.timestamp_ms = rd_kafka_message_timestamp(&message, nullptr);
    slot.answer = std::move(source);
  }

  void enqueue(const OutgoingRecord& record, Slot& slot) {
    const auto give_up = SteadyClock::now() + options_.request_timeout;
    const std::string* key = record.key ? &*record.key : nullptr;
    while (true) {
      const auto code = produce(*client_, record.topic, RD_KAFKA_PARTITION_UA, key, record.value,
                                record.headers, &slot);
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL || SteadyClock::now() > give_up) {
        slot.answer = not_sent(failure_of(code), record.topic);
        return;
      }
      rd_kafka_poll(client_.get(), 20);
    }
  }

  /// Every report comes: what isn't delivered in time fails by its own time-out.
  void await(const std::vector<Slot>& slots) {
    rd_kafka_flush(client_.get(), static_cast<int>(options_.request_timeout.count()));
    const auto open = [&] {
      return std::any_of(slots.begin(), slots.end(),
                         [](const Slot& slot) { return !slot.answer.has_value(); });
    };
    if (open()) rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    while (open()) rd_kafka_poll(client_.get(), 100);
  }

  KafkaOptions options_;
  ClientHandle client_;
  std::set<std::string> there_;  // topics that were found, or of which nothing is known
};

}  // namespace

Result<std::unique_ptr<JobProducer>> JobProducer::create(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  auto producer = std::make_unique<Producer>(options);
  if (auto started = producer->start(); !started) return started.error();
  return std::unique_ptr<JobProducer>(std::move(producer));
}

Result<RecordSource> JobProducer::send(OutgoingRecord record) {
  std::vector<OutgoingRecord> one;
  one.push_back(std::move(record));
  return std::move(send_all(std::move(one)).front());
}

}  // namespace ba::kafka
