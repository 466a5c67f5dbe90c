#pragma once
// SPDX-License-Identifier: Apache-2.0
// From what went wrong at a data source to what a model is told: one table of SQLSTATEs. Messages
// name the data source, never its address or user. Pure; any thread.

#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba {

/// Of a connection whose login role is a superuser.
SqlFailure superuser_refused();

/// Type of a server's error by its SQLSTATE, the longest prefix first; execution_error for what is
/// not in the table. See the table in sql_errors.cpp.
ToolErrorType error_type_of(std::string_view sqlstate);

/// Of what the configuration sets for a tenant and the server refuses: nothing in the statement.
inline constexpr const char* kSourceMisconfigured = "SOURCE_MISCONFIGURED";

/// The code is the SQLSTATE, or kSourceMisconfigured, CONNECTION_FAILED, CONNECTION_LOST,
/// LOGIN_REFUSED, NO_DATABASE, SUPERUSER, TLS_FAILED. Not for Deadline and Cancelled.
ToolError error_of(const SqlFailure& failure, const std::string& source);

}  // namespace ba
