// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/data_source_check.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "pipeline/message/utf8.hpp"
#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/row_lines.hpp"
#include "worker/tools/sql_errors.hpp"
#include "worker/tools/sql_guard.hpp"
#include "worker/tools/tenant_roles.hpp"

namespace ba {
namespace {

constexpr Milliseconds kQueryTimeout{10000};
constexpr int kTablesMax = 60;
constexpr std::size_t kLineBytesMax = 1000;
constexpr std::size_t kTablesBytesMax = 8192;

/// All questions are asked under this path, so that no object of a user takes part in them.
constexpr const char* kOwnPath = "SET LOCAL search_path = pg_catalog, pg_temp";

constexpr const char* kTables = R"sql(
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

/// What the login role may do that a reader need not, each with the statements that end it: they
/// name who was granted the right (a role, or PUBLIC), or who owns the thing.
constexpr const char* kExcessRights = R"sql(
WITH me AS (
  SELECT r.oid, r.rolname FROM pg_roles r WHERE r.rolname = current_user
  UNION SELECT r.oid, r.rolname FROM pg_roles r
   WHERE r.rolname <> current_user AND pg_has_role(current_user, r.oid, 'USAGE')
  UNION SELECT 0::oid, 'PUBLIC'),
grants AS (
  SELECT c.oid, c.relnamespace, c.relname, c.relkind, c.relowner, a.grantee, a.privilege_type, ''::text AS columns
    FROM pg_class c CROSS JOIN LATERAL aclexplode(
      coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner))) AS a
  UNION ALL
  SELECT c.oid, c.relnamespace, c.relname, c.relkind, c.relowner, a.grantee, a.privilege_type,
         '(' || quote_ident(t.attname) || ')'
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid
    CROSS JOIN LATERAL aclexplode(t.attacl) AS a),
tables AS (
  SELECT quote_ident(n.nspname) || '.' || quote_ident(g.relname) AS name, format(
           CASE WHEN g.grantee = g.relowner AND me.rolname <> current_user
                THEN 'REVOKE %5$I FROM %4$I'
                WHEN g.grantee = g.relowner THEN 'ALTER TABLE %1$I.%2$I OWNER TO '
                  || quote_ident(pg_get_userbyid((SELECT datdba FROM pg_database
                                                   WHERE datname = current_database())))
                WHEN g.relkind = 'S' THEN 'REVOKE USAGE, UPDATE ON SEQUENCE %1$I.%2$I FROM %3$s'
                WHEN g.columns <> '' THEN 'REVOKE INSERT %6$s, UPDATE %6$s ON %1$I.%2$I FROM %3$s'
                ELSE 'REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %1$I.%2$I FROM %3$s' END,
           n.nspname, g.relname, CASE g.grantee WHEN 0 THEN 'PUBLIC'
                                 ELSE quote_ident(me.rolname) END,
           current_user, me.rolname, g.columns) AS remedy
    FROM grants g JOIN pg_namespace n ON n.oid = g.relnamespace
    JOIN me ON me.oid = g.grantee
   WHERE g.relkind IN ('r', 'p', 'v', 'f', 'S') AND n.nspname NOT LIKE 'pg\_%'
     AND n.nspname <> 'information_schema'
     AND g.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE',
                              CASE g.relkind WHEN 'S' THEN 'USAGE' END))
SELECT 'may write ' || min(name) || CASE WHEN count(DISTINCT name) > 1
         THEN ' and ' || count(DISTINCT name) - 1 || ' more' ELSE '' END || ': '
       || (SELECT string_agg(remedy, '; ') FROM (
             SELECT DISTINCT remedy FROM tables ORDER BY remedy LIMIT 3) AS first)
       || CASE WHEN count(DISTINCT remedy) > 3 THEN '; and so on' ELSE '' END
  FROM tables HAVING count(*) > 0
UNION ALL
SELECT 'is a member of ' || quote_ident(g.rolname) || ', which owns the database: REVOKE '
       || quote_ident(g.rolname) || ' FROM ' || quote_ident(current_user)
  FROM pg_database d JOIN pg_roles g ON g.oid = d.datdba
 WHERE d.datname = current_database() AND g.rolname <> current_user
   AND pg_has_role(current_user, g.oid, 'MEMBER')
UNION ALL
SELECT 'owns the database: ALTER DATABASE ' || quote_ident(d.datname) || ' OWNER TO another role'
  FROM pg_database d
 WHERE d.datname = current_database() AND pg_get_userbyid(d.datdba) = current_user
UNION ALL
SELECT 'owns functions, which it can change, for example '
       || min(p.oid::regprocedure::text) || ': REASSIGN OWNED BY ' || quote_ident(current_user)
       || ' TO another role'
  FROM pg_proc p WHERE pg_get_userbyid(p.proowner) = current_user HAVING count(*) > 0
