#pragma once
// SPDX-License-Identifier: Apache-2.0
// The state of an incarnation, several times a second, to the endpoints: what /readyz says and the
// gauges of /metrics. Control thread only.

#include "worker/driver/incarnation.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/observe/health.hpp"
#include "worker/observe/metrics.hpp"

namespace ba {

/// `hindrance`: what keeps the worker from using the ledger; empty: nothing.
void report_health(const LifeState& state, const std::string& hindrance, Health& health);
void report_metrics(const LifeState& state, const KafkaTopics& topics, Metrics& metrics);

}  // namespace ba
