// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/read_only_session.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/tool/observation.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/sql_errors.hpp"

namespace ba {
namespace {

using Clock = PgConnection::Clock;

/// What the client waits beyond the server's own timeout before it gives the connection up.
constexpr Milliseconds kGrace{2000};
constexpr Milliseconds kCleanUpTimeout{5000};
constexpr std::size_t kKnownGoodMax = 1000;

/// Names that resolve to something volatile in this database: functions ($1), operators ($2), casts
/// from or to a type ($3), and one-argument functions of a row that a column name can call ($4).
constexpr const char* kVolatileNames = R"sql(
SELECT p.proname || '()' FROM pg_catalog.pg_proc p
 WHERE p.provolatile = 'v' AND p.proname IN (SELECT pg_catalog.json_array_elements_text($1::json))
UNION SELECT 'operator ' || o.oprname FROM pg_catalog.pg_operator o
  JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode
 WHERE p.provolatile = 'v' AND o.oprname IN (SELECT pg_catalog.json_array_elements_text($2::json))
UNION SELECT 'cast of ' || t.typname FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_cast c ON t.oid IN (c.castsource, c.casttarget)
  JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc
 WHERE p.provolatile = 'v' AND t.typname IN (SELECT pg_catalog.json_array_elements_text($3::json))
UNION SELECT p.proname || '()' FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0]
 WHERE p.provolatile = 'v' AND p.pronargs = 1 AND t.typtype IN ('c', 'p')
   AND p.proname IN (SELECT pg_catalog.json_array_elements_text($4::json)))sql";

std::string json_array(const std::set<std::string>& names) {
  std::string json = "[";
  for (const std::string& name : names) json += (json.size() > 1 ? "," : "") + json_quoted(name);
  return json + "]";
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The first column of each row.
class Names final : public RowSink {
 public:
  explicit Names(std::set<std::string>& found) : found_(found) {}
  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    found_.insert(std::string(row.at(0).value_or("")));
    return true;
  }
  void oversize() override {}

 private:
  std::set<std::string>& found_;
};

RawToolResult refused(ToolErrorType type, std::string code, std::string message) {
  RawToolResult result;
  result.error = ToolError{type, std::move(code), std::move(message)};
  return result;
}

SqlFailure misconfigured(std::string message) {
  SqlFailure failure;
  failure.sqlstate = "28000";
  failure.message = std::move(message);
  return failure;
}

}  // namespace

PgConnection::Failure ReadOnlySession::connect(const Cancellation& cancellation) {
  known_good_.clear();
  connection_.set_unread_bytes_max(2 * source_.result_bytes_max + 1024 * 1024);
  if (Failure failure = connection_.connect(source_.url, source_.connect_timeout, cancellation))
    return failure;
  if (connection_.superuser()) {
    connection_.close();
    return misconfigured("The data source '" + source_.name +
                         "' is configured with a superuser, which is refused");
  }
  // The guard reads strings as standard_conforming_strings = on has them; the values' formats are
  // those that pg_value.hpp expects; time zones don't depend on the server's settings. No statement
  // changes them for the next one: what it sets is undone with its transaction.
  return connection_.script(
      "SET statement_timeout = " + std::to_string(source_.statement_timeout.count()) +
          "; SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 60000;"
          "SET standard_conforming_strings = on; SET DateStyle = 'ISO, YMD';"
          "SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC';"
          "SET bytea_output = 'hex'; SET extra_float_digits = 1",
      Clock::now() + source_.connect_timeout, cancellation);
}

PgConnection::Failure ReadOnlySession::query(const std::string& sql,
                                             const std::vector<std::string>& parameters,
                                             const Ask& ask, RowSink& sink) {
  std::vector<std::string> begin{"BEGIN READ ONLY"};
  if (ask.timeout < source_.statement_timeout)
    begin.push_back("SET LOCAL statement_timeout = " + std::to_string(ask.timeout.count()));
  sent_ = Clock::now();
  Failure failure = connection_.query(begin, sql, parameters, sent_ + ask.timeout + kGrace,
                                      ask.cancellation, sink);
  if (failure && failure->kind == SqlFailure::Kind::Lost) connection_.close();
  return failure;
}

