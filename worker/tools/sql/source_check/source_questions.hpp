// SPDX-License-Identifier: Apache-2.0
#pragma once
// The questions that are put to a data source before a job uses it: what tables a model is told of,
// what a writer lacks, what a reader may do that it need not, and whether what is set for tenants
// can be set, and changes anything. What has a connection blocks, the others are pure; any thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba::sql {

/// In SQL, without parameters: a line for each table that the role which asks may read,
/// "airlines(carrier text, name text) -- comment".
extern const char* const kTablesQuestion;

/// These lines as one text, cut at a limit, with a last line that says so.
std::string listing_of(const std::vector<std::string>& tables);

/// What is missing for a writer of tables: in SQL, a line in each row; $1: tables_parameter(), $2:
/// that the login role writes itself, not a tenant's.
extern const char* const kLacksQuestion;

/// ["public.\"orders\""] with each part quoted for PostgreSQL.
std::string tables_parameter(const std::vector<std::string>& tables);

/// What a role may do that a reader need not, each with the statements that end it: they name who
/// was granted the right (a role, or PUBLIC), or who owns the thing. In SQL, without parameters, of
/// the role that asks; search_path is pg_catalog. One column, a line in each row: "may write
/// public.sales and 1 more: REVOKE …".
const std::string& excess_rights_question();

/// Appends a hindrance for each setting of a tenant that the server refuses, and to `idle` a line
/// for each that no policy or view asks for which the tenants' role may read. A role that can't be
/// taken is passed over. The failure is of the connection.
std::optional<SqlFailure> look_at_tenant_settings(PgConnection& connection,
                                                  const SourceTenancy& tenancy,
                                                  const SqlWait& until,
                                                  std::vector<SourceHindrance>& hindrances,
                                                  std::vector<std::string>& idle);

}  // namespace ba::sql
