// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/write_answer.hpp"

#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/statement/sql_clauses.hpp"

namespace ba::sql {
namespace {

using Failure = std::optional<SqlFailure>;

std::int64_t bytes_of(const RowSink::Row& row) {
  std::int64_t bytes = 0;
  for (const auto& value : row) bytes += value ? static_cast<std::int64_t>(value->size()) : 0;
  return bytes;
}

/// Policies that hold for one command: fewer rows may be written than are read.
constexpr const char* kPoliciesByCommand = R"sql(
SELECT pg_catalog.count(*) FROM pg_catalog.pg_policy
 WHERE polrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)
   AND polcmd OPERATOR(pg_catalog.<>) '*')sql";

Failure ask(WriteBound& bound, const GuardedWrite& write, const std::string& question,
            std::vector<std::string>& answers) {
  StatementVerdict verdict;
  std::string name;
  if (Failure failure =
          bound.judge.judge_question({question, bound.as_tenant, "", bound.until}, verdict, name))
    return failure;
  if (verdict.refused) return std::nullopt;
  RowLines lines(answers);
  PgConnection::Message counting = execute_message(name);
  counting.rows = true;
  if (Failure failure = bound.connection.batch({counting}, bound.until, &lines)) return failure;
  return bound.connection.statement(kPoliciesByCommand, {sql_table(write.table)}, bound.until,
                                    lines);
}

}  // namespace

std::int64_t row_bytes_max(std::int64_t result_bytes_max) {
  return result_bytes_max + 16LL * 1024 * 1024;
}

ReturnedRows::ReturnedRows(int row_limit, std::int64_t bytes_max)
    : rows_(row_limit, bytes_max), row_bytes_max_(row_bytes_max(bytes_max)) {}

void ReturnedRows::columns(const std::vector<Column>& columns) {
  any_ = true;
  rows_.columns(columns);
}

bool ReturnedRows::row(const Row& row) {
  // Mostly the connection notices while such a row arrives; not always on a busy machine.
  if (bytes_of(row) > row_bytes_max_) return false;
  full_ = full_ || !rows_.row(row);
  return true;
}

std::string ReturnedRows::answer(const std::string& message, std::int64_t affected) const {
  return "{\"success\":true,\"message\":" + json_quoted(message) +
         ",\"rows_affected\":" + std::to_string(affected) +
         (any_ ? ",\"returned\":" + rows_.json_with_note() : std::string()) + "}";
}

ToolError too_many_rows(const std::string& rows, int most, const std::string& remedy) {
  return {ToolErrorType::InvalidParameters, "TOO_MANY_ROWS",
          "The statement would change " + rows + " rows; at most " + std::to_string(most) +
              " are allowed. Nothing was written. Narrow the condition, or split it" + remedy};
}

std::string done_message(const GuardedWrite& write, std::int64_t affected) {
  const std::string rows = std::to_string(affected) + (affected == 1 ? " row " : " rows ");
  switch (write.statement) {
    case WriteStatement::Insert:
      return rows + (write.upserts ? "inserted or updated in " : "inserted into ") + write.table;
    case WriteStatement::Update:
      return rows + "updated in " + write.table;
    case WriteStatement::Delete:
      return rows + "deleted from " + write.table;
  }
  return rows;
}

std::optional<SqlFailure> WriteBound::exceeded_by(const GuardedWrite& write, int row_limit,
                                                  bool& exceeded) {
  const auto question = row_count_question(write.sql.text, row_limit + 1);
  if (!question) return std::nullopt;
  if (Failure failure = connection.script("SAVEPOINT ba_count", until)) return failure;
  std::vector<std::string> answers;
  Failure failure = ask(*this, write, *question, answers);
  const bool cannot_be_asked =
      failure && failure->kind == SqlFailure::Kind::Server && failure->sqlstate != "57014";
  if (failure && !cannot_be_asked) return failure;
  exceeded = answers == std::vector<std::string>{std::to_string(row_limit + 1), "0"};
  return connection.script("ROLLBACK TO SAVEPOINT ba_count", until);
}

}  // namespace ba::sql
