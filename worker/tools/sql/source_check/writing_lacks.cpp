// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/writing_lacks.hpp"

#include "worker/tools/sql/connection/pg_value.hpp"

namespace ba {

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

}  // namespace ba
