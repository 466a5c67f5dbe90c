#pragma once
// SPDX-License-Identifier: Apache-2.0
// Puts progress events on their topic, best effort: an idempotent producer of its own on a thread
// of its own. A bounded queue stands before it; what doesn't fit, or isn't delivered within
// seconds, is dropped and counted. send() is for the control thread: it locks for a push and never
// waits for Kafka. Destroying the producer gives what is queued half a second.

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

struct ProgressRecord {
  std::string key;
  std::string value;
};

struct ProgressCounts {
  std::int64_t sent = 0;     ///< handed to the Kafka client
  std::int64_t dropped = 0;  ///< never handed over, or not delivered
};

class ProgressProducer {
 public:
  /// `content_type` is the header of every record. Waits for no broker.
  static Result<std::unique_ptr<ProgressProducer>> create(const KafkaOptions& options,
                                                          std::string content_type);
  virtual ~ProgressProducer() = default;

  virtual void send(ProgressRecord record) = 0;
  virtual ProgressCounts counts() const = 0;  ///< any thread

  static constexpr std::size_t kQueueRecords = 4'096;
};

}  // namespace ba::kafka
