// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ba::hunt {

bool Answer::tells(const std::string& text) const {
  const auto has = [&](const std::string& value) { return value.find(text) != std::string::npos; };
  return has(error) ||
         std::ranges::any_of(rows, [&](const auto& row) { return std::ranges::any_of(row, has); });
}

Session::Session(std::string url) : url_(std::move(url)), connection_(nullptr, PQfinish) {
  reconnect();
}

void Session::reconnect() {
  connection_.reset();
  connection_.reset(PQconnectdb(url_.c_str()));
  if (!alive()) throw std::runtime_error(PQerrorMessage(connection_.get()));
  PQsetNoticeProcessor(connection_.get(), notice, this);
}

void Session::reset() { connection_.reset(); }

bool Session::alive() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
int Session::backend() const { return PQbackendPID(connection_.get()); }

void Session::notice(void* self, const char* message) {
  static_cast<Session*>(self)->notices_ += message;
}

Answer Session::taken(PGresult* result) {
  Answer answer;
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
    answer.error = "a COPY began";
    PQclear(result);
    reconnect();
    return answer;
  }
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
    answer.error = PQresultErrorMessage(result);
    if (answer.error.empty()) answer.error = "connection lost";
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    answer.sqlstate = state ? state : "";
  }
  for (int row = 0; row < PQntuples(result); ++row) {
    answer.rows.emplace_back();
    for (int column = 0; column < PQnfields(result); ++column)
      answer.rows.back().push_back(
          PQgetisnull(result, row, column) ? "∅" : PQgetvalue(result, row, column));
  }
  PQclear(result);
  if (!notices_.empty()) answer.rows.push_back({std::exchange(notices_, {})});
  return answer;
}

Answer Session::script(const std::string& sql) {
  return taken(PQexec(connection_.get(), sql.c_str()));
}

Answer Session::statement(const std::string& sql) {
  return taken(
      PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
}

Answer Session::prepare(const std::string& sql) {
  return taken(PQprepare(connection_.get(), "", sql.c_str(), 0, nullptr));
}

Answer Session::need(const std::string& sql) {
  Answer answer = script(sql);
  if (!answer.ok()) throw std::runtime_error(sql.substr(0, 300) + ": " + answer.error);
  return answer;
}

}  // namespace ba::hunt
