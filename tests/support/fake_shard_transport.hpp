#pragma once
// SPDX-License-Identifier: Apache-2.0
// ShardTransports over FakeKafka and FakeNetwork: the double of worker/kafka, same contract suite.
// A mutant leaves one protection of the protocol out, to show that the checks would notice.

#include <memory>

#include "pipeline/outbox/shard_transport.hpp"
#include "tests/support/fake_kafka.hpp"
#include "tests/support/fake_network.hpp"

namespace ba {

enum class TransportMutant { None, ReceiptOutsideTransaction, ReadBeforeInit, TaintIgnored };

class FakeShardTransports final : public ShardTransports {
 public:
  FakeShardTransports(FakeKafka& kafka, FakeNetwork& network, Executor& executor,
                      TransportMutant mutant = TransportMutant::None)
      : kafka_(kafka), network_(network), executor_(executor), mutant_(mutant) {}

  std::unique_ptr<ShardTransport> create(int shard) override;

  /// How often, in 1000 sends, the first EndTxn wanders about and a second one is answered.
  int wandering_end_permille = 0;

 private:
  class Transport;
  FakeKafka& kafka_;
  FakeNetwork& network_;
  Executor& executor_;
  TransportMutant mutant_;
};

}  // namespace ba
