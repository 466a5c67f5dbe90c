// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/shard_producer.hpp"

#include <algorithm>
#include <set>

#include "pipeline/core/outbox/taint_guard.hpp"
#include "worker/kafka/admin_requests.hpp"
#include "worker/kafka/client.hpp"
#include "worker/kafka/needed_rights.hpp"
#include "worker/kafka/receipt_reader.hpp"

namespace ba::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kInitSliceMs = 1000;
constexpr int kCommitSliceMs = 5000;  ///< longer than a commit takes where all is well
constexpr int kQueueFullWaitMs = 20;
constexpr Milliseconds kLateReports{3'000};  ///< records that ran out of time are told of this late
constexpr Milliseconds kUnknownTopicWait{5'000};
constexpr Milliseconds kLookTimeout{5'000};  ///< at the topics of a batch that failed

rd_kafka_resp_err_t on_request_sent(rd_kafka_t*, int, const char*, std::int32_t, std::int16_t key,
                                    std::int16_t, std::int32_t, std::size_t, void* guard) {
  static_cast<TaintGuard*>(guard)->on_sent(key);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t on_response_received(rd_kafka_t*, int, const char*, std::int32_t,
                                         std::int16_t key, std::int16_t, std::int32_t, std::size_t,
                                         std::int64_t, rd_kafka_resp_err_t code, void* guard) {
  static_cast<TaintGuard*>(guard)->on_received(key, code != RD_KAFKA_RESP_ERR_NO_ERROR);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t on_new(rd_kafka_t* client, const rd_kafka_conf_t*, void* guard, char*,
                           std::size_t) {
  const auto sent =
      rd_kafka_interceptor_add_on_request_sent(client, "ba-taint", on_request_sent, guard);
  if (sent != RD_KAFKA_RESP_ERR_NO_ERROR) return sent;
  return rd_kafka_interceptor_add_on_response_received(client, "ba-taint", on_response_received,
                                                       guard);
}

/// The broker looked at the record (or the batch of records it came in) and will not have it.
bool refuses_record(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_MSG ||
         code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE ||
         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
         code == RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

/// Whether a topic of the batch may be the reason. A topic that is deleted under an open producer
/// lets the transaction run out of time.
bool may_be_closed(ErrorCode code) {
  return code == ErrorCode::PermissionDenied || code == ErrorCode::NotFound ||
         code == ErrorCode::Timeout;
}

/// So long a record waits for a topic that the brokers don't know, and less than its transaction.
Milliseconds unknown_topic_wait(const KafkaOptions& options) {
  return std::min(kUnknownTopicWait, options.outbox.transaction_timeout / 2);
}

Settings producer_settings(const KafkaOptions& options, int shard, bool one_by_one) {
  const std::string timeout = std::to_string(options.outbox.transaction_timeout.count());
  Settings settings = {
      {"transactional.id", transactional_id(options.outbox, shard)},
      {"transaction.timeout.ms", timeout},
      {"message.timeout.ms", timeout},
      {"enable.idempotence", "true"},
      {"retry.backoff.ms", "5"},
      {"topic.metadata.propagation.max.ms", std::to_string(unknown_topic_wait(options).count())},
      {"linger.ms", std::to_string(options.outbox.linger.count())},
      {"compression.type", options.outbox.compression},
      {"message.max.bytes", std::to_string(options.outbox.record_bytes_max)}};
  if (one_by_one) settings.emplace_back("batch.num.messages", "1");
  return settings;
}

}  // namespace

/// One librdkafka producer with its guard. The hooks and the guard outlive the handle.
class ShardProducer::Client final : public ClientHooks {
 public:
  Client(const KafkaOptions& options, const std::atomic<bool>& abandoned, bool one_by_one)
      : ClientHooks(options.log),
        timeout_(options.outbox.transaction_timeout),
        abandoned_(abandoned),
        one_by_one_(one_by_one) {}

  Result<void> start(const KafkaOptions& options, int shard) {
    auto conf = make_conf(options, *this, producer_settings(options, shard, one_by_one_));
    if (!conf) return conf.error();
    rd_kafka_conf_interceptor_add_on_new(conf->get(), "ba-taint", on_new, &guard_);
    auto made = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
    if (!made) return made.error();
    handle_ = std::move(*made);
    return {};
  }

  Result<void> init(const std::string& what) {
    start_clock();
    while (true) {
      const ErrorHandle error(rd_kafka_init_transactions(handle_.get(), kInitSliceMs));
      if (!error) return {};
      if (!may_repeat(failure_of(*error))) return to_error(failure_of(*error), what);
    }
  }

  /// Learns where the topics are: else the first transaction waits up to a second for it.
  void warm_up(const KafkaTopics& topics) {
    for (const std::string* name :
         {&topics.results, &topics.metrics, &topics.dead_letters, &topics.receipts})
      topics_.emplace_back(rd_kafka_topic_new(handle_.get(), name->c_str(), nullptr));
    const rd_kafka_metadata_t* metadata = nullptr;
    if (rd_kafka_metadata(handle_.get(), 0, nullptr, &metadata, kInitSliceMs) ==
        RD_KAFKA_RESP_ERR_NO_ERROR)
      rd_kafka_metadata_destroy(metadata);
  }

  Result<void> begin(const std::string& what) {
    start_clock();
    rd_kafka_poll(handle_.get(), 0);  // what happened before this transaction
    guard_.begin();
    delivery_failure_ = {};
    refusal_.reset();
    if (const ErrorHandle error{rd_kafka_begin_transaction(handle_.get())})
      return to_error(failure_of(*error), what);
    return {};
  }

  /// `number` counts the records of the transaction from 1.
  Result<void> add(const OutboxRecord& record, int partition, std::size_t number,
                   const std::string& what) {
    while (true) {
      const auto code = produce(*handle_, record.topic, partition, &record.key, record.value,
                                record.headers, reinterpret_cast<void*>(number));
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
      if (refuses_record(code)) refusal_ = {number, true, rd_kafka_err2str(code)};
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL || out_of_time())
        return to_error(failure_of(code), what + ": a record for " + record.topic);
      rd_kafka_poll(handle_.get(), kQueueFullWaitMs);
    }
  }

  /// The value: whether every request got its one clean answer. An outcome that isn't known in
  /// time, or when the producer is abandoned, is a Timeout that may be done: whoever opens the
  /// shard's next producer ends the transaction, and reads in the receipts what became of it.
  Result<bool> commit(const std::string& what) {
    give_up_ += kLateReports;
    for (bool repeated = false;; repeated = true) {
      // In slices: with -1 the library waits for the coordinator without end, whatever the
      // transaction's time-out. A call after one that timed out resumes it. The library keeps one
      // answer for all calls of a commit, so a repeated call can be told of an earlier one's: its
      // success is no proof, and the receipts are.
      const ErrorHandle error(rd_kafka_commit_transaction(handle_.get(), kCommitSliceMs));
      if (!error && !repeated) return guard_.clean();
      if (!error) return to_error(outcome_unknown("the commit was asked for again"), what);
      KafkaFailure failure = failure_of(*error);
      if (may_repeat(failure)) continue;
      if (judge(failure).step == KafkaStep::RepeatCall) failure = not_committed_in_time();
      return to_error(cause_of(failure), what);
    }
  }

  std::map<std::string, std::string> find_closed(const std::set<std::string>& topics,
                                                 const KafkaOptions& options) {
    return closed_among(*handle_, topics, options, std::min(timeout_, kLookTimeout));
  }

  /// Any thread: lets a commit that waits for deliveries fail at once.
  void purge() {
    rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                      RD_KAFKA_PURGE_F_NON_BLOCKING);
  }

  void on_error(const KafkaFailure& failure) override {
    if (failure.code == RD_KAFKA_RESP_ERR__TRANSPORT) guard_.on_connection_lost();
  }

  void on_delivery(const rd_kafka_message_t& message) override {
    if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    if (refuses_record(message.err) && !refusal_)
      refusal_ = {reinterpret_cast<std::size_t>(message._private), one_by_one_,
                  rd_kafka_err2str(message.err)};
    if (says_why(delivery_failure_.code)) return;
    delivery_failure_ =
        failure_of(message.err, std::string("a record for ") + rd_kafka_topic_name(message.rkt) +
                                    ": " + rd_kafka_err2str(message.err));
    // The transaction can't be committed any more, but the library would keep the partition's other
    // records until they time out, and the commit with them.
    purge();
  }

  struct Refusal {
    std::size_t number = 0;
    bool certain = false;  ///< this record, and not another of its batch
    std::string reason;
  };
  const std::optional<Refusal>& refusal() const { return refusal_; }
  bool one_by_one() const { return one_by_one_; }

 private:
  /// Why a commit failed: a failed delivery says more than "transaction failed"; being fenced says
  /// more than the deliveries that were thrown away for it.
  KafkaFailure cause_of(KafkaFailure failure) const {
    const bool told = delivery_failure_.code != 0 && !failure.fatal &&
                      judge(delivery_failure_).code != ErrorCode::Cancelled;
    return told ? delivery_failure_ : failure;
  }

  KafkaFailure not_committed_in_time() const {
    return outcome_unknown(
        abandoned_ ? "given up before the commit was answered"
                   : "no answer to the commit after kafka.publisher.transaction_timeout_ms (" +
                         std::to_string(timeout_.count()) + ")");
  }

  static KafkaFailure outcome_unknown(const std::string& why) {
    return failure_of(RD_KAFKA_RESP_ERR__TIMED_OUT, why + "; the receipts tell its outcome");
  }

  void start_clock() { give_up_ = SteadyClock::now() + timeout_; }
  bool out_of_time() const { return abandoned_ || SteadyClock::now() > give_up_; }
  bool may_repeat(const KafkaFailure& failure) const {
    return judge(failure).step == KafkaStep::RepeatCall && !out_of_time();
  }

  /// Not that another record of the batch was at fault.
  static bool says_why(int code) {
    return code != RD_KAFKA_RESP_ERR_NO_ERROR &&
           code != RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD;
  }

  Milliseconds timeout_;
  const std::atomic<bool>& abandoned_;
  const bool one_by_one_;
  SteadyClock::time_point give_up_;
  TaintGuard guard_;
  KafkaFailure delivery_failure_;   ///< the first of this transaction
  std::optional<Refusal> refusal_;  ///< likewise
  ClientHandle handle_;             ///< goes after the topics and before what it calls
  std::vector<TopicHandle> topics_;
};

ShardProducer::ShardProducer(const KafkaOptions& options, int shard)
    : options_(options), shard_(shard) {}

ShardProducer::~ShardProducer() { replace(nullptr); }

void ShardProducer::replace(std::unique_ptr<Client> fresh) {
  std::unique_lock lock(mutex_);
  const std::unique_ptr<Client> old = std::exchange(client_, std::move(fresh));
  lock.unlock();  // before the old one goes, which takes a while
}

Result<std::optional<std::int64_t>> ShardProducer::open() {
  replace(nullptr);
  auto fresh = std::make_unique<Client>(options_, abandoned_, one_by_one_);
  if (auto started = fresh->start(options_, shard_); !started) return started.error();
  Client& client = *fresh;
  replace(std::move(fresh));
  const auto initialised = client.init("initialising " + transactional_id(options_.outbox, shard_));
  if (!initialised)
    return with_rival(with_lack(initialised.error(), transactions_right(options_), options_));
  client.warm_up(options_.topics);
  return read_receipt(options_, shard_, abandoned_);
}

Result<bool> ShardProducer::send(const OutboxBatch& batch) {
  const std::string what =
      "publishing batch " + std::to_string(batch.number) + " of shard " + std::to_string(shard_);
  if (!client_)
    return to_error(failure_of(RD_KAFKA_RESP_ERR__STATE, "the producer is not open"), what);
  refused_.reset();
  closed_.clear();
  Result<bool> sent = send_all(batch, what);
  if (sent) {
    const bool gathering = !client_->one_by_one();
    one_by_one_ = false;
    return *sent && gathering;  // the next producer gathers again
  }
  if (const auto& refusal = client_->refusal(); refusal && refusal->number > 0) {
    one_by_one_ = true;
    if (refusal->certain) refused_ = RefusedRecord{refusal->number - 1, refusal->reason};
  }
  if (may_be_closed(sent.error().code) && !abandoned_)
    return with_closed_topics(sent.error(), batch);
  return with_rival(sent.error());
}

/// What being fenced can mean; the brokers don't say by whom.
Error ShardProducer::with_rival(Error error) const {
  if (error.code != ErrorCode::Fenced) return error;
  error.message += ": another producer has begun as " + transactional_id(options_.outbox, shard_) +
                   ": a worker of this installation that has taken the shard over, or another "
                   "installation with the same kafka.publisher.transactional_id_prefix (" +
                   options_.outbox.transactional_id_prefix +
                   "); each installation on these brokers needs a prefix of its own";
  return error;
}

/// The library says of one topic of the transaction at most that the brokers refuse it.
Error ShardProducer::with_closed_topics(Error error, const OutboxBatch& batch) {
  std::set<std::string> topics{options_.topics.receipts};
  for (const OutboxRecord& record : batch.records) topics.insert(record.topic);
  closed_ = client_->find_closed(topics, options_);
  for (const auto& [topic, why] : closed_) error.message += ": " + why;
  if (closed_.contains(options_.topics.receipts)) closed_.clear();  // nothing goes without these
  return error;
}

Result<bool> ShardProducer::send_all(const OutboxBatch& batch, const std::string& what) {
  if (auto begun = client_->begin(what); !begun) return begun.error();
  std::size_t number = 0;
  for (const OutboxRecord& record : batch.records)
    if (auto added = client_->add(record, RD_KAFKA_PARTITION_UA, ++number, what); !added)
      return added.error();
  OutboxRecord receipt;
  receipt.topic = options_.topics.receipts;
  receipt.key = receipt_key(shard_);
  receipt.value = receipt_value(batch.number);
  if (auto added = client_->add(receipt, shard_, 0, what); !added) return added.error();
  return client_->commit(what);
}

void ShardProducer::abandon() {
  abandoned_ = true;
  const std::lock_guard lock(mutex_);
  if (client_) client_->purge();
}

}  // namespace ba::kafka
