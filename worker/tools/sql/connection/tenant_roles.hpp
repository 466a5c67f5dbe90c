#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the roles that a data source has for its tenants keep them apart, found out by taking
// each. Blocks; any thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/source_hindrance.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba {

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
                                               PgConnection::Clock::time_point deadline,
                                               RoleFindings& found);

/// Asked with each new connection: a tenant's role that is a superuser is refused as a login is.
std::optional<SqlFailure> refuse_superuser_roles(PgConnection& connection,
                                                 const SourceTenancy& tenancy,
                                                 PgConnection::Clock::time_point deadline,
                                                 const Cancellation& cancellation);

}  // namespace ba
