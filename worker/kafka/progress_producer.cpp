// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/progress_producer.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "worker/kafka/client.hpp"

namespace ba::kafka {
namespace {

constexpr Milliseconds kGather{50};  // between two looks at the queue: few wake-ups, many records
// A request takes the events of one partition, and brokers pay by the request. A person who watches
// is told four times a second.
constexpr const char* kLingerMs = "200";
constexpr Milliseconds kIdle{500};       // delivery reports are fetched at least so often
constexpr Milliseconds kReplace{1'000};  // pause before a client that failed for good is replaced
constexpr Milliseconds kGoodbye{500};

/// One librdkafka producer; its thread is that of Producer.
class Client final : public ClientHooks {
 public:
  Client(const KafkaOptions& options, std::atomic<std::int64_t>& dropped)
      : ClientHooks(options.log), dropped_(dropped) {}

  Result<void> start(const KafkaOptions& options) {
    auto client = make_client(RD_KAFKA_PRODUCER, options, *this,
                              {{"enable.idempotence", "true"},
                               {"message.timeout.ms", "5000"},
                               {"linger.ms", kLingerMs},
                               {"delivery.report.only.error", "true"},
                               {"queue.buffering.max.messages", "10000"},
                               {"queue.buffering.max.kbytes", "16384"},
                               {"compression.type", options.outbox.compression}});
    if (!client) return client.error();
    handle_ = std::move(*client);
    topic_.reset(rd_kafka_topic_new(handle_.get(), options.topics.progress.c_str(), nullptr));
    if (!topic_) return to_error(failure_of(rd_kafka_last_error()), "opening the progress topic");
    return {};
  }

  bool produce(const ProgressRecord& record, const Headers& headers) {
    HeadersHandle made = make_headers(headers);
    const auto code = rd_kafka_producev(
        handle_.get(), RD_KAFKA_V_RKT(topic_.get()), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(record.key.data(), record.key.size()),
        RD_KAFKA_V_VALUE(const_cast<char*>(record.value.data()), record.value.size()),
        RD_KAFKA_V_HEADERS(made.get()), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<void>(made.release());  // the message's now
    failed_ = failed_ || code == RD_KAFKA_RESP_ERR__FATAL;
    return code == RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  void poll() { rd_kafka_poll(handle_.get(), 0); }

  void say_goodbye() {
    rd_kafka_flush(handle_.get(), static_cast<int>(kGoodbye.count()));
    rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    poll();
  }

  bool failed_for_good() const { return failed_; }

  void on_error(const KafkaFailure& failure) override { failed_ = failed_ || failure.fatal; }
  void on_delivery(const rd_kafka_message_t& message) override {
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) ++dropped_;
  }

 private:
  std::atomic<std::int64_t>& dropped_;
  bool failed_ = false;
  ClientHandle handle_;
  TopicHandle topic_;  ///< of the handle: looked up once, not for each event
};

class Producer final : public ProgressProducer {
 public:
  Producer(const KafkaOptions& options, std::string content_type)
      : options_(options), headers_{{"content-type", std::move(content_type)}} {}

  ~Producer() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start() {
    if (auto made = renew(); !made) return made;
    thread_ = std::thread([this] { run(); });
    return {};
  }

  void send(ProgressRecord record) override {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() >= kQueueRecords) {
        ++dropped_;
        return;
      }
      first = queue_.empty();
      queue_.push_back(std::move(record));
    }
    if (first) changed_.notify_one();
  }

  ProgressCounts counts() const override { return {sent_, dropped_}; }

 private:
  Result<void> renew() {
    client_.reset();
    auto fresh = std::make_unique<Client>(options_, dropped_);
    if (auto started = fresh->start(options_); !started) return started;
    client_ = std::move(fresh);
    return {};
  }

  void run() {
    name_this_thread("ba-progress");
    while (take_queued()) {
      for (const ProgressRecord& record : taken_) {
        const bool handed = client_ && client_->produce(record, headers_);
        ++(handed ? sent_ : dropped_);
      }
      taken_.clear();
      if (client_) client_->poll();
      if (!client_ || client_->failed_for_good()) replace();
    }
    if (client_) client_->say_goodbye();
    client_.reset();
  }

  /// False when there is nothing left to do.
  bool take_queued() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kIdle, [this] { return stopping_ || !queue_.empty(); });
    if (!stopping_) changed_.wait_for(lock, kGather, [this] { return stopping_; });
    taken_.swap(queue_);
    return !stopping_ || !taken_.empty();
  }

  void replace() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kReplace, [this] { return stopping_; });
    }
    // The settings were good once; what else can fail is tried again with the next records.
    static_cast<void>(renew());
  }

  const KafkaOptions options_;
  const Headers headers_;
  std::atomic<std::int64_t> sent_{0};
  std::atomic<std::int64_t> dropped_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ProgressRecord> queue_;
  bool stopping_ = false;
  std::vector<ProgressRecord> taken_;  ///< of the thread
  std::unique_ptr<Client> client_;     ///< of the thread, once it runs
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<ProgressProducer>> ProgressProducer::create(const KafkaOptions& options,
                                                                   std::string content_type) {
  if (auto checked = validate(options); !checked) return checked.error();
  auto producer = std::make_unique<Producer>(options, std::move(content_type));
  if (auto started = producer->start(); !started) return started.error();
  return std::unique_ptr<ProgressProducer>(std::move(producer));
}

}  // namespace ba::kafka
