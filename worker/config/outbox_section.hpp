#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `outbox`: how results leave the ledger for Kafka. Values.

#include "pipeline/base/time.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

struct OutboxConfig {
  int shards = 16;  ///< of the whole installation, the same for all workers; only ever raise it
  Milliseconds linger{100};          ///< how long a shard gathers records for one transaction
  int batch_records_max = 1000;      ///< records of one transaction
  Milliseconds own_interval{2'000};  ///< how often a worker takes its share of the shards

  friend bool operator==(const OutboxConfig&, const OutboxConfig&) = default;
};

void read_outbox(settings::SectionReader& in, OutboxConfig& outbox);

}  // namespace ba
