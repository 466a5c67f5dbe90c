#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the roles that a data source has for its tenants keep them apart, found out by taking
// each. Blocks; any thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/pg_connection.hpp"
#include "worker/tools/source_tenancy.hpp"

namespace ba {

/// Appends a line for each role that can't be taken, or that has what another tenant's has, with
/// the statement that ends it. `question`, where there is one, is asked as each role: its lines are
/// told of that role. The failure is of the connection.
std::optional<SqlFailure> look_at_tenant_roles(PgConnection& connection,
                                               const SourceTenancy& tenancy, const char* question,
                                               PgConnection::Clock::time_point deadline,
                                               std::vector<std::string>& lines);

/// Asked with each new connection: a tenant's role that is a superuser is refused as a login is.
std::optional<SqlFailure> refuse_superuser_roles(PgConnection& connection,
                                                 const SourceTenancy& tenancy,
                                                 PgConnection::Clock::time_point deadline,
                                                 const Cancellation& cancellation);

}  // namespace ba
