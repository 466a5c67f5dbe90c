// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/catalog_check.hpp"

#include "pipeline/base/joined.hpp"
#include "worker/tools/pg_value.hpp"

namespace ba {
namespace {

/// Names that resolve to something volatile in this database: functions ($1), operators ($2), casts
/// from or to a type ($3), and one-argument functions of a row that a column name can call ($4).
constexpr const char* kVolatileNames = R"sql(
SELECT p.proname || '()' FROM pg_catalog.pg_proc p
 WHERE p.provolatile = 'v' AND p.proname IN (SELECT pg_catalog.json_array_elements_text($1::json))
UNION SELECT 'operator ' || o.oprname FROM pg_catalog.pg_operator o
  JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode
 WHERE p.provolatile = 'v' AND o.oprname IN (SELECT pg_catalog.json_array_elements_text($2::json))
UNION SELECT 'cast of ' || t.typname FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_cast c ON t.oid IN (c.castsource, c.casttarget)
  JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc
 WHERE p.provolatile = 'v' AND t.typname IN (SELECT pg_catalog.json_array_elements_text($3::json))
UNION SELECT p.proname || '()' FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0]
 WHERE p.provolatile = 'v' AND p.pronargs = 1 AND t.typtype IN ('c', 'p')
   AND p.proname IN (SELECT pg_catalog.json_array_elements_text($4::json)))sql";

std::string json_array(const std::set<std::string>& names) {
  std::string json = "[";
  for (const std::string& name : names) json += (json.size() > 1 ? "," : "") + json_quoted(name);
  return json + "]";
}

}  // namespace

CatalogQuestion volatile_names_in(const GuardedSql& statement) {
  return {kVolatileNames,
          {json_array(statement.functions), json_array(statement.operators),
           json_array(statement.types), json_array(statement.fields)}};
}

ToolError volatile_refused(const std::set<std::string>& names) {
  return {ToolErrorType::PermissionDenied, "SQL_NOT_ALLOWED",
          "Not allowed here, since it may change data or its result changes from call to call: " +
              joined(names)};
}

}  // namespace ba
