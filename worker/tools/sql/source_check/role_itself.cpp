// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/rights_parts.hpp"

namespace ba {

const char* const kRoleItself = R"sql(
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

}  // namespace ba
