#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Kafka side of one outbox shard, as a port: a transactional producer whose every transaction
// carries a receipt. The real one is in worker/kafka; the protocol that drives it (outbox/) is
// the product's own code in either case. Control thread only.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

/// A record of a batch that Kafka refuses for what it is: too large, or invalid.
struct RefusedRecord {
  std::size_t index = 0;  ///< in the batch
  std::string reason;     ///< for a person
};

class ShardTransport {
 public:
  virtual ~ShardTransport() = default;

  /// Destroys the producer, if any, and initialises a new one under the shard's transactional id,
  /// which fences every older one and forces its transaction to a decision; then reads the last
  /// committed receipt. The value is that receipt's batch number, none where there is none.
  virtual void open(Completion<std::optional<std::int64_t>> done) = 0;

  /// One Kafka transaction: the batch's records and its receipt. The value `true` is a definite and
  /// clean success: the next send may follow. `false`: committed for certain, but some request got
  /// no clean answer (taint guard): open() comes before the next send. Any error: not known, open()
  /// and the receipt decide.
  virtual void send(OutboxBatch batch, Completion<bool> done) = 0;

  /// After a failed send: topics of the batch that the brokers take nothing for, and for each why,
  /// for a person. Records for others could be sent. Empty where that isn't known to be the reason.
  virtual std::map<std::string, std::string> closed() const { return {}; }

  /// After a failed send: which record was refused, if that is known to be the reason. The same
  /// batch would be refused again.
  virtual std::optional<RefusedRecord> refused() const { return std::nullopt; }
};

class ShardTransports {
 public:
  virtual ~ShardTransports() = default;
  /// Destroying the transport closes the producer without waiting for anything in flight.
  virtual std::unique_ptr<ShardTransport> create(int shard) = 0;
};

}  // namespace ba
