// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one way into a data source and out of it, for whatever runs statements there; and whether the
// roles that it has for its tenants keep them apart, found out by taking each. Blocks; any thread.
// And what a model is told of what went wrong there: messages name the data source, never its
// address or user.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba::sql {

struct RoleFindings {
  std::vector<SourceHindrance> hindrances;  ///< roles that can't be taken, superusers
  /// Of the login role: "as role acme may write public.sales: REVOKE …". Each with its statement.
  std::vector<std::string> rights;
};

/// Appends a hindrance for each role that can't be taken, and a line for each that has what another
/// tenant's has. `question`, where there is one, is asked as each role: its lines are told of that
/// role, if `found` hasn't them already. The failure is of the connection.
std::optional<SqlFailure> look_at_tenant_roles(PgConnection& connection,
                                               const SourceTenancy& tenancy, const char* question,
                                               const SqlWait& until, RoleFindings& found);

struct SourceLogin {
  const std::string& url;
  const SourceTenancy& tenancy;
  Milliseconds timeout;
};

/// Connects, asks what the session starts with, and refuses superusers, as login or as a tenant's
/// role. After a failure the connection is closed.
std::optional<SqlFailure> log_in(PgConnection& connection, const SourceLogin& login,
                                 const tools::Cancellation& cancellation, SessionFacts& facts);

/// Ends what is left of a transaction, and the connection with it where it isn't `reusable`: a
/// statement that was cut off may be hit late by its cancel request, but not the next one. False:
/// the connection is closed.
bool leave(PgConnection& connection, bool reusable, Milliseconds timeout);

/// Type of a server's error by its SQLSTATE, the longest prefix first; execution_error for what is
/// not in the table. See the table in sql_errors.cpp.
ToolErrorType error_type_of(std::string_view sqlstate);

/// Of what the configuration sets for a tenant and the server refuses: nothing in the statement.
inline constexpr const char* kSourceMisconfigured = "SOURCE_MISCONFIGURED";

/// The code is the SQLSTATE, or kSourceMisconfigured, CONNECTION_FAILED, CONNECTION_LOST,
/// LOGIN_REFUSED, NO_DATABASE, SUPERUSER, TLS_FAILED. Not for Deadline and Cancelled.
ToolError error_of(const SqlFailure& failure, const std::string& source);

}  // namespace ba::sql
