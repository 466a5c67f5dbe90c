// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/session.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "storage/libpq/certificate_look.hpp"
#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"
#include "storage/postgres/server_needs.hpp"

namespace ba::storage {
namespace {

std::string connection_string(const PgAccess& access) {
  const auto seconds = std::max<std::int64_t>(2, access.connect_timeout.count() / 1000);
  return conninfo_with(access.url,
                       {{"connect_timeout", std::to_string(seconds)},
                        {"tcp_user_timeout", std::to_string(access.statement_timeout.count())}});
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

// What is relied on, whatever the role, the database or the URL sets. What can only be stricter or
// slower for it (time limits, read-only, places, plans) stays as they have it.
constexpr const char* kReliedOn =
    "SET client_min_messages = error; SET client_encoding = 'UTF8'; SET bytea_output = 'hex';"
    "SET standard_conforming_strings = on; SET array_nulls = on; SET transform_null_equals = off;"
    "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres';"
    "SET extra_float_digits = 1; SET lc_numeric = 'C'; SET lc_monetary = 'C'; SET lc_time = 'C';"
    "SET default_transaction_isolation = 'read committed';"
    "SET default_transaction_deferrable = off; SET row_security = on;"
    "SET check_function_bodies = on; SET quote_all_identifiers = off; SET jit = off;";

/// Lowers a time limit to ours; 0 is none, of either side.
std::string limit_setting(const std::string& name, Milliseconds ours) {
  const std::string value = std::to_string(ours.count());
  return "pg_catalog.set_config('" + name + "', (SELECT CASE WHEN " + value +
         " = 0 OR setting::bigint BETWEEN 1 AND " + value + " THEN setting ELSE '" + value +
         "' END FROM pg_catalog.pg_settings WHERE name = '" + name + "'), false)";
}

/// Why connecting can't succeed as things are: the setting, or its TLS.
std::optional<Error> hopeless(const PgAccess& access, const std::exception& exception) {
  if (const auto problem = conninfo_problem(access.url))
    return invalid_argument("postgres.url can't be used: " + *problem);
  const auto failure = tls_failure(exception.what(), access.url);
  if (!failure) return std::nullopt;
  std::string words;
  if (failure->fault == TlsFault::Untrusted)
    words = certificate_look(exception.what(), access.url, access.connect_timeout);
  Error error;
  error.code = ErrorCode::Authentication;
  error.retry = Retry::Never;
  error.detail = kTlsDetail;
  error.message = "PostgreSQL " + conninfo_target(access.url) +
                  ": TLS: " + (words.empty() ? failure->words : words);
  return error;
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
  return make_error(ErrorCode::Cancelled, "the storage is being closed");
}

Connection& Session::connection() {
  if (connection_) return *connection_;
  // Of a text that isn't clean libpq would name the parts that it takes for a host or a database.
  if (conninfo_problem(options_.access.url)) throw std::invalid_argument("");
  auto fresh = std::make_unique<Connection>(connection_string(options_.access));
  if (auto unfit = unfit_version(fresh->server_version())) throw UnfitServer(std::move(*unfit));
  apply_settings(*fresh);
  connection_ = std::move(fresh);
  return *connection_;
}

void Session::apply_settings(Connection& plain) const {
  const PgAccess& access = options_.access;
  plain.execute(kReliedOn + ("SET search_path = " + plain.quote_name(access.schema)) +
                "; SET application_name = " + plain.quote_text(access.application_name));
  const Rows facts(
      "settings",
      plain.execute(
          "SELECT pg_catalog.current_setting('server_encoding') AS encoding, " +
          limit_setting("statement_timeout", access.statement_timeout) + ", " +
          limit_setting("idle_in_transaction_session_timeout", access.idle_transaction_timeout)));
  if (auto unfit = unfit_encoding(facts.first().view("encoding")))
    throw UnfitServer(std::move(*unfit));
  plain.execute(options_.may_lose_commits ? "SET synchronous_commit = off" : kDurable);
  if (options_.hot_path) plain.execute(kHotPathSettings);
  if (options_.read_only) plain.execute("SET default_transaction_read_only = on");
}

Error Session::failed(const std::exception& exception) {
  if (!connection_)
    if (auto error = hopeless(options_.access, exception)) return *std::move(error);
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

}  // namespace ba::storage
