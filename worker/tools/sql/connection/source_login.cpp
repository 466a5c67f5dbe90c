// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/source_login.hpp"

#include <set>

#include "worker/tools/sql/connection/row_json.hpp"

namespace ba::sql {
namespace {

using Failure = std::optional<SqlFailure>;

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
SELECT 'has of itself what role ' || quote_ident(b.rolname) || ' of a tenant may, and other tenants '
       || 'use it: ' || CASE WHEN current_setting('server_version_num')::int >= 160000
         THEN 'GRANT ' || quote_ident(b.rolname) || ' TO ' || quote_ident(current_user)
              || ' WITH INHERIT FALSE'
         ELSE 'ALTER ROLE ' || quote_ident(current_user) || ' NOINHERIT' END
  FROM roles b WHERE $2::boolean AND pg_has_role(b.oid, 'USAGE'))sql";

/// $1: the roles of tenants, as JSON. What ends all statements of the source, or of the tenant.
constexpr const char* kUnusable = R"sql(
SELECT 'the login role becomes a superuser as role ' || quote_ident(r.rolname) || ' of a tenant; '
       || 'statements are refused', 'give the tenant a role of its own with SELECT only, or ALTER '
       || 'ROLE ' || quote_ident(r.rolname) || ' NOSUPERUSER'
  FROM pg_roles r JOIN json_array_elements_text($1::json) AS t(name) ON t.name = r.rolname
 WHERE r.rolsuper
UNION ALL
SELECT 'the login role can''t become role ' || quote_ident(t.name) || ' of a tenant, which isn''t '
       || 'there', 'CREATE ROLE ' || quote_ident(t.name) || ' NOLOGIN; GRANT '
       || quote_ident(t.name) || ' TO ' || quote_ident(current_user)
  FROM json_array_elements_text($1::json) AS t(name)
 WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = t.name))sql";

class HindranceRows final : public RowSink {
 public:
  /// `hindrances` outlives it.
  explicit HindranceRows(std::vector<SourceHindrance>& hindrances) : hindrances_(hindrances) {}
  bool row(const Row& row) override {
    hindrances_.push_back(
        {std::string(row.at(0).value_or("")), std::string(row.at(1).value_or(""))});
    return true;
  }

 private:
  std::vector<SourceHindrance>& hindrances_;
};

SqlFailure superuser_refused() {
  SqlFailure failure;
  failure.kind = SqlFailure::Kind::Superuser;
  return failure;
}

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

/// The roles one by one.
class Look {
 public:
  Look(PgConnection& connection, const char* question, const SqlWait& until, RoleFindings& found)
      : connection_(connection),
        question_(question ? question : "SELECT WHERE false"),
        until_(until),
        found_(found),
        said_(found.rights.begin(), found.rights.end()) {}  // what PUBLIC has, the login role has

  Failure ask(const char* sql, const std::vector<std::string>& parameters, RowSink& sink) {
    return connection_.query({"BEGIN READ ONLY", kCatalogPath}, sql, parameters, until_, sink);
  }

  /// What the question says of a role, where it was not said before; else why it can't be taken.
  Failure at(const std::string& role, const std::string& login) {
    std::vector<std::string> told;
    RowLines sink(told);
    const std::string name = sql_identifier(role);
    Failure failure = connection_.query({"BEGIN READ ONLY", kCatalogPath, "SET LOCAL ROLE " + name},
                                        question_, {}, until_, sink);
    if (failure && failure->kind == SqlFailure::Kind::Server) {
      found_.hindrances.push_back(
          {"the login role can't become role " + name + " of a tenant (" + failure->message + ")",
           "GRANT " + name + " TO " + login});
      return connection_.in_transaction() ? connection_.script("ROLLBACK", until_) : std::nullopt;
    }
    for (const std::string& line : told)
      if (said_.insert(line).second) found_.rights.push_back("as role " + role + " " + line);
    return failure;
  }

 private:
  PgConnection& connection_;
  const char* const question_;
  const SqlWait& until_;
  RoleFindings& found_;
  std::set<std::string> said_;
};

/// A tenant's role that is a superuser is refused as a login is.
Failure refuse_superuser_roles(PgConnection& connection, const SourceTenancy& tenancy,
                               const SqlWait& until) {
  const TenantRoles roles = roles_of(tenancy);
  if (roles.names.empty()) return std::nullopt;
  std::vector<std::string> superusers;
  RowLines sink(superusers);
  if (Failure failure = connection.query({"BEGIN READ ONLY", kCatalogPath}, kSuperusers,
                                         {as_json(roles.names)}, until, sink))
    return failure;
  return superusers.empty() ? std::nullopt : std::optional(superuser_refused());
}

}  // namespace

std::optional<SqlFailure> look_at_tenant_roles(PgConnection& connection,
                                               const SourceTenancy& tenancy, const char* question,
                                               const SqlWait& until, RoleFindings& found) {
  const TenantRoles roles = roles_of(tenancy);
  if (roles.names.empty()) return std::nullopt;
  const std::string names = as_json(roles.names);
  Look look(connection, question, until, found);
  RowLines shared(found.rights);
  if (Failure failure = look.ask(kShared, {names, roles.login_too ? "true" : "false"}, shared))
    return failure;
  HindranceRows unusable(found.hindrances);
  if (Failure failure = look.ask(kUnusable, {names}, unusable)) return failure;
  std::vector<std::string> login_and_roles;
  RowLines lines(login_and_roles);
  if (Failure failure = look.ask(kRoles, {names}, lines)) return failure;
  for (std::size_t i = 1; i < login_and_roles.size() && i <= kRolesMax; ++i)
    if (Failure failure = look.at(login_and_roles[i], login_and_roles[0])) return failure;
  return std::nullopt;
}

std::optional<SqlFailure> log_in(PgConnection& connection, const SourceLogin& login,
                                 const tools::Cancellation& cancellation, SessionFacts& facts) {
  if (auto failure = connection.connect(login.url, login.timeout, cancellation)) return failure;
  const SqlWait until{PgConnection::Clock::now() + login.timeout, cancellation};
  auto failure = connection.superuser() ? std::optional(superuser_refused())
                                        : ask_session_facts(connection, until, facts);
  if (!failure) failure = refuse_superuser_roles(connection, login.tenancy, until);
  if (failure) connection.close();
  return failure;
}

bool leave(PgConnection& connection, bool reusable, Milliseconds timeout) {
  const tools::Cancellation never;
  const bool usable = connection.open() && reusable;
  if (usable && !connection.in_transaction()) return true;
  if (usable && !connection.script("ROLLBACK", {PgConnection::Clock::now() + timeout, never}))
    return true;
  connection.abandon();
  return false;
}

}  // namespace ba::sql
