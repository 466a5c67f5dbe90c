#pragma once
// SPDX-License-Identifier: Apache-2.0
// The transactional producer of one shard, blocking. One thread calls open() and send(); any thread
// may call abandon(). Inside worker/kafka.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "pipeline/base/error.hpp"
#include "pipeline/port/ledger_records.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

class ShardProducer {
 public:
  ShardProducer(const KafkaOptions& options, int shard);
  ~ShardProducer();
  ShardProducer(const ShardProducer&) = delete;
  ShardProducer& operator=(const ShardProducer&) = delete;

  /// As ShardTransport::open.
  Result<std::optional<std::int64_t>> open();

  /// As ShardTransport::send.
  Result<bool> send(const OutboxBatch& batch);

  /// Calls under way end as soon as the library lets them; later ones fail.
  void abandon();

 private:
  class Client;
  void replace(std::unique_ptr<Client> fresh);

  const KafkaOptions& options_;
  int shard_;
  std::mutex mutex_;                ///< of the pointer, for abandon(); calls under way hold none
  std::unique_ptr<Client> client_;  ///< none: not open
  std::atomic<bool> abandoned_{false};
};

}  // namespace ba