UNION ALL
SELECT 'may read no table: GRANT USAGE ON SCHEMA public TO ' || quote_ident(current_user)
       || '; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ' || quote_ident(current_user)
       || ' (or of the schemas and tables that it is for)'
 WHERE NOT EXISTS (
   SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\_%'
      AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
      AND has_any_column_privilege(c.oid, 'SELECT'))
UNION ALL
SELECT 'may create objects in schema ' || quote_ident(n.nspname) || ': '
       || CASE WHEN a.grantee = n.nspowner AND me.rolname <> current_user
               THEN 'REVOKE ' || quote_ident(me.rolname) || ' FROM ' || quote_ident(current_user)
               WHEN a.grantee = n.nspowner THEN 'ALTER SCHEMA ' || quote_ident(n.nspname)
                                                || ' OWNER TO another role'
               ELSE 'REVOKE CREATE ON SCHEMA ' || quote_ident(n.nspname) || ' FROM '
                    || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(me.rolname) END END
  FROM pg_namespace n
  CROSS JOIN LATERAL aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a
  JOIN me ON me.oid = a.grantee
 WHERE a.privilege_type = 'CREATE' AND n.nspname NOT LIKE 'pg\_%'
UNION ALL
SELECT 'may ' || CASE a.privilege_type WHEN 'CREATE' THEN 'create schemas'
                                       ELSE 'create temporary tables' END
       || ': REVOKE ' || a.privilege_type || ' ON DATABASE ' || quote_ident(d.datname) || ' FROM '
       || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(me.rolname) END
  FROM pg_database d
  CROSS JOIN LATERAL aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
  JOIN me ON me.oid = a.grantee
 WHERE d.datname = current_database() AND a.privilege_type IN ('CREATE', 'TEMPORARY')
UNION ALL
SELECT 'may execute ' || count(*) || ' functions with side effects, for example '
       || min(p.proname) || '(): in psql, as a superuser: SELECT format(''REVOKE EXECUTE ON '
       || 'FUNCTION %s FROM PUBLIC'', oid::regprocedure) FROM pg_proc WHERE pronamespace = '
       || '''pg_catalog''::regnamespace AND proname ~ ''^(lo_|pg_(try_)?advisory_)|'
       || '^(set_config|pg_notify|pg_sleep)$'' \gexec'
  FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace
   AND p.proname ~ '^(lo_|pg_(try_)?advisory_)|^(set_config|pg_notify|pg_sleep)$'
   AND p.prokind = 'f' AND has_function_privilege(p.oid, 'EXECUTE')
HAVING count(*) > 0
UNION ALL
SELECT 'may ' || r.word || ': ALTER ROLE ' || quote_ident(p.rolname) || ' NO' || r.attribute
  FROM pg_roles p, LATERAL (VALUES
         (p.rolcreaterole, 'create roles', 'CREATEROLE'),
         (p.rolcreatedb, 'create databases', 'CREATEDB'),
         (p.rolreplication, 'replicate', 'REPLICATION'),
         (p.rolbypassrls, 'bypass row security', 'BYPASSRLS')) AS r(has, word, attribute)
 WHERE p.rolname = current_user AND r.has
UNION ALL
SELECT 'is a member of ' || quote_ident(g.rolname) || ', which looks beyond tables: REVOKE '
       || quote_ident(g.rolname) || ' FROM ' || quote_ident(current_user)
  FROM pg_roles g
 WHERE g.rolname IN ('pg_monitor', 'pg_read_all_stats', 'pg_read_all_settings',
                     'pg_stat_scan_tables', 'pg_signal_backend', 'pg_read_server_files',
                     'pg_write_server_files', 'pg_execute_server_program', 'pg_write_all_data',
                     'pg_checkpoint', 'pg_maintain', 'pg_create_subscription')
   AND pg_has_role(current_user, g.oid, 'MEMBER')
UNION ALL
SELECT 'has no temp_file_limit, so that one statement may fill the disk: ALTER ROLE '
       || quote_ident(current_user) || ' SET temp_file_limit = ''1GB'''
 WHERE current_setting('temp_file_limit') = '-1' AND current_user = session_user
UNION ALL
SELECT 'has what the server makes of each new statement in the server''s log: ALTER ROLE '
       || quote_ident(current_user) || ' SET log_min_messages = ''fatal'''
 WHERE current_setting('log_min_messages') NOT IN ('fatal', 'panic')
   AND current_user = session_user)sql";

/// What is missing for a writer of the tables $1; $2: that writes as the login role, not as others.
constexpr const char* kLacksForWriting = R"sql(
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

/// ["public.\"orders\""] with each part quoted for PostgreSQL.
std::string quoted_tables(const std::vector<std::string>& tables) {
  std::string json = "[";
  for (const std::string& table : tables) {
    const std::size_t dot = table.find('.');
    const std::string schema = dot == std::string::npos ? "public" : table.substr(0, dot);
    const std::string name = dot == std::string::npos ? table : table.substr(dot + 1);
    json += (json.size() > 1 ? "," : "") + json_quoted("\"" + schema + "\".\"" + name + "\"");
  }
  return json + "]";
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (text.size() <= kLineBytesMax) return text;
  return std::string(utf8_prefix(text, kLineBytesMax)) + "…";
}

