#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command can't do without: says how to set it, once, in one place. Pure functions.

#include "pipeline/base/error.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// Without brokers (URL): an error whose exit code is that of a wrong configuration. librdkafka's
/// own lines are not shown.
Result<KafkaOptions> kafka_of(const Config& config);
Result<PgAccess> postgres_of(const Config& config);

}  // namespace ba
