// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/read_only_session.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/tool/observation.hpp"
#include "worker/tools/catalog_check.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/sql_errors.hpp"

namespace ba {
namespace {

using Clock = PgConnection::Clock;

/// What the client waits beyond the server's own timeout before it gives the connection up.
constexpr Milliseconds kGrace{2000};
constexpr Milliseconds kCleanUpTimeout{5000};
constexpr std::size_t kKnownGoodMax = 1000;

}  // namespace

PgConnection::Failure ReadOnlySession::connect(const Cancellation& cancellation) {
  known_good_.clear();
  known_changeable_.clear();
  connection_.set_unread_bytes_max(2 * source_.result_bytes_max + 1024 * 1024);
  if (Failure failure = connection_.connect(source_.url, source_.connect_timeout, cancellation))
    return failure;
  if (connection_.superuser()) {
    connection_.close();
    return superuser_refused();
  }
  // No statement changes these for the next one: what it sets is undone with its transaction.
  return connection_.script(
      "SET statement_timeout = " + std::to_string(source_.statement_timeout.count()) +
          "; SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 60000; " +
          kReadableFormats,
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
  const CatalogQuestion asked = volatile_names_in(ask.sql);
  std::string question;
  for (const std::string& names : asked.parameters) question += names;
  if (known_good_.contains(question)) return std::nullopt;
  NameSink names(found);
  Failure failure = query(asked.sql, asked.parameters, ask, names);
  if (!failure && found.empty() && known_good_.size() < kKnownGoodMax) known_good_.insert(question);
  return failure;
}

PgConnection::Failure ReadOnlySession::find_changeable(const Ask& ask, bool& changeable) {
  const CatalogQuestion asked = changeable_things_in(ask.sql);
  std::string question;
  for (const std::string& names : asked.parameters) question += names;
  if (const auto known = known_changeable_.find(question); known != known_changeable_.end()) {
    changeable = known->second;
    return std::nullopt;
  }
  ChangeableSink found(ask.sql);
  Failure failure = query(asked.sql, asked.parameters, ask, found);
  changeable = found.found();
  if (!failure && known_changeable_.size() < kKnownGoodMax)
    known_changeable_.emplace(std::move(question), changeable);
  return failure;
}

PgConnection::Failure ReadOnlySession::attempt(const Ask& ask, RawToolResult& result) {
  if (!connection_.open())
    if (Failure failure = connect(ask.cancellation)) return failure;
  std::set<std::string> found;
  if (Failure failure = find_volatile(ask, found)) return failure;
  if (!found.empty()) {
    reusable_ = true;
    result.error = volatile_refused(found);
    return std::nullopt;
  }
  if (Failure failure = find_changeable(ask, result.not_cacheable)) return failure;
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
  // A limit of the server (temp_file_limit), which the statement reaches each time.
  result.retry_useless = failure.sqlstate == "53400";
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
