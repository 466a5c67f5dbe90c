#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether what a data source sets for its tenants can be set, and changes anything. Blocks; any
// thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/source_hindrance.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba {

/// Appends a hindrance for each setting of a tenant that the server refuses, and to `idle` a line
/// for each that no policy or view asks for which the tenants' role may read. A role that can't be
/// taken is passed over. The failure is of the connection.
std::optional<SqlFailure> look_at_tenant_settings(PgConnection& connection,
                                                  const SourceTenancy& tenancy,
                                                  PgConnection::Clock::time_point deadline,
                                                  std::vector<SourceHindrance>& hindrances,
                                                  std::vector<std::string>& idle);

}  // namespace ba
