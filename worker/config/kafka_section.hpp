#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `kafka` into the Kafka adapter's own options. A function over values of
// its caller; any thread.

#include <string_view>

#include "worker/kafka/kafka_options.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// Whether a librdkafka property of this name is a secret: "sasl.password", "ssl.key.pem",
/// "sasl.oauthbearer.config", …
bool is_secret_property(std::string_view name);

/// Shards of the outbox are set in section `outbox`, not here.
void read_kafka(settings::SectionReader& in, KafkaOptions& kafka);

}  // namespace ba
