// SPDX-License-Identifier: Apache-2.0
#pragma once
// What database_write answers: the rows that a write returned, what it says it did, and the answer
// that stands beside a key already; and how many rows it would change. Values and sinks; one
// thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"

namespace ba::sql {

/// A longer row ends the call: a statement that must come to its end can't leave it out.
std::int64_t row_bytes_max(std::int64_t result_bytes_max);

class NoRows final : public RowSink {
 public:
  bool row(const Row&) override { return true; }
};

/// The stored answer, and whether it is that of the same statement.
class StoredAnswer final : public RowSink {
 public:
  bool row(const Row& row) override {
    found = true;
    same = row.at(0) == "true";
    answer = std::string(row.at(1).value_or(""));
    return true;
  }

  bool found = false;
  bool same = false;
  std::string answer;
};

/// The rows of RETURNING as far as they fit. All are read: the statement must come to its end.
class ReturnedRows final : public RowSink {
 public:
  ReturnedRows(int row_limit, std::int64_t bytes_max);
  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override { rows_.oversize(); }

  /// {"success":true,"message":…,"rows_affected":n[,"returned":…]}
  std::string answer(const std::string& message, std::int64_t affected) const;

 private:
  RowJson rows_;
  std::int64_t row_bytes_max_;
  bool any_ = false;
  bool full_ = false;
};

/// "3 rows updated in orders".
std::string done_message(const GuardedWrite& write, std::int64_t affected);

/// `rows`: how many, in words; `remedy`: what else is to be said.
ToolError too_many_rows(const std::string& rows, int most, const std::string& remedy = "");

/// Whether a write would change more rows than it may, found out before it changes any: the server
/// counts the rows that its own words find, up to one more than are allowed, in the transaction of
/// the write.
struct WriteBound {
  PgConnection& connection;
  StatementJudge& judge;
  std::vector<PgConnection::Message> as_tenant;
  const SqlWait& until;

  /// Rows that an ON CONFLICT would leave out count, too. False, too, where that can't be asked: of
  /// views, of volatile functions that are only vouched for, where policies differ by command, or
  /// without the right to read the table. What was changed is to be counted in any case.
  std::optional<SqlFailure> exceeded_by(const GuardedWrite& write, int row_limit, bool& exceeded);
};

}  // namespace ba::sql
