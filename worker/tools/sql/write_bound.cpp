// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/write_bound.hpp"

#include "worker/tools/sql/connection/row_lines.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/statement/sql_row_count.hpp"

namespace ba {
namespace {

using Failure = std::optional<SqlFailure>;

/// Policies that hold for one command: fewer rows may be written than are read.
constexpr const char* kPoliciesByCommand = R"sql(
SELECT pg_catalog.count(*) FROM pg_catalog.pg_policy
 WHERE polrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)
   AND polcmd OPERATOR(pg_catalog.<>) '*')sql";

Failure ask(WriteBound& bound, const GuardedWrite& write, const std::string& question,
            std::vector<std::string>& answers) {
  StatementVerdict verdict;
  std::string name;
  if (Failure failure = bound.judge.judge_question(
          {question, bound.as_tenant, "", bound.deadline, bound.cancellation}, verdict, name))
    return failure;
  if (verdict.refused) return std::nullopt;
  RowLines lines(answers);
  PgConnection::Message counting = execute_message(name);
  counting.rows = true;
  if (Failure failure =
          bound.connection.batch({counting}, bound.deadline, bound.cancellation, &lines))
    return failure;
  return bound.connection.statement(kPoliciesByCommand, {sql_table(write.table)}, bound.deadline,
                                    bound.cancellation, lines);
}

}  // namespace

std::optional<SqlFailure> WriteBound::exceeded_by(const GuardedWrite& write, int row_limit,
                                                  bool& exceeded) {
  const auto question = row_count_question(write.sql.text, row_limit + 1);
  if (!question) return std::nullopt;
  if (Failure failure = connection.script("SAVEPOINT ba_count", deadline, cancellation))
    return failure;
  std::vector<std::string> answers;
  Failure failure = ask(*this, write, *question, answers);
  const bool cannot_be_asked =
      failure && failure->kind == SqlFailure::Kind::Server && failure->sqlstate != "57014";
  if (failure && !cannot_be_asked) return failure;
  exceeded = answers == std::vector<std::string>{std::to_string(row_limit + 1), "0"};
  return connection.script("ROLLBACK TO SAVEPOINT ba_count", deadline, cancellation);
}

}  // namespace ba
