#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs guarded statements at one data source, each in a fresh read-only transaction with limits
// that is always rolled back, in a session that is reset after it. Connects when first needed and
// again when the connection broke. Owned and used by one thread.

#include <set>
#include <string>

#include "pipeline/tool/tool.hpp"
#include "worker/tools/cancellation.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/row_json.hpp"
#include "worker/tools/sql_guard.hpp"
#include "worker/tools/tools_config.hpp"

namespace ba {

class ReadOnlySession {
 public:
  /// `source` outlives the session.
  explicit ReadOnlySession(const DataSourceConfig& source) : source_(source) {}

  /// The rows as row_json.hpp has them, or why there are none. clean_up() comes next.
  RawToolResult run(const GuardedSql& sql, int row_limit, Milliseconds timeout,
                    const Cancellation& cancellation);

  /// Cancels what is left of the last statement, ends its transaction, resets the session. Apart
  /// from run(), so that an answer need not wait for it.
  void clean_up();

 private:
  using Failure = PgConnection::Failure;

  Failure open(Milliseconds statement_timeout, PgConnection::Clock::time_point deadline,
               const Cancellation& cancellation);
  Failure connect(const Cancellation& cancellation);
  Failure begin(Milliseconds statement_timeout, PgConnection::Clock::time_point deadline,
                const Cancellation& cancellation);
  /// Names in the statement that the database's catalog says are volatile.
  Failure find_volatile(const GuardedSql& sql, std::set<std::string>& found,
                        PgConnection::Clock::time_point deadline, const Cancellation& cancellation);
  RawToolResult failed(const SqlFailure& failure, Milliseconds statement_timeout,
                       bool retry_useless, Milliseconds took);

  const DataSourceConfig& source_;
  PgConnection connection_;
  std::set<std::string> known_good_;  ///< questions to the catalog already answered with "nothing"
  bool reusable_ = false;             ///< the last statement ended by itself
};

}  // namespace ba
