#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Kafka side of the outbox over the simulated broker: what worker/kafka does with librdkafka,
// request by request. Requests without an answer are sent again in silence; the product's own taint
// guard counts them.

#include "pipeline/core/outbox/shard_transport.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/transactions.hpp"

namespace ba::sim {

/// What the transports of all processes share.
struct TransportStage {
  World& world;
  Transactions& broker;
  const LinkFaults& link;
  Mutant mutant = Mutant::None;
  const bool& broker_down;         ///< nothing is answered
  const bool& coordinator_moving;  ///< everything is refused
  std::int64_t transactions = 0;   ///< begun so far
  /// What the ledger has assigned for a shard; for the mutants that look away.
  std::function<ShardState(int shard)> ledger;
};

class Transports final : public ShardTransports {
 public:
  Transports(TransportStage& stage, Process& process) : stage_(stage), process_(process) {}
  std::unique_ptr<ShardTransport> create(int shard) override;

 private:
  TransportStage& stage_;
  Process& process_;
};

}  // namespace ba::sim