PgConnection::Failure ReadOnlySession::find_volatile(const Ask& ask, std::set<std::string>& found) {
  const GuardedSql& sql = ask.sql;
  const std::vector<std::string> asked{json_array(sql.functions), json_array(sql.operators),
                                       json_array(sql.types), json_array(sql.fields)};
  const std::string question = asked[0] + asked[1] + asked[2] + asked[3];
  if (known_good_.contains(question)) return std::nullopt;
  Names names(found);
  Failure failure = query(kVolatileNames, asked, ask, names);
  if (!failure && found.empty() && known_good_.size() < kKnownGoodMax) known_good_.insert(question);
  return failure;
}

PgConnection::Failure ReadOnlySession::attempt(const Ask& ask, RawToolResult& result) {
  if (!connection_.open())
    if (Failure failure = connect(ask.cancellation)) return failure;
  std::set<std::string> found;
  if (Failure failure = find_volatile(ask, found)) return failure;
  if (!found.empty()) {
    reusable_ = true;
    result = refused(ToolErrorType::PermissionDenied, "SQL_NOT_ALLOWED",
                     "Not allowed here, since it may change data or its result changes from call "
                     "to call: " +
                         joined(found));
    return std::nullopt;
  }
  RowJson rows(ask.rows_max, source_.result_bytes_max);
  const Failure failure = query(ask.sql.text, {}, ask, rows);
  reusable_ = !rows.truncated() && (!failure || failure->kind == SqlFailure::Kind::Server);
  if (!failure) result.data = rows.json();
  return failure;
}

RawToolResult ReadOnlySession::run(const GuardedSql& sql, int row_limit, Milliseconds timeout,
                                   const Cancellation& cancellation) {
  const Ask ask{sql, std::min(row_limit, source_.row_limit),
                std::min(timeout, source_.statement_timeout), cancellation};
  reusable_ = false;
  sent_ = Clock::now();
  const bool kept = connection_.open();
  RawToolResult result;
  Failure failure = attempt(ask, result);
  // The server may have been restarted since the last statement; one that reads can be repeated.
  if (failure && failure->kind == SqlFailure::Kind::Lost && kept) failure = attempt(ask, result);
  if (!failure) return result;
  return failed(*failure, ask.timeout, timeout >= source_.statement_timeout,
                std::chrono::duration_cast<Milliseconds>(Clock::now() - sent_));
}

RawToolResult ReadOnlySession::failed(const SqlFailure& failure, Milliseconds statement_timeout,
                                      bool retry_useless, Milliseconds took) {
  const bool server_timeout = failure.kind == SqlFailure::Kind::Server &&
                              failure.sqlstate == "57014" && took >= statement_timeout * 9 / 10;
  if (failure.kind == SqlFailure::Kind::Deadline || server_timeout) {
    RawToolResult result;
    result.error = timeout_error(statement_timeout);
    result.retry_useless = retry_useless;
    return result;
  }
  RawToolResult result;
  result.error = error_of(failure, source_.name);
  // Somebody else (an administrator) cancelled it.
  if (failure.sqlstate == "57014") result.error->type = ToolErrorType::TransientError;
  return result;
}

void ReadOnlySession::clean_up() {
  const Cancellation never;
  // A statement that was cut off may be hit late by its cancel request: not by the next statement.
  const bool usable = connection_.open() && reusable_;
  if (usable && !connection_.in_transaction()) return;
  if (!usable || connection_.script("ROLLBACK", Clock::now() + kCleanUpTimeout, never))
    connection_.abandon();
}

}  // namespace ba
