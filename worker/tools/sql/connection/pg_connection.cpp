// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/pg_connection.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "pipeline/text/secret/redaction.hpp"
#include "storage/libpq/certificate_look.hpp"
#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"

namespace ba::sql {
namespace {

struct ResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ResultDeleter>;

constexpr int kCancelTries = 10;
constexpr Milliseconds kCancelWait{200};

SqlFailure failure(SqlFailure::Kind kind) {
  SqlFailure value;
  value.kind = kind;
  return value;
}

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text ? text : "";
}

SqlFailure server_failure(const PGresult* result) {
  SqlFailure value;
  value.sqlstate = field(result, PG_DIAG_SQLSTATE);
  value.message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  value.hint = field(result, PG_DIAG_MESSAGE_HINT);
  value.position = std::atoi(field(result, PG_DIAG_STATEMENT_POSITION).c_str());
  // libpq makes a result without a state of its own when the connection breaks.
  if (value.sqlstate.empty()) value = failure(SqlFailure::Kind::Lost);
  return value;
}

std::vector<RowSink::Column> columns_of(const PGresult* result) {
  std::vector<RowSink::Column> columns;
  for (int i = 0; i < PQnfields(result); ++i)
    columns.push_back({PQfname(result, i), PQftype(result, i)});
  return columns;
}

RowSink::Row row_of(const PGresult* result) {
  RowSink::Row row;
  for (int i = 0; i < PQnfields(result); ++i) {
    if (PQgetisnull(result, 0, i))
      row.emplace_back();
    else
      row.emplace_back(std::string_view(PQgetvalue(result, 0, i),
                                        static_cast<std::size_t>(PQgetlength(result, 0, i))));
  }
  return row;
}

std::vector<const char*> values_of(const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  return values;
}

/// What follows "FATAL: " in libpq's account of a connection that failed, on one line.
std::string words_of_server(std::string_view account) {
  constexpr std::string_view kFatal = "FATAL:";
  const std::size_t begin = account.find(kFatal);
  if (begin == std::string_view::npos) return {};
  std::string words(account.substr(begin + kFatal.size()));
  std::ranges::replace(words, '\n', ' ');
  words.erase(0, words.find_first_not_of(' '));
  words.erase(words.find_last_not_of(' ') + 1);
  return words;
}

/// The server repeats, in quotes, who asked and from where; a login is shown nowhere.
std::string refusal_of(const PGconn* connection) {
  const std::string words = words_of_server(PQerrorMessage(connection));
  std::vector<std::string> login;
  for (const char* part : {PQuser(connection), PQhost(connection), PQhostaddr(connection)})
    login.push_back("\"" + std::string(part ? part : "") + "\"");
  return Redaction::of_words(std::move(login)).without_known(words).value_or(words);
}

bool begins_with_any(std::string_view words, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto each) { return words.starts_with(each); });
}

/// libpq keeps no SQLSTATE of a refused login; it says by a flag that a password was asked.
std::string refused_state(const PGconn* connection, std::string_view words) {
  if (begins_with_any(words, {"sorry, too many clients", "remaining connection slots",
                              "too many connections for"}))
    return "53300";
  if (words.starts_with("the database system is")) return "57P03";
  const bool absent = words.find("does not exist") != words.npos;
  if (absent && words.starts_with("database ")) return "3D000";
  if (PQconnectionNeedsPassword(connection) || PQconnectionUsedPassword(connection)) return "28P01";
  const bool role = absent || words.find("is not permitted") != words.npos;
  if (role && words.starts_with("role ")) return "28000";
  return words.starts_with("no pg_hba.conf entry") ? "28000" : "";
}

SqlFailure connect_failure(const PGconn* connection, const std::string& url, Milliseconds timeout) {
  if (const auto tls = storage::tls_failure(PQerrorMessage(connection), url)) {
    SqlFailure distrusted = failure(SqlFailure::Kind::Tls);
    if (tls->fault == storage::TlsFault::Untrusted)
      distrusted.refusal = storage::certificate_look(PQerrorMessage(connection), url, timeout);
    if (distrusted.refusal.empty()) distrusted.refusal = tls->words;
    return distrusted;
  }
  SqlFailure refused = failure(SqlFailure::Kind::Connect);
  refused.refusal = refusal_of(connection);
  refused.sqlstate = refused_state(connection, refused.refusal);
  return refused;
}

}  // namespace

