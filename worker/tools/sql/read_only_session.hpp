#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs guarded statements at one data source, each after the server's own resolution of it was
// judged (resolved/statement_judge.hpp), in a fresh read-only transaction with limits that is
// always rolled back, which undoes all that such a statement can change in its session. Connects
// when first needed and again when the connection broke. Owned and used by one thread.

#include <string>
#include <vector>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"

namespace ba::sql {

class ReadOnlySession {
 public:
  /// `source` outlives the session.
  explicit ReadOnlySession(const DataSourceConfig& source)
      : source_(source), judge_(connection_, {source.functions}) {}

  /// The rows as row_json.hpp has them, or why there are none. clean_up() comes next.
  RawToolResult run(const GuardedSql& sql, const std::string& tenant, int row_limit,
                    Milliseconds timeout, const tools::Cancellation& cancellation,
                    tools::ResultRoom room = {});

  /// Cancels what is left of the last statement and ends its transaction. Apart from run(), so that
  /// an answer need not wait for it.
  void clean_up();

 private:
  using Failure = PgConnection::Failure;
  using Message = PgConnection::Message;

  struct Ask {
    const GuardedSql& sql;
    const std::string& tenant;
    int rows_max;
    Milliseconds timeout;  ///< of the statement
    const tools::Cancellation& cancellation;
    tools::ResultRoom room;
  };

  Failure attempt(const Ask& ask, RawToolResult& result);
  Failure connect(const tools::Cancellation& cancellation);
  Failure prepare(const Ask& ask, RawToolResult& result, std::string& name);
  Failure execute(const Ask& ask, const std::string& name, RowSink& sink);
  /// What opens a transaction for this tenant, with all that a statement of it needs.
  std::vector<PgConnection::Message> opening(const Ask& ask) const;
  RawToolResult failed(const SqlFailure& failure, Milliseconds statement_timeout,
                       bool retry_useless, Milliseconds took);

  const DataSourceConfig& source_;
  PgConnection connection_;
  StatementJudge judge_;
  SessionFacts facts_;
  SessionSettings settings_;
  bool analysed_safely_ = true;
  bool rows_came_ = false;                  ///< of the last statement
  bool reusable_ = false;                   ///< the last statement ended by itself
  PgConnection::Clock::time_point sent_{};  ///< when the last statement was sent
};

}  // namespace ba::sql
