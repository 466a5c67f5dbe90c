#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `kafka` into the Kafka adapter's own options.

#include "worker/kafka/kafka_options.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// Shards of the outbox are set in section `outbox`, not here.
void read_kafka(settings::SectionReader& in, KafkaOptions& kafka);

}  // namespace ba
