// SPDX-License-Identifier: Apache-2.0
// error_of() and error_type_of() of source_login.hpp.

#include <utility>

#include "pipeline/text/message/utf8.hpp"
#include "worker/tools/sql/connection/source_login.hpp"

namespace ba::sql {
namespace {

using Type = ToolErrorType;

constexpr std::size_t kMessageBytesMax = 2000;  ///< of the server's own words

/// PostgreSQL 15, appendix A. Prefixes of a class come after its members.
constexpr std::pair<std::string_view, ToolErrorType> kTypes[]{
    {"08", Type::TransientError},       // connection exceptions
    {"0A", Type::InvalidParameters},    // feature not supported
    {"22", Type::InvalidParameters},    // data exceptions: division by zero, bad literals
    {"21", Type::InvalidParameters},    // cardinality violation: a subquery with many rows
    {"23", Type::InvalidParameters},    // a constraint is violated
    {"25006", Type::PermissionDenied},  // read-only transaction
    {"25P03", Type::TransientError},    // idle in transaction timeout
    {"28", Type::DependencyError},      // login refused
    {"2F", Type::InvalidParameters},    // SQL routine exceptions
    {"3D", Type::DependencyError},      // no such database
    {"3F", Type::InvalidParameters},    // no such schema
    {"40", Type::TransientError},       // deadlock, serialization failure
    {"42501", Type::PermissionDenied},
    {"42", Type::InvalidParameters},  // syntax, unknown tables and columns, types
    {"44", Type::InvalidParameters},
    {"53300", Type::TransientError},  // too many connections
    {"53", Type::ResourceError},      // memory, disk
    {"54", Type::InvalidParameters},  // statement too complex
    {"55P03", Type::TransientError},  // lock not available
    {"57014", Type::Timeout},         // query cancelled
    {"57P0", Type::TransientError},   // server is shutting down or starting
    {"58", Type::ResourceError}};     // I/O error

/// Of the classes whose words a model doesn't get this one is told: a statement can ask for less.
constexpr std::string_view kTempFileLimit = "53400";

/// None: it is the statement's, or the server is in trouble.
std::optional<ToolError> misconfigured(const SqlFailure& failure, const std::string& source) {
  const bool ours = !failure.role.empty() || !failure.setting.empty();
  if (!ours || failure.kind != SqlFailure::Kind::Server ||
      retryable(error_type_of(failure.sqlstate)))
    return std::nullopt;
  const std::string what =
      failure.role.empty()
          ? "The setting '" + failure.setting + "' of the data source '" + source + "' can't be set"
          : "The role '" + failure.role + "' of the data source '" + source + "' can't be taken";
  return ToolError{Type::DependencyError, kSourceMisconfigured,
                   what +
                       " for this job's tenant. That is the configuration, which no other "
                       "statement mends: ask an operator"};
}

}  // namespace

ToolErrorType error_type_of(std::string_view sqlstate) {
  for (const auto& [prefix, type] : kTypes)
    if (sqlstate.starts_with(prefix)) return type;
  return Type::ExecutionError;
}

ToolError error_of(const SqlFailure& failure, const std::string& source) {
  if (failure.kind == SqlFailure::Kind::Connect && failure.sqlstate.starts_with("28"))
    return {Type::DependencyError, "LOGIN_REFUSED",
            "The data source '" + source + "' refuses the configured login"};
  if (failure.kind == SqlFailure::Kind::Connect && failure.sqlstate.starts_with("3D"))
    return {Type::DependencyError, "NO_DATABASE",
            "The database that the data source '" + source + "' names isn't there"};
  if (failure.kind == SqlFailure::Kind::Tls)
    return {Type::DependencyError, "TLS_FAILED",
            "No trusted connection to the data source '" + source +
                "' can be made; an operator must mend its TLS"};
  if (failure.kind == SqlFailure::Kind::Connect)
    return {Type::TransientError, "CONNECTION_FAILED",
            "The data source '" + source + "' can't be reached at the moment"};
  if (failure.kind == SqlFailure::Kind::Superuser)
    return {Type::DependencyError, "SUPERUSER",
            "The data source '" + source + "' is configured with a superuser, which is refused"};
  if (failure.kind != SqlFailure::Kind::Server)
    return {Type::TransientError, "CONNECTION_LOST",
            "The connection to the data source '" + source + "' was lost"};
  if (auto error = misconfigured(failure, source)) return *std::move(error);
  // The server's own words name its files.
  for (const std::string_view prefix : {"53", "58", "XX"})
    if (failure.sqlstate.starts_with(prefix) && failure.sqlstate != kTempFileLimit)
      return {error_type_of(failure.sqlstate), failure.sqlstate,
              "The server of the data source '" + source + "' " +
                  (prefix == "53" ? "is out of memory, disk or connections"
                                  : "failed in itself: that is not for the statement to mend")};
  std::string message(utf8_prefix(failure.message, kMessageBytesMax));
  if (message.size() < failure.message.size()) message += "…";  // it repeats what was given
  if (failure.position > 0) message += " (character " + std::to_string(failure.position) + ")";
  if (!failure.hint.empty())
    message += ". Hint: " + std::string(utf8_prefix(failure.hint, kMessageBytesMax));
  return {error_type_of(failure.sqlstate), failure.sqlstate, std::move(message)};
}

}  // namespace ba::sql
