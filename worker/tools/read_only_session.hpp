#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs guarded statements at one data source, each in a fresh read-only transaction with limits
// that is always rolled back, which undoes all that such a statement can change in its session.
// Connects when first needed and again when the connection broke. Owned and used by one thread.

#include <map>
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

  /// Cancels what is left of the last statement and ends its transaction. Apart from run(), so that
  /// an answer need not wait for it.
  void clean_up();

 private:
  using Failure = PgConnection::Failure;

  struct Ask {
    const GuardedSql& sql;
    int rows_max;
    Milliseconds timeout;  ///< of the statement
    const Cancellation& cancellation;
  };

  Failure attempt(const Ask& ask, RawToolResult& result);
  Failure connect(const Cancellation& cancellation);
  /// Names in the statement that the database's catalog says are volatile.
  Failure find_volatile(const Ask& ask, std::set<std::string>& found);
  /// Whether what stands behind the statement's names may change while the data stay the same.
  Failure find_changeable(const Ask& ask, bool& changeable);
  Failure query(const std::string& sql, const std::vector<std::string>& parameters, const Ask& ask,
                RowSink& sink);
  RawToolResult failed(const SqlFailure& failure, Milliseconds statement_timeout,
                       bool retry_useless, Milliseconds took);

  const DataSourceConfig& source_;
  PgConnection connection_;
  std::set<std::string> known_good_;  ///< questions to the catalog already answered with "nothing"
  std::map<std::string, bool> known_changeable_;  ///< answers to the other question
  bool reusable_ = false;                         ///< the last statement ended by itself
  PgConnection::Clock::time_point sent_{};        ///< when the last statement was sent
};

}  // namespace ba
