// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/read_only_session.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/core/tool/observation.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/connection/source_login.hpp"

namespace ba::sql {
namespace {

using Clock = PgConnection::Clock;

/// What the client waits beyond the server's own timeout before it gives the connection up.
constexpr Milliseconds kGrace{2000};
constexpr Milliseconds kCleanUpTimeout{5000};
constexpr Milliseconds kLockTimeout{5000};
constexpr Milliseconds kIdleTimeout{60000};

/// Prepared in a connection of our own: each statement begins and ends with them.
constexpr const char* kBegin = "ba_begin";
constexpr const char* kEnd = "ba_end";

/// Whether the server found an error in the statement's words, rather than while it ran something.
bool names_what_is_wrong(const SqlFailure& failure) {
  return failure.kind == SqlFailure::Kind::Server && failure.sqlstate.starts_with("42");
}

}  // namespace

PgConnection::Failure ReadOnlySession::connect(const tools::Cancellation& cancellation) {
  connection_.set_unread_bytes_max(2 * std::min(source_.result_bytes_max, tools::kItemBytesMax) +
                                   1024 * 1024);
  const SourceLogin login{source_.url, source_.tenancy, source_.connect_timeout};
  if (Failure failure = log_in(connection_, login, cancellation, facts_)) return failure;
  const SqlWait until{Clock::now() + source_.connect_timeout, cancellation};
  settings_ = common_settings(facts_, source_.statement_timeout, kLockTimeout, kIdleTimeout);
  if (!facts_.pooled) {
    settings_.set("default_transaction_read_only", "on");
    // No statement changes these for the next one: what it sets is undone with its transaction.
    if (Failure failure = connection_.script(settings_.script(), until)) return failure;
    const std::vector<Message> ends{prepare_message(kBegin, "BEGIN READ ONLY"),
                                    prepare_message(kEnd, "ROLLBACK")};
    if (Failure failure = connection_.batch(ends, until, nullptr)) return failure;
  }
  return judge_.reset(StatementJudge::Purpose::Read, facts_.pooled, until);
}

std::vector<PgConnection::Message> ReadOnlySession::opening(const Ask& ask) const {
  std::vector<Message> messages{facts_.pooled ? query_message("BEGIN READ ONLY")
                                              : execute_message(kBegin)};
  if (facts_.pooled)
    for (Message& setting : settings_.local()) messages.push_back(std::move(setting));
  const std::int64_t limit = stricter(ask.timeout.count(), facts_.statement_timeout_ms);
  if (ask.timeout < source_.statement_timeout)
    messages.push_back(query_message("SET LOCAL statement_timeout = " + std::to_string(limit)));
  for (Message& setting : tenant_messages(source_.tenancy, ask.tenant))
    messages.push_back(std::move(setting));
  return messages;
}

/// The verdict; where it is one to run, the name under which the statement is prepared.
PgConnection::Failure ReadOnlySession::prepare(const Ask& ask, RawToolResult& result,
                                               std::string& name) {
  const std::vector<Message> messages = opening(ask);
  const std::string& text = ask.sql.is_explain ? ask.sql.explained : ask.sql.text;
  const StatementJudge::Case asked{text,
                                   messages,
                                   source_.tenancy.scope_of(ask.tenant),
                                   {Clock::now() + ask.timeout + kGrace, ask.cancellation},
                                   ask.sql.is_explain};
  StatementVerdict verdict;
  if (Failure failure = judge_.judge(asked, verdict, name)) return failure;
  result.not_cacheable = verdict.not_cacheable || ask.sql.is_explain;
  // Checks of its types may have run while it was analysed: nothing of that stays in a session.
  analysed_safely_ = !verdict.refused || verdict.resolved.types.empty();
  result.error = std::move(verdict.refused);
  return std::nullopt;
}

/// In the transaction that the verdict left open.
PgConnection::Failure ReadOnlySession::execute(const Ask& ask, const std::string& name,
                                               RowSink& sink) {
  std::vector<Message> messages{
      ask.sql.is_explain ? query_message(ask.sql.text) : execute_message(name),
      facts_.pooled ? query_message("ROLLBACK") : execute_message(kEnd)};
  messages.front().rows = true;
  sent_ = Clock::now();
  Failure failure =
      connection_.batch(messages, {sent_ + ask.timeout + kGrace, ask.cancellation}, &sink);
  if (failure && failure->kind == SqlFailure::Kind::Lost) connection_.close();
  return failure;
}

PgConnection::Failure ReadOnlySession::attempt(const Ask& ask, RawToolResult& result) {
  if (!connection_.open())
    if (Failure failure = connect(ask.cancellation)) return failure;
  std::string name;
  Failure failure = prepare(ask, result, name);
  if (failure || result.error) {
    reusable_ = failure ? names_what_is_wrong(*failure) : analysed_safely_;
    if (failure && failure->kind == SqlFailure::Kind::Lost) connection_.close();
    return failure;
  }
  RowJson rows(ask.rows_max, source_.result_bytes_max, ask.room);
  if (ask.rows_max == source_.row_limit) rows.row_limit_is("row_limit of '" + source_.name + "'");
  failure = execute(ask, name, rows);
  rows_came_ = rows.begun();
  reusable_ = !rows.truncated() && (!failure || failure->kind == SqlFailure::Kind::Server);
  if (failure) return failure;
  rows.finish(result);
  return failure;
}

RawToolResult ReadOnlySession::run(const GuardedSql& sql, const std::string& tenant, int row_limit,
                                   Milliseconds timeout, const tools::Cancellation& cancellation,
                                   tools::ResultRoom room) {
  const Ask ask{sql,
                tenant,
                std::min(row_limit, source_.row_limit),
                std::min(timeout, source_.statement_timeout),
                cancellation,
                room};
  reusable_ = false;
  rows_came_ = false;
  sent_ = Clock::now();
  const bool kept = connection_.open();
  RawToolResult result;
  Failure failure = attempt(ask, result);
  // The server may have been restarted since the last statement; one that reads can be repeated,
  // unless rows of it were put away.
  if (failure && failure->kind == SqlFailure::Kind::Lost && kept && !rows_came_)
    failure = attempt(ask, result);
  if (!failure) return result;
  return failed(*failure, ask.timeout, timeout >= source_.statement_timeout,
                std::chrono::duration_cast<Milliseconds>(Clock::now() - sent_));
}

RawToolResult ReadOnlySession::failed(const SqlFailure& failure, Milliseconds statement_timeout,
                                      bool retry_useless, Milliseconds took) {
  const bool server_timeout = failure.kind == SqlFailure::Kind::Server &&
                              failure.sqlstate == "57014" && took >= statement_timeout * 9 / 10;
  if (failure.kind == SqlFailure::Kind::Deadline || server_timeout) {
    RawToolResult result = tools::failed_with(timeout_error(statement_timeout));
    result.retry_useless = retry_useless;
    return result;
  }
  RawToolResult result = tools::failed_with(error_of(failure, source_.name));
  // Somebody else (an administrator) cancelled it.
  if (failure.sqlstate == "57014") result.error->type = ToolErrorType::TransientError;
  // A limit of the server (temp_file_limit), which the statement reaches each time.
  result.retry_useless = failure.sqlstate == "53400";
  return result;
}

void ReadOnlySession::clean_up() { leave(connection_, reusable_, kCleanUpTimeout); }

}  // namespace ba::sql
