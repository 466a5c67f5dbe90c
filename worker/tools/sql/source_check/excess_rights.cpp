// SPDX-License-Identifier: Apache-2.0
// excess_rights_question() of source_questions.hpp, part by part.

#include "worker/tools/sql/source_check/source_questions.hpp"

namespace ba::sql {
namespace {

constexpr const char* kMe = R"sql(
WITH me AS (
  SELECT r.oid, r.rolname FROM pg_roles r WHERE r.rolname = current_user
  UNION SELECT r.oid, r.rolname FROM pg_roles r
   WHERE r.rolname <> current_user AND pg_has_role(current_user, r.oid, 'USAGE')
  UNION SELECT 0::oid, 'PUBLIC'))sql";

/// The parts SELECT lines, from the roles "me" whose rights the current role has (oid, rolname;
/// oid 0 is PUBLIC). This one: of tables, those that new ones bring, and what may be passed on.
constexpr const char* kRightsOnTables = R"sql(
WITH grants AS (
  SELECT c.oid, c.relnamespace, c.relname, c.relkind, c.relowner, a.grantee, a.privilege_type,
         a.is_grantable, ''::text AS columns
    FROM pg_class c CROSS JOIN LATERAL aclexplode(
      coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner))) AS a
  UNION ALL
  SELECT c.oid, c.relnamespace, c.relname, c.relkind, c.relowner, a.grantee, a.privilege_type,
         a.is_grantable, '(' || quote_ident(t.attname) || ')'
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
                              CASE g.relkind WHEN 'S' THEN 'USAGE' END)),
passed_on AS (
  SELECT format('%I.%I', n.nspname, g.relname) AS name, format(
           'REVOKE GRANT OPTION FOR %1$s%2$s ON %3$s%4$I.%5$I FROM %6$I', g.privilege_type,
           CASE WHEN g.columns <> '' THEN ' ' || g.columns ELSE '' END,
           CASE g.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE '' END, n.nspname, g.relname,
           me.rolname) AS remedy
    FROM grants g JOIN pg_namespace n ON n.oid = g.relnamespace JOIN me ON me.oid = g.grantee
   WHERE g.is_grantable AND g.grantee <> g.relowner
  UNION ALL
  SELECT 'schema ' || quote_ident(n.nspname), format(
           'REVOKE GRANT OPTION FOR %s ON SCHEMA %I FROM %I', a.privilege_type, n.nspname,
           me.rolname)
    FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a JOIN me ON me.oid = a.grantee
   WHERE a.is_grantable AND a.grantee <> n.nspowner
  UNION ALL
  SELECT 'database ' || quote_ident(d.datname), format(
           'REVOKE GRANT OPTION FOR %s ON DATABASE %I FROM %I', a.privilege_type, d.datname,
           me.rolname)
    FROM pg_database d CROSS JOIN LATERAL aclexplode(d.datacl) AS a JOIN me ON me.oid = a.grantee
   WHERE a.is_grantable AND a.grantee <> d.datdba AND d.datname = current_database())
SELECT 'may write ' || min(name) || CASE WHEN count(DISTINCT name) > 1
         THEN ' and ' || count(DISTINCT name) - 1 || ' more' ELSE '' END || ': '
       || (SELECT string_agg(remedy, '; ') FROM (
             SELECT DISTINCT remedy FROM tables ORDER BY remedy LIMIT 3) AS first)
       || CASE WHEN count(DISTINCT remedy) > 3 THEN '; and so on' ELSE '' END
  FROM tables HAVING count(*) > 0
UNION ALL
SELECT 'may pass on its rights on ' || min(name) || CASE WHEN count(DISTINCT name) > 1
         THEN ' and ' || count(DISTINCT name) - 1 || ' more' ELSE '' END || ': '
       || (SELECT string_agg(remedy, '; ') FROM (
             SELECT DISTINCT remedy FROM passed_on ORDER BY remedy LIMIT 3) AS first)
       || CASE WHEN count(DISTINCT remedy) > 3 THEN '; and so on' ELSE '' END
  FROM passed_on HAVING count(*) > 0
