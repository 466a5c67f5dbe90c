#pragma once
// SPDX-License-Identifier: Apache-2.0
// The transactional producer of one shard, blocking. One thread calls open() and send(); any thread
// may call abandon(). Inside worker/kafka.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/core/outbox/shard_transport.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

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

  /// Which record of the last send() was refused for what it is, if that is certain. Where a whole
  /// batch of records was refused it isn't: the next producer sends them one by one to find out.
  std::optional<RefusedRecord> refused() const { return refused_; }

  /// As ShardTransport::closed.
  const std::map<std::string, std::string>& closed() const { return closed_; }

  /// Calls under way end as soon as the library lets them; later ones fail.
  void abandon();

 private:
  class Client;
  Result<bool> send_all(const OutboxBatch& batch, const std::string& what);
  Error with_rival(Error error) const;
  Error with_closed_topics(Error error, const OutboxBatch& batch);
  void replace(std::unique_ptr<Client> fresh);

  const KafkaOptions& options_;
  int shard_;
  std::mutex mutex_;                ///< of the pointer, for abandon(); calls under way hold none
  std::unique_ptr<Client> client_;  ///< none: not open
  std::optional<RefusedRecord> refused_;
  std::map<std::string, std::string> closed_;
  bool one_by_one_ = false;  ///< of the next producer
  std::atomic<bool> abandoned_{false};
};

}  // namespace ba::kafka
