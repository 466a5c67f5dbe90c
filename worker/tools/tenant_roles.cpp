// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/tenant_roles.hpp"

#include <set>

#include "worker/tools/pg_value.hpp"
#include "worker/tools/row_lines.hpp"
#include "worker/tools/session_settings.hpp"

namespace ba {
namespace {

using Failure = std::optional<SqlFailure>;

constexpr const char* kOwnPath = "SET LOCAL search_path = pg_catalog, pg_temp";
constexpr std::size_t kRolesMax = 50;  ///< taken one by one

/// $1: the roles of tenants, as JSON; $2: whether a tenant uses the login role itself.
constexpr const char* kShared = R"sql(
WITH roles AS (SELECT r.oid, r.rolname FROM pg_roles r
                 JOIN json_array_elements_text($1::json) AS t(name) ON t.name = r.rolname)
SELECT 'has, as role ' || quote_ident(a.rolname) || ' of a tenant, also what role '
       || quote_ident(b.rolname) || ' of another may: REVOKE ' || quote_ident(b.rolname) || ' FROM '
       || quote_ident(a.rolname)
  FROM roles a JOIN roles b ON a.oid <> b.oid AND pg_has_role(a.oid, b.oid, 'USAGE')
UNION ALL
SELECT 'has of itself what role ' || quote_ident(b.rolname) || ' of a tenant may, and other tenants '
       || 'use it: ' || CASE WHEN current_setting('server_version_num')::int >= 160000
         THEN 'GRANT ' || quote_ident(b.rolname) || ' TO ' || quote_ident(current_user)
              || ' WITH INHERIT FALSE'
         ELSE 'ALTER ROLE ' || quote_ident(current_user) || ' NOINHERIT' END
  FROM roles b WHERE $2::boolean AND pg_has_role(b.oid, 'USAGE'))sql";

struct TenantRoles {
  std::set<std::string> names;
  bool login_too = false;  ///< a tenant without a role of its own
};

TenantRoles roles_of(const SourceTenancy& tenancy) {
  TenantRoles roles;
  for (const auto& [tenant, own] : tenancy.tenants)
    own.role.empty() ? static_cast<void>(roles.login_too = true)
                     : static_cast<void>(roles.names.insert(own.role));
  return roles;
}

std::string as_json(const std::set<std::string>& names) {
  std::string json = "[";
  for (const std::string& name : names) json += (json.size() > 1 ? "," : "") + json_quoted(name);
  return json + "]";
}

/// What the question says of a role, where it was not said before; else why it can't be taken.
Failure look_at(PgConnection& connection, const std::string& role, const char* question,
                PgConnection::Clock::time_point deadline, std::set<std::string>& said,
                std::vector<std::string>& lines) {
  const Cancellation never;
  std::vector<std::string> told;
  RowLines sink(told);
  Failure failure =
      connection.query({"BEGIN READ ONLY", kOwnPath, "SET LOCAL ROLE " + sql_identifier(role)},
                       question ? question : "SELECT WHERE false", {}, deadline, never, sink);
  if (failure && failure->kind == SqlFailure::Kind::Server) {
    lines.push_back("can't become role " + role + " of a tenant (" + failure->message +
                    "): GRANT " + sql_identifier(role) + " TO the login role");
    return connection.in_transaction() ? connection.script("ROLLBACK", deadline, never)
                                       : std::nullopt;
  }
  for (const std::string& line : told)
    if (said.insert(line).second) lines.push_back("as role " + role + " " + line);
  return failure;
}

}  // namespace

std::optional<SqlFailure> look_at_tenant_roles(PgConnection& connection,
                                               const SourceTenancy& tenancy, const char* question,
                                               PgConnection::Clock::time_point deadline,
                                               std::vector<std::string>& lines) {
  const TenantRoles roles = roles_of(tenancy);
  if (roles.names.empty()) return std::nullopt;
  const Cancellation never;
  std::set<std::string> said(lines.begin(), lines.end());  // what PUBLIC has, the login role has
  RowLines sink(lines);
  if (Failure failure = connection.query({"BEGIN READ ONLY", kOwnPath}, kShared,
                                         {as_json(roles.names), roles.login_too ? "true" : "false"},
                                         deadline, never, sink))
    return failure;
  std::size_t taken = 0;
  for (const std::string& role : roles.names) {
    if (++taken > kRolesMax) break;
    if (Failure failure = look_at(connection, role, question, deadline, said, lines))
      return failure;
  }
  return std::nullopt;
}

}  // namespace ba
