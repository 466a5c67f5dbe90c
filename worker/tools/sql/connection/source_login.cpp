// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/source_login.hpp"

#include "worker/tools/sql/connection/sql_errors.hpp"
#include "worker/tools/sql/connection/tenant_roles.hpp"

namespace ba {

std::optional<SqlFailure> log_in(PgConnection& connection, const SourceLogin& login,
                                 const Cancellation& cancellation, SessionFacts& facts) {
  if (auto failure = connection.connect(login.url, login.timeout, cancellation)) return failure;
  const auto deadline = PgConnection::Clock::now() + login.timeout;
  auto failure = connection.superuser()
                     ? std::optional(superuser_refused())
                     : ask_session_facts(connection, deadline, cancellation, facts);
  if (!failure) failure = refuse_superuser_roles(connection, login.tenancy, deadline, cancellation);
  if (failure) connection.close();
  return failure;
}

}  // namespace ba