struct PgConnection::Libpq {
  PGconn* connection = nullptr;
  std::vector<std::string> trees;
  ~Libpq() { PQfinish(connection); }

  /// Of a notice: kept where it is a tree. elog_node_display() of PostgreSQL says so in English.
  static void take(void* self, const PGresult* notice) {
    if (field(notice, PG_DIAG_MESSAGE_PRIMARY) != "rewritten parse tree:") return;
    const char* tree = PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL);
    const bool fits = tree && std::strlen(tree) <= kTreeBytesMax;
    static_cast<Libpq*>(self)->trees.emplace_back(fits ? tree : "");
  }
};

PgConnection::PgConnection() : libpq_(std::make_unique<Libpq>()) {}
PgConnection::~PgConnection() = default;

std::string PgConnection::named_by(const std::string& url) {
  PQconninfoOption* options = PQconninfoParse(url.c_str(), nullptr);
  std::string text;
  for (const PQconninfoOption* option = options; option && option->keyword; ++option) {
    const bool secret = *option->dispchar == '*';  // as libpq marks what is not to be shown
    if (option->val && !secret) text += std::string(option->keyword) + "=" + option->val + "\n";
  }
  PQconninfoFree(options);
  return text;
}

bool PgConnection::open() const {
  return libpq_->connection && PQstatus(libpq_->connection) == CONNECTION_OK;
}

int PgConnection::server_major() const { return PQserverVersion(libpq_->connection) / 10000; }

bool PgConnection::in_transaction() const {
  return open() && PQtransactionStatus(libpq_->connection) != PQTRANS_IDLE;
}

bool PgConnection::superuser() const {
  const char* value = PQparameterStatus(libpq_->connection, "is_superuser");
  return value && std::strcmp(value, "on") == 0;
}

bool PgConnection::encrypted() const { return PQsslInUse(libpq_->connection) == 1; }

void PgConnection::close() {
  PQfinish(libpq_->connection);
  libpq_->connection = nullptr;
  oversize_ = false;
}

bool PgConnection::running() const {
  return open() && PQtransactionStatus(libpq_->connection) == PQTRANS_ACTIVE;
}

/// Reads and drops what still comes; true when all statements have ended.
bool PgConnection::ended_within(Milliseconds time) {
  const tools::Cancellation never;
  const SqlWait until{Clock::now() + time, never};
  while (running()) {
    while (PQisBusy(libpq_->connection)) {
      if (wait(false, until) != Wait::Ready) return false;
      if (!PQconsumeInput(libpq_->connection)) return true;
    }
    if (Clock::now() >= until.deadline) return false;
    const ResultPtr dropped(PQgetResult(libpq_->connection));
  }
  return true;
}

void PgConnection::abandon() {
  // PostgreSQL drops a cancel request that comes between two messages of the extended protocol, or
  // (seen with 15) while LLVM compiles the statement: it is sent until the statement has ended.
  for (int tries = 0; running() && tries < kCancelTries; ++tries) {
    PGcancel* cancel = PQgetCancel(libpq_->connection);
    char error[256];
    const bool sent = cancel && PQcancel(cancel, error, sizeof(error));
    PQfreeCancel(cancel);
    // libpq would gather the whole row; a server that can't send it ends by itself.
    if (!sent || oversize_ || ended_within(kCancelWait)) break;
  }
  close();
}

PgConnection::Wait PgConnection::wait(bool for_writing, const SqlWait& until) const {
  pollfd watched[2] = {{PQsocket(libpq_->connection),
                        static_cast<short>(for_writing ? POLLOUT | POLLIN : POLLIN), 0},
                       {until.cancellation.descriptor(), POLLIN, 0}};
  while (true) {
    const auto left = std::chrono::ceil<Milliseconds>(until.deadline - Clock::now()).count();
    if (until.cancellation.cancelled()) return Wait::Cancelled;
    if (left <= 0) return Wait::Deadline;
    const int ready = poll(watched, 2, static_cast<int>(std::min<std::int64_t>(left, 60000)));
    if (ready > 0 && watched[1].revents != 0) return Wait::Cancelled;
    if (ready > 0 || (ready < 0 && errno != EINTR)) return Wait::Ready;
  }
}

PgConnection::Failure PgConnection::failure_of(Wait outcome) const {
  if (outcome == Wait::Ready) return std::nullopt;
  return failure(outcome == Wait::Deadline ? SqlFailure::Kind::Deadline
                                           : SqlFailure::Kind::Cancelled);
}

