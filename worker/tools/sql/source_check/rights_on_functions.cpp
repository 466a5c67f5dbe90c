// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/rights_parts.hpp"

namespace ba {

/// Extensions whose functions reach other servers, files, or run what they are given elsewhere.
const char* const kRightsOnFunctions = R"sql(
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

}  // namespace ba
