#pragma once
// SPDX-License-Identifier: Apache-2.0
// ShardTransports over FakeKafka and FakeNetwork: the double of worker/kafka, same contract suite.

#include <memory>

#include "pipeline/core/outbox/shard_transport.hpp"
#include "tests/support/fake_kafka.hpp"
#include "tests/support/fake_network.hpp"

namespace ba {

class FakeShardTransports final : public ShardTransports {
 public:
  FakeShardTransports(FakeKafka& kafka, FakeNetwork& network, Executor& executor)
      : kafka_(kafka), network_(network), executor_(executor) {}

  std::unique_ptr<ShardTransport> create(int shard) override;

 private:
  class Transport;
  FakeKafka& kafka_;
  FakeNetwork& network_;
  Executor& executor_;
};

}  // namespace ba