PgConnection::Failure PgConnection::connect(const std::string& url, Milliseconds timeout,
                                            const tools::Cancellation& cancellation) {
  close();
  // Of another libpq would name parts, and connect to one of them.
  if (storage::conninfo_problem(url)) return failure(SqlFailure::Kind::Connect);
  // A connection that isn't used for long may be gone at its other end. The URL may say otherwise:
  // what stands behind it wins over it, what stands before it doesn't.
  const char* const keys[] = {"keepalives_idle",
                              "keepalives_interval",
                              "keepalives_count",
                              "dbname",
                              "client_encoding",
                              "fallback_application_name",
                              nullptr};
  const char* const values[] = {"60", "10", "3", url.c_str(), "UTF8", "ba-agent", nullptr};
  libpq_->connection = PQconnectStartParams(keys, values, 1);
  if (!libpq_->connection) return failure(SqlFailure::Kind::Connect);
  if (PQstatus(libpq_->connection) == CONNECTION_BAD)
    return connect_failure(libpq_->connection, url, timeout);
  const SqlWait until{Clock::now() + timeout, cancellation};
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    const Wait outcome = wait(status == PGRES_POLLING_WRITING, until);
    if (outcome == Wait::Cancelled) return failure_of(outcome);
    if (outcome == Wait::Deadline) return failure(SqlFailure::Kind::Connect);
    status = PQconnectPoll(libpq_->connection);
    if (status == PGRES_POLLING_FAILED) return connect_failure(libpq_->connection, url, timeout);
  }
  libpq_->trees.clear();
  PQsetNoticeReceiver(libpq_->connection, &Libpq::take, libpq_.get());
  PQsetnonblocking(libpq_->connection, 1);
  return std::nullopt;
}

PgConnection::Failure PgConnection::flush(const SqlWait& until) {
  while (true) {
    const int unsent = PQflush(libpq_->connection);
    if (unsent == 0) return std::nullopt;
    if (unsent < 0) return failure(SqlFailure::Kind::Lost);
    if (Failure stopped = failure_of(wait(true, until))) return stopped;
    if (!PQconsumeInput(libpq_->connection)) return failure(SqlFailure::Kind::Lost);
  }
}

