// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/access_check.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "worker/kafka/admin_requests.hpp"
#include "worker/kafka/client.hpp"

namespace ba::kafka {
namespace {

constexpr int kInitSliceMs = 500;

AccessLack lack_of(const NeededRight& right, const KafkaOptions& options) {
  return {lack_text(right, options), "give it with " + grant_text(right, options)};
}

Result<void> init_transactions(rd_kafka_t& client, const std::string& id, Milliseconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (true) {
    const ErrorHandle error(rd_kafka_init_transactions(&client, kInitSliceMs));
    if (!error) return {};
    const KafkaFailure failure = failure_of(*error);
    if (judge(failure).step != KafkaStep::RepeatCall || std::chrono::steady_clock::now() > give_up)
      return to_error(failure, "initialising " + id);
  }
}

/// Those on topics, as they were found, and that on the group.
Result<std::vector<std::string>> lacks_beside(const std::vector<TopicFinding>& findings,
                                              const KafkaOptions& options) {
  std::vector<std::string> lacks;
  for (const TopicFinding& finding : findings)
    if (!finding.remedy.empty()) lacks.push_back(finding.message + ": " + finding.remedy);
  const auto group = check_group_access(options);
  if (!group) return group.error();
  if (*group) lacks.push_back((*group)->message + ": " + (*group)->remedy);
  return lacks;
}

constexpr Milliseconds kPatience{2'000};

}  // namespace

Result<std::optional<AccessLack>> check_group_access(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  const auto client = make_client(RD_KAFKA_PRODUCER, options, hooks, {});
  if (!client) return client.error();
  const auto allowed = may_read_group(**client, options.group_id, options.request_timeout);
  if (!allowed) return allowed.error();
  if (*allowed) return std::optional<AccessLack>();
  return std::optional(lack_of(group_right(options), options));
}

Result<std::optional<AccessLack>> check_transaction_access(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  const std::string id = options.outbox.transactional_id_prefix + "-check";
  const auto client = make_client(RD_KAFKA_PRODUCER, options, hooks,
                                  {{"transactional.id", id}, {"retry.backoff.ms", "5"}});
  if (!client) return client.error();
  const auto begun = init_transactions(**client, id, options.request_timeout);
  if (begun) return std::optional<AccessLack>();
  if (begun.error().code != ErrorCode::PermissionDenied) return begun.error();
  return std::optional(lack_of(transactions_right(options), options));
}

Result<std::vector<std::string>> worker_lacks(const KafkaOptions& options) {
  const auto findings = verify_topics(options, TopicUse::Worker);
  if (!findings) return findings.error();
  return lacks_beside(*findings, options);
}

Result<std::vector<TopicFinding>> verify_for_worker(const KafkaOptions& options) {
  auto findings = verify_topics(options, TopicUse::Worker);
  if (!findings) return findings;
  const auto lacks = lacks_beside(*findings, options);
  if (!lacks) return lacks.error();
  if (lacks->empty()) return findings;
  Error error;
  error.code = ErrorCode::PermissionDenied;
  error.retry = Retry::Later;
  for (const std::string& lack : *lacks)
    error.message += (error.message.empty() ? "" : "; ") + lack;
  return error;
}

class AccessWatch::Thread {
 public:
  Thread(KafkaOptions options, Milliseconds interval, Tell tell)
      : options_(std::move(options)), interval_(interval), tell_(std::move(tell)) {
    options_.request_timeout = std::min(options_.request_timeout, kPatience);
    options_.log = {};  // brokers that are away are told of by who works with them
    thread_ = std::thread([this] { run(); });
  }
  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void run() {
    name_this_thread("kafka-access");
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return stopping_; })) {
      lock.unlock();
      if (auto lacks = worker_lacks(options_)) tell_(std::move(*lacks));
      lock.lock();
    }
  }

  KafkaOptions options_;
  const Milliseconds interval_;
  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  ///< last: everything above is there when it starts
};

AccessWatch::AccessWatch(const KafkaOptions& options, Milliseconds interval, Tell tell)
    : thread_(std::make_unique<Thread>(options, interval, std::move(tell))) {}

AccessWatch::~AccessWatch() = default;

Result<BrokerReport> check_brokers(const KafkaOptions& options, Milliseconds timeout) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  auto client = make_client(RD_KAFKA_PRODUCER, options, hooks, {});
  if (!client) return client.error();
  if (auto answered = await_brokers(**client, hooks, options); !answered) return answered.error();
  const rd_kafka_metadata_t* raw = nullptr;
  const auto code =
      rd_kafka_metadata(client->get(), 1, nullptr, &raw, static_cast<int>(timeout.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return to_error(failure_of(code), "asking " + options.brokers + " for its brokers");
  const MetadataHandle metadata(raw);
  BrokerReport report;
  report.topics = metadata->topic_cnt;
  for (int i = 0; i < metadata->broker_cnt; ++i) {
    const rd_kafka_metadata_broker_t& broker = metadata->brokers[i];
    report.brokers.push_back(std::to_string(broker.id) + " " + broker.host + ":" +
                             std::to_string(broker.port));
  }
  return report;
}

}  // namespace ba::kafka
