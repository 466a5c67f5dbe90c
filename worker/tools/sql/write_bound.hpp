#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a write would change more rows than it may, found out before it changes any: the server
// counts the rows that its own words find, up to one more than are allowed, in the transaction of
// the write. One thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"

namespace ba {

struct WriteBound {
  PgConnection& connection;
  StatementJudge& judge;
  std::vector<PgConnection::Message> as_tenant;
  PgConnection::Clock::time_point deadline;
  const Cancellation& cancellation;

  /// Rows that an ON CONFLICT would leave out count, too. False, too, where that can't be asked: of
  /// views, of volatile functions that are only vouched for, where policies differ by command, or
  /// without the right to read the table. What was changed is to be counted in any case.
  std::optional<SqlFailure> exceeded_by(const GuardedWrite& write, int row_limit, bool& exceeded);
};

}  // namespace ba
