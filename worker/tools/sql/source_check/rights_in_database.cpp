// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/rights_parts.hpp"

namespace ba {

const char* const kRightsInDatabase = R"sql(
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

}  // namespace ba
