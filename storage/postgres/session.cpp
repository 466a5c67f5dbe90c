// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/session.hpp"

#include <algorithm>

#include "storage/conninfo.hpp"

namespace ba {
namespace {

bool is_uri(const std::string& url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

/// Adds a setting unless the user gave it.
std::string with_setting(std::string url, const std::string& name, const std::string& value) {
  if (url.find(name + "=") != std::string::npos) return url;
  if (!is_uri(url)) return url + " " + name + "=" + value;
  const char separator = url.find('?') == std::string::npos ? '?' : '&';
  return url + separator + name + "=" + value;
}

std::string connection_string(const PgAccess& access) {
  const auto seconds = std::max<std::int64_t>(2, access.connect_timeout.count() / 1000);
  std::string url = with_setting(access.url, "connect_timeout", std::to_string(seconds));
  return with_setting(std::move(url), "tcp_user_timeout",
                      std::to_string(access.statement_timeout.count()));
}

/// libpq's text on one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool blank = letter == '\n' || letter == '\t' || letter == ' ';
    if (!blank) line += letter;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::string_view remedy_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Unavailable:
      return ": start the server, or correct postgres.url";
    case ErrorCode::Authentication:
      return ": correct the role or its password in postgres.url";
    case ErrorCode::PermissionDenied:
      return ": grant the role of postgres.url what is denied, or give another role";
    case ErrorCode::NotFound:
      return ": create the database, or correct postgres.url";
    default:
      return "";
  }
}

/// An error of connecting says to what, and what to do.
void name_target(Error& error, const PgAccess& access) {
  constexpr std::string_view kPrefix = "PostgreSQL: ";
  const std::string target = conninfo_target(access.url);
  if (target.empty() || !error.message.starts_with(kPrefix)) return;
  error.message = "PostgreSQL " + target + ": " + one_line(error.message.substr(kPrefix.size()));
  error.message += remedy_of(error.code);
}

// Generic plans by index: the statements of the hot path never gain from another plan, and
// planning them with arrays of hundreds of rows costs more than running them.
constexpr const char* kHotPathSettings =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
    "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;";

// A server that commits in memory only would break every promise; stronger settings stay.
constexpr const char* kDurable =
    "SELECT set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') "
    "IN ('on', 'remote_apply') THEN current_setting('synchronous_commit') ELSE 'on' END, false)";

}  // namespace

Error Session::cancelled() {
  Error error;
  error.code = ErrorCode::Cancelled;
  error.message = "the storage is being closed";
  return error;
}

pqxx::connection& Session::connection() {
  if (connection_) return *connection_;
  prepared_.clear();
  auto fresh = std::make_unique<pqxx::connection>(connection_string(options_.access));
  apply_settings(*fresh);
  connection_ = std::move(fresh);
  return *connection_;
}

void Session::apply_settings(pqxx::connection& connection) const {
  pqxx::nontransaction plain(connection);
  const std::string timeout = std::to_string(options_.access.statement_timeout.count());
  plain.exec(
      "SET client_min_messages = error; SET client_encoding = 'UTF8';"
      "SET bytea_output = 'hex'; SET timezone = 'UTC'; SET jit = off;"
      "SET search_path = " +
      plain.quote_name(options_.access.schema) +
      "; SET application_name = " + plain.quote(options_.access.application_name) +
      "; SET statement_timeout = " + timeout + "; SET idle_in_transaction_session_timeout = " +
      std::to_string(options_.access.idle_transaction_timeout.count()));
  plain.exec(options_.may_lose_commits ? "SET synchronous_commit = off" : kDurable);
  if (options_.hot_path) plain.exec(kHotPathSettings);
  if (options_.read_only) plain.exec("SET default_transaction_read_only = on");
}

void Session::prepare_once(const Statement& statement) {
  if (prepared_.contains(statement.name)) return;
  connection_->prepare(statement.name, statement.sql);
  prepared_.insert(statement.name);
}

Error Session::failed(const std::exception& exception) {
  Error error = error_of_exception(exception);
  if (!connection_) name_target(error, options_.access);
  const bool broken = !connection_ || !connection_->is_open();
  if (broken || error.code == ErrorCode::Internal || repeatable_here(error)) connection_.reset();
  return error;
}

bool Session::pause_before_retry(const Error& error, SteadyTime started, int tries) {
  if (!repeatable_here(error) || stop_.requested()) return false;
  const auto elapsed = std::chrono::steady_clock::now() - started;
  if (elapsed >= options_.retry_window) return false;
  if (options_.retries) ++*options_.retries;
  const int doublings = std::min(tries - 1, 6);
  return stop_.pause(Milliseconds(5L << doublings));
}

}  // namespace ba
