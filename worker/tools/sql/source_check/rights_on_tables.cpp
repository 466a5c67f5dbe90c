// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/rights_parts.hpp"

namespace ba {

const char* const kRightsOnTables = R"sql(
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

}  // namespace ba
