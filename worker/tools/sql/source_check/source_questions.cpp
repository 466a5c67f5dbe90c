// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/source_questions.hpp"

#include <map>
#include <set>

#include "pipeline/text/message/utf8.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"

namespace ba::sql {
namespace {

using Failure = std::optional<SqlFailure>;

constexpr int kTablesMax = 60;
constexpr std::size_t kLineBytesMax = 1000;
constexpr std::size_t kTablesBytesMax = 8192;

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (text.size() <= kLineBytesMax) return text;
  return std::string(utf8_prefix(text, kLineBytesMax)) + "…";
}

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
  Look(PgConnection& connection, const SourceTenancy& tenancy, const SqlWait& until)
      : connection_(connection), tenancy_(tenancy), until_(until) {}

  /// Nothing is left open. `set`: everything could be set.
  Failure try_out(const std::string& tenant, std::vector<SourceHindrance>& hindrances, bool& set) {
    std::vector<PgConnection::Message> messages{query_message("BEGIN READ ONLY")};
    for (PgConnection::Message& message : tenant_messages(tenancy_, tenant))
      messages.push_back(std::move(message));
    messages.push_back(query_message("ROLLBACK"));
    Failure failure = connection_.batch(messages, until_, nullptr);
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
      if (Failure failure = connection_.query(begin, kIdle, {told, name}, until_, lines))
        return failure;
    }
    return std::nullopt;
  }

 private:
  Failure roll_back() {
    if (!connection_.in_transaction()) return std::nullopt;
    return connection_.script("ROLLBACK", until_);
  }

  PgConnection& connection_;
  const SourceTenancy& tenancy_;
  const SqlWait& until_;
  std::set<std::string> asked_;  ///< role and setting
};

}  // namespace

const char* const kTablesQuestion = R"sql(
SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END
       || quote_ident(c.relname) || '('
       || (SELECT string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod),
                             ', ' ORDER BY a.attnum)
             FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
       || ')' || coalesce(' -- ' || obj_description(c.oid, 'pg_class'), '')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
   AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
   AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
 ORDER BY n.nspname <> 'public', n.nspname, c.relname)sql";

std::string listing_of(const std::vector<std::string>& tables) {
  std::string text;
  int shown = 0;
  for (const std::string& table : tables) {
    const std::string line = one_line(table);
    if (shown == kTablesMax || text.size() + line.size() > kTablesBytesMax) break;
    text += (shown++ > 0 ? "\n" : "") + line;
  }
  const int left = static_cast<int>(tables.size()) - shown;
  if (left > 0)
    text += "\n… and " + std::to_string(left) + " more: see information_schema.tables and .columns";
  return text;
}

const char* const kLacksQuestion = R"sql(
WITH keys AS (SELECT to_regclass('public.ba_effects') AS id)
SELECT 'has no table public.ba_effects: its owner creates it with effects_table.sql'
  FROM keys WHERE id IS NULL
UNION ALL
SELECT 'does not let its login role use public.ba_effects: it needs SELECT, INSERT, UPDATE, DELETE'
  FROM keys WHERE id IS NOT NULL
   AND NOT (has_table_privilege(id, 'SELECT') AND has_table_privilege(id, 'INSERT')
            AND has_table_privilege(id, 'UPDATE') AND has_table_privilege(id, 'DELETE'))
UNION ALL
SELECT 'takes no writes: it is a standby' WHERE pg_is_in_recovery()
UNION ALL
SELECT 'takes no writes: default_transaction_read_only is on: ALTER ROLE ' || quote_ident(current_user)
       || ' SET default_transaction_read_only = off'
 WHERE current_setting('default_transaction_read_only') = 'on' AND NOT pg_is_in_recovery()
UNION ALL
SELECT 'may not write ' || name || ': GRANT INSERT, UPDATE, DELETE, SELECT ON ' || name || ' TO '
       || quote_ident(current_user) || ' (or those of them that it needs)'
  FROM json_array_elements_text($1::json) AS t(name)
 WHERE $2::boolean AND to_regclass(name) IS NOT NULL
   AND NOT (has_schema_privilege(
              (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(name)), 'USAGE')
            AND (has_any_column_privilege(to_regclass(name), 'INSERT')
                 OR has_any_column_privilege(to_regclass(name), 'UPDATE')
                 OR has_table_privilege(to_regclass(name), 'DELETE')))
UNION ALL
SELECT 'has no table ' || name FROM json_array_elements_text($1::json) AS t(name)
 WHERE to_regclass(name) IS NULL)sql";

std::string tables_parameter(const std::vector<std::string>& tables) {
  std::string json = "[";
  for (const std::string& table : tables) {
    const std::size_t dot = table.find('.');
    const std::string schema = dot == std::string::npos ? "public" : table.substr(0, dot);
    const std::string name = dot == std::string::npos ? table : table.substr(dot + 1);
    json += (json.size() > 1 ? "," : "") + json_quoted("\"" + schema + "\".\"" + name + "\"");
  }
  return json + "]";
}

std::optional<SqlFailure> look_at_tenant_settings(PgConnection& connection,
                                                  const SourceTenancy& tenancy,
                                                  const SqlWait& until,
                                                  std::vector<SourceHindrance>& hindrances,
                                                  std::vector<std::string>& idle) {
  Look look(connection, tenancy, until);
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

}  // namespace ba::sql
