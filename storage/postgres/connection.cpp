// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/connection.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ba::storage {
namespace {

PgResult own(PGresult* result) {
  return {result, [](const PGresult* one) { PQclear(const_cast<PGresult*>(one)); }};
}

bool is_good(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/// libpq takes texts up to their first NUL; the server would have refused one.
void require_texts(const std::vector<Parameter>& parameters) {
  const auto cut = [](const Parameter& parameter) {
    return !parameter.binary && parameter.value.find('\0') != std::string::npos;
  };
  if (std::ranges::any_of(parameters, cut))
    throw PgFailure(PgFailure::Kind::Statement,
                    "ERROR:  invalid byte sequence for encoding \"UTF8\": 0x00", "22021");
}

}  // namespace

void Connection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::Connection(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
  if (!is_open()) throw lost();
  PQsetNoticeReceiver(
      connection_.get(), [](void*, const PGresult*) {}, nullptr);
}

bool Connection::is_open() const {
  return !out_of_step_ && PQstatus(connection_.get()) == CONNECTION_OK;
}

int Connection::server_version() const { return PQserverVersion(connection_.get()); }

std::string Connection::quote_name(std::string_view name) const {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeIdentifier(connection_.get(), name.data(), name.size()), &PQfreemem);
  if (!quoted)
    throw PgFailure(PgFailure::Kind::Statement, PQerrorMessage(connection_.get()), "22021");
  return quoted.get();
}

std::string Connection::quote_text(std::string_view text) const {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeLiteral(connection_.get(), text.data(), text.size()), &PQfreemem);
  if (!quoted)
    throw PgFailure(PgFailure::Kind::Statement, PQerrorMessage(connection_.get()), "22021");
  return quoted.get();
}

PgResult Connection::execute(const std::string& sql) {
  leave_pipeline();
  ++waits_;
  const PgResult result = own(PQexec(connection_.get(), sql.c_str()));
  if (!result) throw lost();
  if (!is_good(result.get())) throw refused(*result);
  return result;
}

PgResult Connection::run(const Statement& statement, const std::vector<Parameter>& parameters) {
  send(statement, parameters);
  return collect();
}

void Connection::send(const Statement& statement, const std::vector<Parameter>& parameters,
                      std::shared_ptr<PgResult> answer) {
  require_texts(parameters);
  enter_pipeline();
  if (prepared_.insert(statement.name).second) {
    require_sent(PQsendPrepare(connection_.get(), statement.name, statement.sql, 0, nullptr));
    sent_.push_back({statement.name});
  }
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter.null ? nullptr : parameter.value.c_str());
    lengths.push_back(static_cast<int>(parameter.value.size()));
    formats.push_back(parameter.binary ? 1 : 0);
  }
  require_sent(PQsendQueryPrepared(connection_.get(), statement.name,
                                   static_cast<int>(parameters.size()), values.data(),
                                   lengths.data(), formats.data(), 0));
  sent_.push_back({nullptr, std::move(answer)});
}

void Connection::settle() {
  if (!sent_.empty()) collect();
}

// Not prepared: in front of a pooler, another session of the server may answer.
void Connection::begin() { send_plain("BEGIN"); }

void Connection::commit() {
  committing_ = true;
  send_plain("COMMIT");
  const PgResult result = collect();
  committing_ = false;
  // What a transaction answers in which a statement has failed.
  if (std::string_view(PQcmdStatus(const_cast<PGresult*>(result.get()))) != "COMMIT")
    throw PgFailure(PgFailure::Kind::Statement,
                    "ERROR:  the transaction was rolled back, as one of its statements had failed",
                    "25P02");
}

void Connection::roll_back() noexcept {
  committing_ = false;
  try {
    if (is_open()) settle();
  } catch (const std::exception&) {
    // What was sent goes back with the rest.
  }
  try {
    if (!is_open() || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
    send_plain("ROLLBACK");
    collect();
  } catch (const std::exception&) {
    out_of_step_ = true;
  }
}

void Connection::enter_pipeline() {
  if (PQpipelineStatus(connection_.get()) != PQ_PIPELINE_OFF) return;
  require_sent(PQenterPipelineMode(connection_.get()));
}

void Connection::leave_pipeline() {
  if (PQpipelineStatus(connection_.get()) == PQ_PIPELINE_OFF) return;
  settle();
  require_sent(PQexitPipelineMode(connection_.get()));
}

void Connection::send_plain(const char* sql) {
  enter_pipeline();
  require_sent(PQsendQueryParams(connection_.get(), sql, 0, nullptr, nullptr, nullptr, nullptr, 0));
  sent_.push_back({});
}

void Connection::require_sent(int sent) {
  if (sent != 1) throw lost();
}

PgResult Connection::collect() {
  ++waits_;
  require_sent(PQpipelineSync(connection_.get()));
  PgResult last;
  std::optional<PgFailure> failure;
  while (!sent_.empty()) {
    const Sent sent = std::move(sent_.front());
    sent_.pop_front();
    const PgResult result = next_answer();
    const bool well = is_good(result.get());
    if (sent.prepares && !well) prepared_.erase(sent.prepares);
    if (well) last = result;
    if (well && sent.answer) *sent.answer = result;
    if (!well && !failure) failure = refused(*result);
    const bool ended = own(PQgetResult(connection_.get())) == nullptr;
    out_of_step_ = !ended || !is_open();
    if (out_of_step_) break;
  }
  if (!out_of_step_) out_of_step_ = PQresultStatus(next_answer().get()) != PGRES_PIPELINE_SYNC;
  if (out_of_step_ && (committing_ || !failure)) throw lost();
  if (failure) throw *failure;
  return last;
}

PgResult Connection::next_answer() {
  PgResult result = own(PQgetResult(connection_.get()));
  if (!result) throw lost();
  return result;
}

PgFailure Connection::lost() const {
  using Kind = PgFailure::Kind;
  return {committing_ ? Kind::CommitInDoubt : Kind::Connection, PQerrorMessage(connection_.get())};
}

/// A statement that failed, or the connection while it was answered.
PgFailure Connection::refused(const pg_result& result) const {
  const char* state = PQresultErrorField(&result, PG_DIAG_SQLSTATE);
  const std::string message = PQresultErrorMessage(&result);
  if (committing_ && !is_open()) return {PgFailure::Kind::CommitInDoubt, message};
  if (state == nullptr) return {PgFailure::Kind::Connection, message};
  return {PgFailure::Kind::Statement, message, state};
}

}  // namespace ba::storage
