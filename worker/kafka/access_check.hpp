#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the brokers let this client do what a worker does, beside its topics (topics.hpp): be a
// member of the group, publish in transactions. Blocking, bounded by the request time-out; any
// thread but the control thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/kafka/topics.hpp"

namespace ba::kafka {

struct AccessLack {
  std::string message;  ///< names who, the right and on what
  std::string remedy;   ///< the command that gives it
};

/// What is missing to be a member of the group; none: nothing is.
Result<std::optional<AccessLack>> check_group_access(const KafkaOptions& options);

/// Tries it: begins to publish as "<prefix>-check", an id that no shard has, and publishes nothing.
Result<std::optional<AccessLack>> check_transaction_access(const KafkaOptions& options);

/// What a worker lacks, of its topics and its group, one text for each; empty: nothing. For who
/// asks again and again: it changes nothing on the brokers.
Result<std::vector<std::string>> worker_lacks(const KafkaOptions& options);

/// verify_topics() for a worker's start; where its topics or its group lack a right, an error that
/// names all of them and may be mended while it waits.
Result<std::vector<TopicFinding>> verify_for_worker(const KafkaOptions& options);

/// Asks the brokers every half minute, on a thread of its own, whether a worker may still use its
/// topics and its group: rights can be taken away from a running worker, which then learns of it
/// only by what it happens to do next. Made and destroyed on the control thread; the destructor
/// waits for a question under way, at most a few seconds.
class AccessWatch {
 public:
  /// What is lacking, one text for each; empty: nothing. On the watch's thread, after each answer.
  using Tell = std::function<void(std::vector<std::string> lacks)>;

  AccessWatch(const KafkaOptions& options, Milliseconds interval, Tell tell);
  ~AccessWatch();

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

/// One question to the brokers, for doctor and readiness: do they answer, and how many are they?
/// Blocking, bounded by `timeout`; any thread but the control thread.
struct BrokerReport {
  std::vector<std::string> brokers;  ///< "id host:port"
  int topics = 0;
};

Result<BrokerReport> check_brokers(const KafkaOptions& options, Milliseconds timeout);

}  // namespace ba::kafka
