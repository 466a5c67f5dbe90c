// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/tenant_roles.hpp"

#include <set>

#include "worker/tools/pg_value.hpp"
#include "worker/tools/row_lines.hpp"
#include "worker/tools/session_settings.hpp"
#include "worker/tools/sql_errors.hpp"

namespace ba {
namespace {

using Failure = std::optional<SqlFailure>;

constexpr const char* kOwnPath = "SET LOCAL search_path = pg_catalog, pg_temp";
constexpr std::size_t kRolesMax = 50;  ///< taken one by one

/// The login role; behind it those of $1 (JSON) that are there and no superusers.
constexpr const char* kRoles = R"sql(
SELECT quote_ident(current_user)
UNION ALL (
SELECT r.rolname FROM pg_roles r JOIN json_array_elements_text($1::json) AS t(name)
    ON t.name = r.rolname
 WHERE NOT r.rolsuper ORDER BY r.rolname))sql";

constexpr const char* kSuperusers = R"sql(
SELECT r.rolname FROM pg_roles r JOIN json_array_elements_text($1::json) AS t(name)
    ON t.name = r.rolname
 WHERE r.rolsuper)sql";

/// $1: the roles of tenants, as JSON; $2: whether a tenant uses the login role itself.
constexpr const char* kShared = R"sql(
WITH roles AS (SELECT r.oid, r.rolname FROM pg_roles r
                 JOIN json_array_elements_text($1::json) AS t(name) ON t.name = r.rolname)
SELECT 'has, as role ' || quote_ident(a.rolname) || ' of a tenant, also what role '
       || quote_ident(b.rolname) || ' of another may: REVOKE ' || quote_ident(b.rolname) || ' FROM '
       || quote_ident(a.rolname)
  FROM roles a JOIN roles b ON a.oid <> b.oid AND pg_has_role(a.oid, b.oid, 'USAGE')
UNION ALL
SELECT 'becomes a superuser as role ' || quote_ident(a.rolname) || ' of a tenant; statements are '
       || 'refused: give the tenant a role of its own with SELECT only, or ALTER ROLE '
       || quote_ident(a.rolname) || ' NOSUPERUSER'
  FROM roles a JOIN pg_roles s ON s.oid = a.oid AND s.rolsuper
UNION ALL
SELECT 'can''t become role ' || quote_ident(t.name) || ' of a tenant, which isn''t there: CREATE ROLE '
       || quote_ident(t.name) || ' NOLOGIN; GRANT ' || quote_ident(t.name) || ' TO '
       || quote_ident(current_user)
  FROM json_array_elements_text($1::json) AS t(name)
 WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = t.name)
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
Failure look_at(PgConnection& connection, const std::string& role, const std::string& login,
                const char* question, PgConnection::Clock::time_point deadline,
                std::set<std::string>& said, std::vector<std::string>& lines) {
  const Cancellation never;
  std::vector<std::string> told;
  RowLines sink(told);
  Failure failure =
      connection.query({"BEGIN READ ONLY", kOwnPath, "SET LOCAL ROLE " + sql_identifier(role)},
                       question ? question : "SELECT WHERE false", {}, deadline, never, sink);
  if (failure && failure->kind == SqlFailure::Kind::Server) {
    lines.push_back("can't become role " + sql_identifier(role) + " of a tenant (" +
                    failure->message + "): GRANT " + sql_identifier(role) + " TO " + login);
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
  std::vector<std::string> login_and_roles;
  RowLines names(login_and_roles);
  if (Failure failure = connection.query({"BEGIN READ ONLY", kOwnPath}, kRoles,
                                         {as_json(roles.names)}, deadline, never, names))
    return failure;
  for (std::size_t i = 1; i < login_and_roles.size() && i <= kRolesMax; ++i)
    if (Failure failure = look_at(connection, login_and_roles[i], login_and_roles[0], question,
                                  deadline, said, lines))
      return failure;
  return std::nullopt;
}

std::optional<SqlFailure> refuse_superuser_roles(PgConnection& connection,
                                                 const SourceTenancy& tenancy,
                                                 PgConnection::Clock::time_point deadline,
                                                 const Cancellation& cancellation) {
  const TenantRoles roles = roles_of(tenancy);
  if (roles.names.empty()) return std::nullopt;
  std::vector<std::string> superusers;
  RowLines sink(superusers);
  if (Failure failure = connection.query({"BEGIN READ ONLY", kOwnPath}, kSuperusers,
                                         {as_json(roles.names)}, deadline, cancellation, sink))
    return failure;
  return superusers.empty() ? std::nullopt : std::optional(superuser_refused());
}

}  // namespace ba