UNION ALL
SELECT format('will have %1$s on each new %2$s of %3$I%4$s: ALTER DEFAULT PRIVILEGES FOR ROLE %3$I%4$s '
              'REVOKE %1$s ON %5$s FROM %6$s',
              string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type),
              CASE d.defaclobjtype WHEN 'r' THEN 'table' WHEN 'S' THEN 'sequence'
                                   ELSE 'schema' END,
              pg_get_userbyid(d.defaclrole),
              CASE WHEN n.nspname IS NULL THEN '' ELSE ' IN SCHEMA ' || quote_ident(n.nspname) END,
              CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES'
                                   ELSE 'SCHEMAS' END,
              CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(me.rolname) END)
  FROM pg_default_acl d LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace
  CROSS JOIN LATERAL aclexplode(d.defaclacl) AS a JOIN me ON me.oid = a.grantee
 WHERE a.grantee <> d.defaclrole
   AND CASE d.defaclobjtype
         WHEN 'r' THEN a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
         WHEN 'S' THEN a.privilege_type IN ('USAGE', 'UPDATE')
         WHEN 'n' THEN a.privilege_type = 'CREATE' END
 GROUP BY d.oid, d.defaclobjtype, d.defaclrole, n.nspname, a.grantee, me.rolname)sql";

/// Extensions whose functions reach other servers, files, or run what they are given elsewhere.
constexpr const char* kRightsOnFunctions = R"sql(
WITH outside AS (
  SELECT p.oid::regprocedure::text AS name,
         CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(me.rolname) END AS grantee,
         CASE WHEN p.pronamespace = 'pg_catalog'::regnamespace AND e.oid IS NULL
              THEN 'on the server''s files'
              WHEN l.lanispl AND NOT l.lanpltrusted
              THEN 'in ' || l.lanname || ', which is not bound to the database'
              ELSE 'of the extension ' || e.extname || ', which reaches outside the database'
          END AS kind
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
         AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
    LEFT JOIN pg_extension e ON e.oid = d.refobjid
    CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
    JOIN me ON me.oid = a.grantee
   WHERE a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND p.prokind = 'f'
     AND (e.extname IN ('dblink', 'adminpack', 'http', 'pg_net', 'pg_curl', 'aws_s3', 'aws_lambda',
                        'pg_cron', 'pg_background', 'orafce')
          OR l.lanispl AND NOT l.lanpltrusted
          OR p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~
             '^pg_(read_(binary_)?file|stat_file|ls_[a-z_]*dir|file_(write|sync|rename|unlink))$'))
SELECT 'may execute ' || count(DISTINCT name) || CASE count(DISTINCT name)
         WHEN 1 THEN ' function ' ELSE ' functions ' END || kind || ', for example ' || min(name)
       || ': REVOKE EXECUTE ON FUNCTION ' || string_agg(DISTINCT name, ', ') || ' FROM ' || grantee
  FROM outside GROUP BY kind, grantee
UNION ALL
SELECT 'owns functions, which it can change, for example '
       || min(p.oid::regprocedure::text) || ': REASSIGN OWNED BY ' || quote_ident(current_user)
       || ' TO another role'
  FROM pg_proc p WHERE pg_get_userbyid(p.proowner) = current_user HAVING count(*) > 0
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
HAVING count(*) > 0)sql";

/// Its schemas, temporary tables, ownership.
constexpr const char* kRightsInDatabase = R"sql(
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
 WHERE d.datname = current_database() AND a.privilege_type IN ('CREATE', 'TEMPORARY'))sql";

/// Attributes, memberships, settings.
constexpr const char* kRoleItself = R"sql(
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

}  // namespace

const std::string& excess_rights_question() {
  static const std::string question = [] {
    std::string sql = kMe;
    const char* before = "\n";
    for (const char* part : {kRightsOnTables, kRightsOnFunctions, kRightsInDatabase, kRoleItself}) {
      sql += std::string(before) + "SELECT * FROM (" + part + ") AS part";
      before = "\nUNION ALL\n";
    }
    return sql;
  }();
  return question;
}

}  // namespace ba::sql