std::string listing(const std::vector<std::string>& tables) {
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

}  // namespace

Error data_source_error(const SqlFailure& failure, const std::string& source) {
  const ToolError told = error_of(failure, source);
  Error error;
  error.code = told.type == ToolErrorType::DependencyError  ? ErrorCode::Authentication
               : told.type == ToolErrorType::TransientError ? ErrorCode::Unavailable
                                                            : ErrorCode::Internal;
  error.retry = error.code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  error.message = told.message;
  if (!failure.refusal.empty()) error.message += ": " + failure.refusal;
  if (told.code == "NO_DATABASE") error.code = ErrorCode::NotFound;
  if (failure.refusal.starts_with("permission denied")) error.code = ErrorCode::PermissionDenied;
  error.detail = told.code;
  return error;
}

Result<DataSourceFacts> inspect(const DataSourceConfig& source) {
  if (const auto problem = conninfo_problem(source.url))
    return invalid_argument("data source '" + source.name +
                            "': the url can't be used: " + *problem);
  const Cancellation never;
  PgConnection connection;
  if (const auto failure = connection.connect(source.url, source.connect_timeout, never))
    return data_source_error(*failure, source.name);
  DataSourceFacts facts;
  facts.server_major = connection.server_major();
  facts.superuser = connection.superuser();
  facts.protection = protection_words(connection.encrypted(), source.url);
  std::vector<std::string> tables;
  const auto deadline = PgConnection::Clock::now() + kQueryTimeout;
  for (auto [sql, lines] : {std::pair{kTables, &tables}, {kExcessRights, &facts.excess_rights}}) {
    RowLines sink(*lines);
    if (const auto failure =
            connection.query({"BEGIN READ ONLY", kOwnPath}, sql, {}, deadline, never, sink)) {
      connection.abandon();
      return data_source_error(*failure, source.name);
    }
  }
  if (const auto failure = look_at_tenant_roles(connection, source.tenancy, kExcessRights, deadline,
                                                facts.excess_rights)) {
    connection.abandon();
    return data_source_error(*failure, source.name);
  }
  facts.tables = listing(tables);
  return facts;
}

Result<std::vector<std::string>> lacks_for_writing(const WriteSourceConfig& source) {
  if (const auto problem = conninfo_problem(source.url))
    return invalid_argument("data source '" + source.name +
                            "': the url can't be used: " + *problem);
  const Cancellation never;
  PgConnection connection;
  if (const auto failure = connection.connect(source.url, source.connect_timeout, never))
    return data_source_error(*failure, source.name);
  if (connection.superuser())
    return invalid_argument("data source '" + source.name +
                            "': the login role is a superuser, which is refused. Give it a role of "
                            "its own with the rights it needs");
  const auto& tenants = source.tenancy.tenants;
  const bool as_login =
      std::ranges::all_of(tenants, [](const auto& tenant) { return tenant.second.role.empty(); });
  std::vector<std::string> lines;
  RowLines sink(lines);
  const auto deadline = PgConnection::Clock::now() + kQueryTimeout;
  if (const auto failure =
          connection.query({"BEGIN READ ONLY", kOwnPath}, kLacksForWriting,
                           {quoted_tables(source.rules.tables), as_login ? "true" : "false"},
                           deadline, never, sink)) {
    connection.abandon();
    return data_source_error(*failure, source.name);
  }
  std::vector<std::string> of_roles;
  if (const auto failure =
          look_at_tenant_roles(connection, source.tenancy, nullptr, deadline, of_roles)) {
    connection.abandon();
    return data_source_error(*failure, source.name);
  }
  for (const std::string& line : of_roles) lines.push_back("the login role " + line);
  for (std::string& line : lines) line = "data source '" + source.name + "': " + line;
  return lines;
}

std::vector<std::string> warnings_about(const DataSourceConfig& source,
                                        const DataSourceFacts& facts) {
  std::vector<std::string> warnings;
  const std::string name = "data source '" + source.name + "': ";
  if (facts.superuser)
    warnings.push_back(name +
                       "the login role is a superuser; statements are refused. Give it a "
                       "role of its own with SELECT only");
  if (facts.server_major != kParserMajor)
    warnings.push_back(name + "the server is PostgreSQL " + std::to_string(facts.server_major) +
                       ", statements are checked by the grammar of PostgreSQL " +
                       std::to_string(kParserMajor) + ": newer syntax is refused");
  for (const std::string& right :
       facts.superuser ? std::vector<std::string>{} : facts.excess_rights)
    warnings.push_back(name + "the login role " + right);
  return warnings;
}

}  // namespace ba
