#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every implementation of ShardTransport does, whoever drives it. Each has a world that can
// make transports of the same shards twice, as two workers would, and can read what is committed.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/core/outbox/shard_transport.hpp"

namespace ba {

/// A producer under a shard's transactional id whose transaction the test leaves open or ends when
/// it likes, as one does that was killed or held up. Each call waits for its answer.
class BareProducer {
 public:
  virtual ~BareProducer() = default;
  virtual Result<void> init() = 0;
  /// Begins a transaction with the records and the receipt of `batch`; they are at the broker.
  virtual Result<void> produce(const OutboxBatch& batch) = 0;
  virtual Result<void> commit() = 0;
};

class ShardTransportWorld {
 public:
  virtual ~ShardTransportWorld() = default;
  virtual ShardTransports& transports() = 0;
  virtual std::unique_ptr<BareProducer> bare_producer(int shard) = 0;
  virtual bool run_until(const std::function<bool()>& reached) = 0;  ///< false: took too long
  virtual std::string topic() = 0;
  virtual std::vector<std::string> committed_values() = 0;  ///< of topic(), in any order
};

using MakeShardTransportWorld = std::function<std::unique_ptr<ShardTransportWorld>()>;

class ShardTransportContract : public testing::TestWithParam<MakeShardTransportWorld> {
 protected:
  using Receipt = std::optional<std::int64_t>;

  void SetUp() override { world_ = GetParam()(); }

  std::unique_ptr<ShardTransport> make(int shard = 0) { return world_->transports().create(shard); }

  Result<Receipt> open(ShardTransport& transport) {
    std::optional<Result<Receipt>> answer;
    transport.open([&](Result<Receipt> result) { answer = std::move(result); });
    EXPECT_FALSE(answer.has_value()) << "answered from inside the call";
    EXPECT_TRUE(world_->run_until([&] { return answer.has_value(); }));
    return answer.value();
  }

  Result<bool> send(ShardTransport& transport, OutboxBatch batch) {
    std::optional<Result<bool>> answer;
    transport.send(std::move(batch), [&](Result<bool> result) { answer = std::move(result); });
    EXPECT_FALSE(answer.has_value()) << "answered from inside the call";
    EXPECT_TRUE(world_->run_until([&] { return answer.has_value(); }));
    return answer.value();
  }

  /// Opens and answers with the receipt; 0: none.
  std::int64_t open_receipt(ShardTransport& transport) {
    const auto receipt = open(transport);
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? receipt->value_or(0) : -1;
  }

  /// Sends, with success, and leaves the transport ready for the next send.
  void publish(ShardTransport& transport, OutboxBatch batch) {
    const std::int64_t number = batch.number;
    const auto sent = send(transport, std::move(batch));
    ASSERT_TRUE(sent) << sent.error().message;
    if (!*sent) {
      EXPECT_EQ(open_receipt(transport), number);
    }
  }

  /// A producer that has begun a transaction with this batch and not ended it.
  std::unique_ptr<BareProducer> left_open(const OutboxBatch& batch) {
    auto producer = world_->bare_producer(batch.shard);
    const auto initialised = producer->init();
    EXPECT_TRUE(initialised) << initialised.error().message;
    const auto produced = producer->produce(batch);
    EXPECT_TRUE(produced) << produced.error().message;
    return producer;
  }

  OutboxBatch batch(std::int64_t number, const std::vector<std::string>& values, int shard = 0) {
    OutboxBatch batch{shard, number, {}};
    for (const std::string& value : values)
      batch.records.push_back(
          {ResultId(value), shard, world_->topic(), "key-" + value, value, {{"name", "a"}}});
    return batch;
  }

  std::vector<std::string> committed() {
    std::vector<std::string> values = world_->committed_values();
    std::sort(values.begin(), values.end());
    return values;
  }

  std::unique_ptr<ShardTransportWorld> world_;
};

}  // namespace ba
