#pragma once
// SPDX-License-Identifier: Apache-2.0
// One question to the brokers, for doctor and readiness: do they answer, and how many are they?
// Blocking, bounded by `timeout`; any thread but the control thread.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

struct BrokerReport {
  std::vector<std::string> brokers;  ///< "id host:port"
  int topics = 0;
};

Result<BrokerReport> check_brokers(const KafkaOptions& options, Milliseconds timeout);

}  // namespace ba
