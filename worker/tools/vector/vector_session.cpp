// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_session.hpp"

#include <algorithm>
#include <cstdlib>

#include "pipeline/core/tool/observation.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/connection/source_login.hpp"
#include "worker/tools/vector/nearest_rows.hpp"

namespace ba::vector {
namespace {

using Clock = sql::PgConnection::Clock;

/// What the client waits beyond the server's own timeout before it gives the connection up.
constexpr Milliseconds kGrace{2000};
constexpr Milliseconds kCleanUpTimeout{5000};
constexpr Milliseconds kLockTimeout{5000};
constexpr Milliseconds kIdleTimeout{60000};  ///< of a transaction whose worker is gone
/// Of the text of a number in an array, more than any has.
constexpr std::int64_t kNumberBytesMax = 32;

/// The rows of columns_statement().
class ColumnFacts final : public sql::RowSink {
 public:
  explicit ColumnFacts(const VectorIndexConfig& index) : index_(index) {}

  bool row(const Row& row) override {
    const auto text = [&](std::size_t i) { return std::string(row.at(i).value_or("")); };
    if (text(0) == index_.id_column) {
      id_ = true;
      facts_.number_ids = text(4) == "N";
      facts_.collated_ids = text(5) == "t";
    }
    if (text(0) == index_.embedding_column) {
      type_ = text(1);
      facts_.pgvector = type_ == "vector";
      facts_.type_schema = text(2);
      facts_.dimensions = facts_.pgvector ? std::atoi(text(3).c_str()) : -1;
    }
    return true;
  }

  const VectorColumns& facts() const { return facts_; }

  /// What is wrong with the table for vectors of `dimensions`; empty: nothing.
  std::string problem(std::size_t dimensions) const {
    const std::string table = "the table '" + index_.table + "' of '" + index_.data_source + "'";
    const std::string column = " column '" + index_.embedding_column + "'";
    if (!id_ && type_.empty())
      return table + " isn't there, or has neither a column '" + index_.id_column + "' nor a" +
             column;
    if (!id_) return table + " has no column '" + index_.id_column + "'";
    if (type_.empty()) return table + " has no" + column;
    if (type_ != "_float4" && type_ != "_float8" && type_ != "vector")
      return table + " has a" + column + " of type " + type_ +
             ", where real[], double precision[] or pgvector's vector is needed";
    if (facts_.dimensions >= 0 && static_cast<std::size_t>(facts_.dimensions) != dimensions)
      return table + " has a" + column + " of " + std::to_string(facts_.dimensions) +
             " dimensions, where tools.vector_search.dimensions is " + std::to_string(dimensions);
    return "";
  }

