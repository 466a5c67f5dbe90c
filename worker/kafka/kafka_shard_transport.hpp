#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Kafka side of the outbox (pipeline/core/outbox/shard_transport.hpp) on librdkafka: one
// transactional producer for each shard, with a thread of its own for its blocking calls. Every
// transaction carries the receipt; a request without a clean answer taints the producer
// (interceptors count them). Control thread only; a destroyed transport's thread is joined by the
// factory's destructor.

#include <memory>

#include "pipeline/core/outbox/shard_transport.hpp"
#include "pipeline/core/port/executor.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

class KafkaShardTransports final : public ShardTransports {
 public:
  /// `executor` outlives this object.
  KafkaShardTransports(const KafkaOptions& options, Executor& executor);
  ~KafkaShardTransports() override;  ///< waits for calls in flight, at most a transaction timeout

  std::unique_ptr<ShardTransport> create(int shard) override;

 private:
  class Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace ba::kafka
