// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/tenant_settings.hpp"

#include <map>
#include <set>

#include "worker/tools/sql/connection/row_lines.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"

namespace ba {
namespace {

using Failure = std::optional<SqlFailure>;

constexpr int kTenantsMax = 50;  ///< tried one by one

/// $1: what is told of the setting, $2: the setting. No line where a policy that holds for the
/// role, or a view, may ask for it: it names current_setting(), or calls or reads something of a
/// user's that may.
constexpr const char* kIdle = R"sql(
WITH readable AS (
  SELECT c.oid, c.relkind, n.nspname, c.relname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\_%'
     AND n.nspname <> 'information_schema'
     AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')),
asking AS (
  SELECT FROM readable r JOIN pg_policy p ON p.polrelid = r.oid
   WHERE row_security_active(r.oid)
     AND (0::oid = ANY (p.polroles)
          OR EXISTS (SELECT FROM unnest(p.polroles) AS t(role) WHERE pg_has_role(t.role, 'USAGE')))
     AND (concat(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
            ~ 'current_setting'
          OR concat(p.polqual, p.polwithcheck) ~ ':(op)?funcid [0-9]{5,}|SUBLINK')
  UNION ALL
  SELECT FROM readable r JOIN pg_rewrite w ON w.ev_class = r.oid
   WHERE r.relkind = 'v'
     AND (pg_get_viewdef(r.oid) ~ 'current_setting'
          OR EXISTS (SELECT FROM pg_depend d LEFT JOIN pg_class c ON c.oid = d.refobjid
                      WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                        AND d.refobjid <> r.oid
                        AND (d.refclassid = 'pg_proc'::regclass
                             OR c.relkind = 'v' OR c.relrowsecurity))))
SELECT format('%s %s changes nothing: no policy that asks for it holds for what role %I may read, '
              'for example %I.%I: ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY; CREATE POLICY '
              'of_tenant ON %I.%I TO %I USING (tenant = current_setting(%L, true)), where tenant '
              'is its column of tenants', $1::text, $2::text, current_user, nspname, relname,
              nspname, relname, nspname, relname, current_user, $2::text)
  FROM readable WHERE relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM asking)
 ORDER BY nspname, relname LIMIT 1)sql";

/// What is told of each setting that a tenant's statements run with; those of the server aside.
std::map<std::string, std::string> own_settings(const SourceTenancy& tenancy,
                                                const SourceTenancy::Tenant& tenant) {
  std::map<std::string, std::string> told;
  for (const auto& [name, value] : tenant.settings)
    if (name.find('.') != std::string::npos) told.emplace(name, "the setting");
  if (!tenancy.tenant_setting.empty()) told[tenancy.tenant_setting] = "tenant_setting";
  return told;
}

class Look {
 public:
  Look(PgConnection& connection, const SourceTenancy& tenancy,
       PgConnection::Clock::time_point deadline)
      : connection_(connection), tenancy_(tenancy), deadline_(deadline) {}

  /// Nothing is left open. `set`: everything could be set.
  Failure try_out(const std::string& tenant, std::vector<SourceHindrance>& hindrances, bool& set) {
    std::vector<PgConnection::Message> messages{query_message("BEGIN READ ONLY")};
    for (PgConnection::Message& message : tenant_messages(tenancy_, tenant))
      messages.push_back(std::move(message));
    messages.push_back(query_message("ROLLBACK"));
    Failure failure = connection_.batch(messages, deadline_, never_, nullptr);
    set = !failure;
    if (!failure || failure->kind != SqlFailure::Kind::Server) return failure;
    if (failure->setting.empty()) return roll_back();
    const std::string name = failure->setting;
    hindrances.push_back({"the setting " + name + " of tenant " + tenant + " can't be set (" +
                              failure->message + ")",
                          name == tenancy_.tenant_setting
                              ? "correct tenant_setting, to a name with a dot as app.tenant"
                              : "correct it under tenants, or let the login role set it"});
    return roll_back();
  }

  Failure ask(const SourceTenancy::Tenant& tenant, std::vector<std::string>& idle) {
    std::vector<std::string> begin{"BEGIN READ ONLY", kCatalogPath};
    if (!tenant.role.empty()) begin.push_back("SET LOCAL ROLE " + sql_identifier(tenant.role));
    for (const auto& [name, told] : own_settings(tenancy_, tenant)) {
      if (!asked_.insert(tenant.role + '\n' + name).second) continue;
      RowLines lines(idle);
      if (Failure failure = connection_.query(begin, kIdle, {told, name}, deadline_, never_, lines))
        return failure;
    }
    return std::nullopt;
  }

 private:
  Failure roll_back() {
    if (!connection_.in_transaction()) return std::nullopt;
    return connection_.script("ROLLBACK", deadline_, never_);
  }

  PgConnection& connection_;
  const SourceTenancy& tenancy_;
  const PgConnection::Clock::time_point deadline_;
  const Cancellation never_;
  std::set<std::string> asked_;  ///< role and setting
};

}  // namespace

std::optional<SqlFailure> look_at_tenant_settings(PgConnection& connection,
                                                  const SourceTenancy& tenancy,
                                                  PgConnection::Clock::time_point deadline,
                                                  std::vector<SourceHindrance>& hindrances,
                                                  std::vector<std::string>& idle) {
  Look look(connection, tenancy, deadline);
  std::map<std::string, SourceTenancy::Tenant> tenants = tenancy.tenants;
  if (tenants.empty() && !tenancy.tenant_setting.empty()) tenants["any"] = {};
  int tried = 0;
  for (const auto& [name, tenant] : tenants) {
    if (tried++ == kTenantsMax) break;
    bool set = false;
    if (Failure failure = look.try_out(name, hindrances, set)) return failure;
    if (!set) continue;
    if (Failure failure = look.ask(tenant, idle)) return failure;
  }
  return std::nullopt;
}

}  // namespace ba
