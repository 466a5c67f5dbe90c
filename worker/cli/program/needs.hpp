#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command can't do without: says how to set it, once, in one place. Checked before the
// command runs, or by the command. One thread.

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/config/config.hpp"

namespace ba::cli {

struct Needs {
  bool configuration = true;  ///< one without errors; without this need, any will do
  bool database = false;      ///< postgres.url
  bool schema = false;        ///< the database has the schema of this program
  bool broker = false;        ///< kafka.brokers
  bool later = false;         ///< the command asks for its servers itself: its input comes first
};

inline constexpr Needs kNeedsNothing{.configuration = false};
inline constexpr Needs kNeedsConfiguration{};
inline constexpr Needs kNeedsDatabase{.database = true};
inline constexpr Needs kNeedsLedger{.database = true, .schema = true};
inline constexpr Needs kNeedsBroker{.broker = true};

/// A line for people: "Needs PostgreSQL (postgres.url)."; empty where nothing is worth saying.
std::string describe(const Needs& needs);

/// Without brokers (URL): an error whose exit code is that of a wrong configuration. librdkafka's
/// own lines are not shown.
Result<kafka::KafkaOptions> kafka_of(const config::Config& config);
Result<storage::PgAccess> postgres_of(const config::Config& config);

/// Whether the database has the schema of this program; another one, or none, is a matter of the
/// configuration, too. Connects, and blocks for that.
Result<void> check_ledger(const storage::PgAccess& access);

/// postgres_of() with check_ledger().
Result<storage::PgAccess> ledger_of(const config::Config& config);

}  // namespace ba::cli