 private:
  const VectorIndexConfig& index_;
  VectorColumns facts_;
  bool id_ = false;
  std::string type_;
};

class OneNumber final : public sql::RowSink {
 public:
  bool row(const Row& row) override {
    value = std::atoll(std::string(row.at(0).value_or("0")).c_str());
    return true;
  }
  std::int64_t value = 0;
};

/// INDEX_MISCONFIGURED: `what` is a sentence without its end.
RawToolResult index_misconfigured(const VectorIndexConfig& index, const std::string& what) {
  return tools::failed_with(
      {ToolErrorType::DependencyError, "INDEX_MISCONFIGURED",
       "The index '" + index.name + "' can't be searched: " + what +
           ". An operator must mend it in tools.vector_search.indexes, or the table"});
}

/// INDEX_TOO_LARGE for an exact search: which limit, and what an operator can do.
RawToolResult index_too_large(const VectorIndexConfig& index, const char* limit,
                              const std::string& value) {
  return tools::failed_with(
      {ToolErrorType::DependencyError, "INDEX_TOO_LARGE",
       "The index '" + index.name + "' is larger than an exact search may read (" + limit + ": " +
           value + "), and none of it was searched. An operator must raise " + limit +
           " of it in tools.vector_search.indexes, or make its column '" + index.embedding_column +
           "' one of pgvector's type vector"});
}

/// Of the data source. Not for Deadline and Cancelled.
RawToolResult index_failure(const VectorIndexConfig& index, const sql::SqlFailure& failure) {
  ToolError error = sql::error_of(failure, index.data_source);
  // The statement is not the model's: only a person can mend what the server refuses of it.
  if (error.type == ToolErrorType::InvalidParameters) error.type = ToolErrorType::DependencyError;
  // Somebody else (an administrator) cancelled it.
  if (failure.sqlstate == "57014") error.type = ToolErrorType::TransientError;
  if (failure.kind == sql::SqlFailure::Kind::Server && error.code != sql::kSourceMisconfigured)
    error.message = "The index '" + index.name + "' can't be searched: " + error.message +
                    ". If it stays so, an operator must check its table, its columns and the "
                    "rights of the login role of '" +
                    index.data_source + "'";
  return tools::failed_with(std::move(error));
}

}  // namespace

sql::PgConnection::Failure VectorSession::connect(const Ask& ask) {
  connection_.close();
  const sql::SourceLogin login{source_.url, source_.tenancy, source_.connect_timeout};
  if (Failure failure = sql::log_in(connection_, login, ask.until.cancellation, facts_))
    return failure;
  const sql::SqlWait until{Clock::now() + source_.connect_timeout, ask.until.cancellation};
  settings_ = sql::common_settings(facts_, source_.statement_timeout, kLockTimeout, kIdleTimeout);
  if (facts_.pooled) return std::nullopt;
  return connection_.script(settings_.script(), until);
}

/// One state of the table for all statements, so that what was counted is what is read. Behind a
/// pool everything is set for this transaction.
sql::PgConnection::Failure VectorSession::begin(const Ask& ask) {
  const std::int64_t limit = sql::stricter(ask.timeout.count(), facts_.statement_timeout_ms);
  std::vector<sql::PgConnection::Message> messages{
      sql::query_message("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      sql::query_message("SET LOCAL row_security = on")};
  if (facts_.pooled)
    for (sql::PgConnection::Message& message : settings_.local())
      messages.push_back(std::move(message));
  messages.push_back(sql::query_message("SET LOCAL statement_timeout = " + std::to_string(limit)));
  for (sql::PgConnection::Message& message :
       sql::tenant_messages(source_.tenancy, ask.order.tenant))
    messages.push_back(std::move(message));
  return connection_.batch(messages, ask.until, nullptr);
}

sql::PgConnection::Failure VectorSession::run(const Ask& ask, const VectorStatement& statement,
                                              sql::RowSink& sink) {
  return connection_.statement(statement.sql, statement.parameters, ask.until, sink);
}

sql::PgConnection::Failure VectorSession::ask_columns(const Ask& ask, VectorColumns& columns,
                                                      RawToolResult& result) {
  ColumnFacts facts(ask.order.index);
  if (Failure failure = run(ask, columns_statement(ask.order.index), facts)) return failure;
  columns = facts.facts();
  const std::string problem = facts.problem(ask.order.embedding.size());
  if (!problem.empty()) result = index_misconfigured(ask.order.index, problem);
  return std::nullopt;
}

sql::PgConnection::Failure VectorSession::count(const Ask& ask, RawToolResult& result) {
  OneNumber rows;
  if (Failure failure = run(ask, count_statement(ask.order), rows)) return failure;
  if (rows.value > ask.order.index.rows_max)
    result = index_too_large(ask.order.index, "rows_max", std::to_string(ask.order.index.rows_max));
  return std::nullopt;
}

sql::PgConnection::Failure VectorSession::collect(const Ask& ask, const VectorColumns& columns,
                                                  RawToolResult& result) {
  const VectorIndexConfig& index = ask.order.index;
  const auto statement =
      columns.pgvector ? nearest_statement(ask.order, columns) : exact_statement(ask.order);
  // They are held: what a search gives is read, not put away.
  const std::int64_t bytes_max = std::min(source_.result_bytes_max, kHeldBytesMax);
  NearestRows rows(ask.order, columns, bytes_max);
  connection_.set_unread_bytes_max(2 * bytes_max + 1024 * 1024 +
                                   kNumberBytesMax *
                                       static_cast<std::int64_t>(ask.order.embedding.size()));
  Failure failure = run(ask, statement, rows);
  reusable_ =
      !connection_.stopped() && (!failure || failure->kind == sql::SqlFailure::Kind::Server);
  if (failure) return failure;
  if (rows.too_many_bytes())
    result = index_too_large(index, "read_bytes_max", std::to_string(index.read_bytes_max));
  else if (rows.row_too_large())
    result = index_misconfigured(index,
                                 "the text and the metadata of one of its rows have more "
                                 "than " +
                                     std::to_string(bytes_max) + " bytes (result_bytes_max of '" +
                                     source_.name + "')");
  if (result.error) return std::nullopt;
  NearestRows::Answer answer = rows.answer(bytes_max);
  result.data = std::move(answer.json);
  result.note = std::move(answer.note);
  return std::nullopt;
}

sql::PgConnection::Failure VectorSession::attempt(const Ask& ask, RawToolResult& result) {
  if (!connection_.open())
    if (Failure failure = connect(ask)) return failure;
  VectorColumns columns;
  if (Failure failure = begin(ask)) return failure;
  if (Failure failure = ask_columns(ask, columns, result)) return failure;
  reusable_ = true;
  if (result.error) return std::nullopt;
  if (!columns.pgvector)
    if (Failure failure = count(ask, result)) return failure;
  if (result.error) return std::nullopt;
  return collect(ask, columns, result);
}

RawToolResult VectorSession::search(const VectorOrder& order, Milliseconds timeout,
                                    const tools::Cancellation& cancellation) {
  const Milliseconds limit = std::min(timeout, source_.statement_timeout);
  const Ask ask{order, limit, {Clock::now() + timeout + kGrace, cancellation}};
  reusable_ = false;
  const bool kept = connection_.open();
  if (!source_.tenancy.allows(order.tenant))
    return tools::failed_with(sql::source_not_allowed(source_.name));
  RawToolResult result;
  Failure failure = attempt(ask, result);
  // The server may have been restarted since the last search; one that reads can be repeated.
  if (failure && failure->kind == sql::SqlFailure::Kind::Lost && kept) {
    connection_.close();
    failure = attempt(ask, result);
  }
  if (!failure) return result;
  reusable_ = reusable_ && failure->kind == sql::SqlFailure::Kind::Server;
  const bool late = failure->kind == sql::SqlFailure::Kind::Deadline ||
                    (failure->sqlstate == "57014" &&
                     failure->message.find("statement timeout") != std::string::npos);
  return late ? tools::failed_with(timeout_error(limit)) : index_failure(order.index, *failure);
}

void VectorSession::clean_up() { sql::leave(connection_, reusable_, kCleanUpTimeout); }

}  // namespace ba::vector