/// Waits until the next result is complete, or a row turns out to be too large.
PgConnection::Failure PgConnection::arrive(const SqlWait& until, RowSink* sink) {
  while (PQisBusy(libpq_->connection)) {
    if (Failure ended = failure_of(wait(false, until))) return ended;
    const bool limited = sink && unread_bytes_max_ > 0;
    int pending = 0;
    if (limited) ioctl(PQsocket(libpq_->connection), FIONREAD, &pending);
    unread_bytes_ += pending;
    if (!PQconsumeInput(libpq_->connection)) return failure(SqlFailure::Kind::Lost);
    if (limited && unread_bytes_ > unread_bytes_max_ && PQisBusy(libpq_->connection)) {
      sink->oversize();
      stopped_ = oversize_ = true;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

PgConnection::Failure PgConnection::receive(const SqlWait& until, RowSink* sink) {
  Failure failed;
  bool described = false;
  stopped_ = false;
  unread_bytes_ = 0;
  while (true) {
    if (Failure ended = arrive(until, sink)) return ended;
    if (stopped_) return std::nullopt;
    if (until.cancellation.cancelled()) return failure(SqlFailure::Kind::Cancelled);
    const ResultPtr result(PQgetResult(libpq_->connection));
    if (!result) return failed;
    unread_bytes_ = 0;
    const ExecStatusType status = PQresultStatus(result.get());
    const bool has_columns = status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK;
    if (sink && has_columns && !std::exchange(described, true))
      sink->columns(columns_of(result.get()));
    if (sink && status == PGRES_SINGLE_TUPLE && !sink->row(row_of(result.get()))) {
      stopped_ = true;
      return std::nullopt;
    }
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      affected_ = std::atoll(PQcmdTuples(result.get()));
    if (status == PGRES_FATAL_ERROR && !failed) failed = server_failure(result.get());
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH)
      return failure(SqlFailure::Kind::Lost);  // never asked for: the connection is of no use now
  }
}

PgConnection::Failure PgConnection::script(const std::string& sql, const SqlWait& until) {
  if (!PQsendQuery(libpq_->connection, sql.c_str())) return failure(SqlFailure::Kind::Lost);
  if (Failure stopped = flush(until)) return stopped;
  return receive(until, nullptr);
}

bool PgConnection::send(const std::string& sql, const std::vector<std::string>& parameters) {
  const std::vector<const char*> values = values_of(parameters);
  return PQsendQueryParams(libpq_->connection, sql.c_str(), static_cast<int>(values.size()),
                           nullptr, values.data(), nullptr, nullptr, 0) == 1;
}

PgConnection::Failure PgConnection::statement(const std::string& sql,
                                              const std::vector<std::string>& parameters,
                                              const SqlWait& until, RowSink& sink) {
  affected_ = 0;
  if (!send(sql, parameters)) return failure(SqlFailure::Kind::Lost);
  PQsetSingleRowMode(libpq_->connection);
  if (Failure stopped = flush(until)) return stopped;
  return receive(until, &sink);
}

bool PgConnection::send(const Message& message) {
  PGconn* const connection = libpq_->connection;
  const char* const name = message.name.c_str();
  switch (message.kind) {
    case Message::Kind::Query:
      return send(message.text, message.parameters);
    case Message::Kind::Prepare:
      return PQsendPrepare(connection, name, message.text.c_str(),
                           static_cast<int>(message.types.size()), message.types.data()) == 1;
    case Message::Kind::Describe:
      return PQsendDescribePrepared(connection, name) == 1;
    case Message::Kind::Execute: {
      const std::vector<const char*> values = values_of(message.parameters);
      return PQsendQueryPrepared(connection, name, static_cast<int>(values.size()), values.data(),
                                 nullptr, nullptr, 0) == 1;
    }
  }
  return false;
}

PgConnection::Failure PgConnection::query(const std::vector<std::string>& begin,
                                          const std::string& sql,
                                          const std::vector<std::string>& parameters,
                                          const SqlWait& until, RowSink& sink) {
  std::vector<Message> messages;
  for (const std::string& statement : begin) messages.push_back(query_message(statement));
  messages.push_back(query_message(sql, parameters));
  messages.back().rows = true;
  messages.push_back(query_message("ROLLBACK"));
  return batch(messages, until, &sink);
}

PgConnection::Failure PgConnection::batch(const std::vector<Message>& messages,
                                          const SqlWait& until, RowSink* sink) {
  bool sent = PQenterPipelineMode(libpq_->connection) == 1;
  for (const Message& message : messages) sent = sent && send(message);
  if (!sent || !PQpipelineSync(libpq_->connection)) return failure(SqlFailure::Kind::Lost);
  if (Failure stopped = flush(until)) return stopped;
  return receive_all(messages, until, sink);
}

/// The answers to the messages of batch(), in order: each ends where receive() does.
PgConnection::Failure PgConnection::receive_all(const std::vector<Message>& messages,
                                                const SqlWait& until, RowSink* sink) {
  Failure failed;
  stopped_ = false;
  for (const Message& message : messages) {
    if (message.rows) PQsetSingleRowMode(libpq_->connection);
    Failure next = receive(until, message.rows ? sink : nullptr);
    if (next && !failed) {
      failed = std::move(next);
      failed->setting = message.setting;
      failed->role = message.role;
    }
    if (stopped_ || (failed && failed->kind != SqlFailure::Kind::Server)) return failed;
  }
  if (Failure ended = arrive(until, nullptr)) return ended;
  const ResultPtr end(PQgetResult(libpq_->connection));
  const bool in_step = PQresultStatus(end.get()) == PGRES_PIPELINE_SYNC;
  if (in_step && PQexitPipelineMode(libpq_->connection)) return failed;
  return failed ? failed : failure(SqlFailure::Kind::Lost);
}

std::vector<std::string> PgConnection::take_trees() { return std::exchange(libpq_->trees, {}); }

bool PgConnection::pooled(int pid) const { return PQbackendPID(libpq_->connection) != pid; }

PgConnection::Message query_message(std::string text, std::vector<std::string> parameters) {
  return {
      PgConnection::Message::Kind::Query, {}, std::move(text), std::move(parameters), {}, false};
}

PgConnection::Message prepare_message(std::string name, std::string text) {
  return {PgConnection::Message::Kind::Prepare, std::move(name), std::move(text), {}, {}, false};
}

PgConnection::Message execute_message(std::string name) {
  return {PgConnection::Message::Kind::Execute, std::move(name), {}, {}, {}, false};
}

}  // namespace ba::sql
