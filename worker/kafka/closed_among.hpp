#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which topics take nothing of this client, by what the brokers say. Blocking, bounded by the time
// that is given; on any client of the library. Inside worker/kafka, any thread.

#include <map>
#include <set>
#include <string>

#include "worker/kafka/client.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

/// Those of `topics` that don't exist or that this client may not write to, and for each why, with
/// the remedy. None where the brokers don't tell now.
std::map<std::string, std::string> closed_among(rd_kafka_t& client,
                                                const std::set<std::string>& topics,
                                                const KafkaOptions& options, Milliseconds timeout);

}  // namespace ba
