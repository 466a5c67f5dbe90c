#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command can't do without: says how to set it, once, in one place. Used by commands; one
// thread.

#include "pipeline/base/error.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// Without brokers (URL): an error whose exit code is that of a wrong configuration. librdkafka's
/// own lines are not shown.
Result<KafkaOptions> kafka_of(const Config& config);
Result<PgAccess> postgres_of(const Config& config);

/// Whether the database has the schema of this program; another one, or none, is a matter of the
/// configuration, too. Connects, and blocks for that.
Result<void> check_ledger(const PgAccess& access);

/// postgres_of() with check_ledger().
Result<PgAccess> ledger_of(const Config& config);

}  // namespace ba
