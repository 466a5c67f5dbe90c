// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/pg_error.hpp"

#include <array>
#include "storage/libpq/connect_failure.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/server_needs.hpp"

namespace ba::storage {
namespace {

enum class Repeat { Here, No };
enum class Blame { Data, Other };
enum class Effect { None, Maybe };

struct StateRow {
  std::string_view prefix;  // a class (2) or a whole SQLSTATE (5); the longest match wins
  ErrorCode code;
  Retry retry;
  Repeat repeat = Repeat::No;
  Blame blame = Blame::Other;
  Effect effect = Effect::None;  // of the transaction
};

// PostgreSQL 15 documentation, appendix A.
constexpr std::array kStates{
    StateRow{"08", ErrorCode::Unavailable, Retry::Later, Repeat::Here},
    // Not known whether the transaction was committed.
    StateRow{"08007", ErrorCode::Timeout, Retry::Later, Repeat::Here, Blame::Other, Effect::Maybe},
    StateRow{"40003", ErrorCode::Timeout, Retry::Later, Repeat::Here, Blame::Other, Effect::Maybe},
    StateRow{"08P01", ErrorCode::Protocol, Retry::Never},
    StateRow{"0A", ErrorCode::Internal, Retry::Never},
    StateRow{"21", ErrorCode::InvalidArgument, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"22", ErrorCode::InvalidArgument, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"23", ErrorCode::Conflict, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"25006", ErrorCode::Unavailable, Retry::Later},  // a standby answered
    StateRow{"25P04", ErrorCode::Timeout, Retry::Later},
    StateRow{"25P03", ErrorCode::Timeout, Retry::Later, Repeat::Here},
    StateRow{"26000", ErrorCode::Protocol, Retry::Never},  // a pooler's, see pooling.hpp
    StateRow{"28", ErrorCode::Authentication, Retry::Never},
    StateRow{"3D", ErrorCode::NotFound, Retry::Never},
    StateRow{"3F", ErrorCode::NotFound, Retry::Never},
    StateRow{"40", ErrorCode::Unavailable, Retry::Later, Repeat::Here},
    StateRow{"42", ErrorCode::Internal, Retry::Never},
    StateRow{"42501", ErrorCode::PermissionDenied, Retry::Never},
    StateRow{"42P05", ErrorCode::Protocol, Retry::Never},
    StateRow{"42P01", ErrorCode::NotFound, Retry::Never},
    StateRow{"44", ErrorCode::InvalidArgument, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"53", ErrorCode::Unavailable, Retry::Later},
    StateRow{"53300", ErrorCode::Unavailable, Retry::Later, Repeat::Here},
    StateRow{"54", ErrorCode::LimitExceeded, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"55P03", ErrorCode::Unavailable, Retry::Later, Repeat::Here},
    StateRow{"57014", ErrorCode::Timeout, Retry::Later},
    StateRow{"57P", ErrorCode::Unavailable, Retry::Later, Repeat::Here},
    StateRow{"58", ErrorCode::Unavailable, Retry::Later},
    // A trigger of the database's owner.
    StateRow{"P0001", ErrorCode::InvalidArgument, Retry::Never, Repeat::No, Blame::Data},
    StateRow{"XX", ErrorCode::Internal, Retry::Never},
    StateRow{"XX001", ErrorCode::Corrupt, Retry::Never},
    StateRow{"XX002", ErrorCode::Corrupt, Retry::Never},
};

const StateRow* find_state(std::string_view sqlstate) {
  const StateRow* found = nullptr;
  for (const StateRow& row : kStates)
    if (sqlstate.starts_with(row.prefix) && (!found || row.prefix.size() > found->prefix.size()))
      found = &row;
  return found;
}

struct TextRow {
  std::string_view fragment;
  ErrorCode code;
  std::string_view and_also = "";  ///< "too many connections for role" is no refusal
};

// A refused connection comes without a SQLSTATE; what a retry can't cure is known by its text.
constexpr std::array kRefusals{
    TextRow{"password authentication failed", ErrorCode::Authentication},
    TextRow{"no password supplied", ErrorCode::Authentication},
    TextRow{"no pg_hba.conf entry", ErrorCode::Authentication},
    TextRow{"role \"", ErrorCode::Authentication, "does not exist"},
    TextRow{"role \"", ErrorCode::Authentication, "is not permitted"},
    TextRow{"permission denied for database", ErrorCode::PermissionDenied},
    TextRow{"database \"", ErrorCode::NotFound, "does not exist"},
};

// libpq quotes the text it could not parse, which may hold the password.
constexpr std::array<std::string_view, 5> kUnparsable{"invalid URI", "invalid connection option",
                                                      "missing \"=\"", "invalid port number",
                                                      "invalid integer value"};

constexpr std::string_view kConnection = "connection";  // Error::detail of a lost connection
constexpr std::string_view kInDoubt = "in_doubt";       // … whose COMMIT was not answered

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

Error error_of_sqlstate(std::string_view sqlstate, std::string message) {
  const StateRow* row = find_state(sqlstate);
  Error error;
  error.code = row ? row->code : ErrorCode::Internal;
  error.retry = row ? row->retry : Retry::Never;
  error.message = "PostgreSQL: " + trimmed(message);
  error.detail = sqlstate;
  error.maybe_done = row && row->effect == Effect::Maybe;
  return error;
}

Error error_of_connection(std::string_view text) {
  for (std::string_view fragment : kUnparsable)
    if (text.find(fragment) != std::string_view::npos)
      return invalid_argument(
          "the PostgreSQL URL can't be read; expected "
          "postgresql://user:password@host:port/database");
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  error.message = "PostgreSQL: " + words_of_account(text);
  error.detail = kConnection;
  for (const TextRow& row : kRefusals) {
    if (text.find(row.fragment) == std::string_view::npos ||
        text.find(row.and_also) == std::string_view::npos)
      continue;
    error.code = row.code;
    error.retry = Retry::Never;
    error.detail.clear();
    break;
  }
  return error;
}

Error error_of_failure(const PgFailure& failure) {
  if (failure.kind() == PgFailure::Kind::Statement)
    return error_of_sqlstate(failure.sqlstate(), failure.what());
  Error error = error_of_connection(failure.what());
  if (failure.kind() == PgFailure::Kind::Connection) return error;
  error.code = ErrorCode::Timeout;
  error.detail = kInDoubt;
  error.maybe_done = true;
  return error;
}

Error error_of_exception(const std::exception& exception) {
  if (const auto* unfit = dynamic_cast<const UnfitServer*>(&exception)) return unfit->error();
  if (const auto* failure = dynamic_cast<const PgFailure*>(&exception))
    return error_of_failure(*failure);
  Error error;
  error.message = std::string("PostgreSQL adapter: ") + trimmed(exception.what());
  return error;
}

bool repeatable_here(const Error& error) {
  if (error.detail == kConnection || error.detail == kInDoubt) return true;
  const StateRow* row = find_state(error.detail);
  return row && row->repeat == Repeat::Here;
}

bool refuses_data(const Error& error) {
  if (error.code == ErrorCode::InvalidArgument) return true;
  const StateRow* row = find_state(error.detail);
  return row && row->blame == Blame::Data;
}

bool refuses_record(const Error& error) {
  constexpr std::string_view kForeignKey = "23503";
  return refuses_data(error) && error.detail != kForeignKey;
}

}  // namespace ba::storage
