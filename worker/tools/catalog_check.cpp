// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/catalog_check.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/sql_time.hpp"
#include "worker/tools/sql_time_casts.hpp"

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

/// Views behind the names in $1, however deep, with their definitions; what they, or the
/// statement (functions $2, operators $3), call of the database's own that is not immutable; tables
/// whose rows depend on who asks. PostgreSQL's own functions stand in no dependency: those in a
/// definition are found by their names. Columns of texts, or of what may hold texts, that the
/// statement makes dates of ($4), and names it makes dates of ($5) that are no column of these; all
/// columns where a view may make dates of them.
constexpr const char* kChangeable = R"sql(
WITH RECURSIVE named AS (
  SELECT c.oid, c.relkind, c.relrowsecurity, c.relname FROM pg_catalog.pg_class c
   WHERE c.relname IN (SELECT pg_catalog.json_array_elements_text($1::json))
  UNION
  SELECT c.oid, c.relkind, c.relrowsecurity, c.relname FROM named n
    JOIN pg_catalog.pg_rewrite r ON r.ev_class = n.oid AND n.relkind = 'v'
    JOIN pg_catalog.pg_depend d ON d.objid = r.oid
     AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
     AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    JOIN pg_catalog.pg_class c ON c.oid = d.refobjid AND c.oid <> n.oid)
SELECT 'view', pg_catalog.pg_get_viewdef(oid) FROM named WHERE relkind = 'v'
UNION ALL SELECT 'reason', 'the rows of ' || relname || ' depend on who asks'
  FROM named WHERE relrowsecurity
UNION ALL SELECT 'reason', p.proname || '()' FROM named n
  JOIN pg_catalog.pg_rewrite r ON r.ev_class = n.oid AND n.relkind = 'v'
  JOIN pg_catalog.pg_depend d ON d.objid = r.oid
   AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
   AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  JOIN pg_catalog.pg_proc p ON p.oid = d.refobjid WHERE p.provolatile <> 'i'
UNION ALL SELECT 'reason', p.proname || '()' FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace s ON s.oid = p.pronamespace
 WHERE p.proname IN (SELECT pg_catalog.json_array_elements_text($2::json))
   AND p.provolatile <> 'i' AND s.nspname <> 'pg_catalog'
UNION ALL SELECT 'reason', 'operator ' || o.oprname FROM pg_catalog.pg_operator o
  JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode
  JOIN pg_catalog.pg_namespace s ON s.oid = p.pronamespace
 WHERE o.oprname IN (SELECT pg_catalog.json_array_elements_text($3::json))
   AND p.provolatile <> 'i' AND s.nspname <> 'pg_catalog'
UNION ALL SELECT 'text', a.attname::text FROM named n
  JOIN pg_catalog.pg_attribute a ON a.attrelid = n.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
 WHERE (coalesce(e.typcategory, t.typcategory) IN ('S', 'E', 'C')
        OR coalesce(e.typname, t.typname) = 'xml')
   AND (a.attname IN (SELECT pg_catalog.json_array_elements_text($4::json))
        OR EXISTS (SELECT 1 FROM named WHERE relkind = 'v'))
UNION ALL SELECT 'reason', 'nothing says what ' || x || ' is'
  FROM pg_catalog.json_array_elements_text($5::json) AS x
 WHERE x NOT IN (SELECT a.attname FROM named n
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = n.oid AND NOT a.attisdropped)
UNION ALL SELECT 'column', a.attname::text FROM named n
  JOIN pg_catalog.pg_attribute a ON a.attrelid = n.oid AND NOT a.attisdropped
 WHERE EXISTS (SELECT 1 FROM named WHERE relkind = 'v'))sql";

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

CatalogQuestion changeable_things_in(const GuardedSql& statement) {
  std::set<std::string> functions = statement.functions;
  functions.insert(statement.fields.begin(), statement.fields.end());  // t.f may be f(t)
  return {kChangeable,
          {json_array(statement.tables), json_array(functions), json_array(statement.operators),
           json_array(statement.timed), json_array(statement.timed_outside)}};
}

void ChangeableSink::take(std::string_view kind, std::string_view text) {
  if (kind == "text") {
    texts_.insert(std::string(text));
  } else if (kind == "column") {
    columns_.insert(std::string(text));
  } else if (kind == "view") {
    const Result<SqlStatement> definition = parse_statement(text, {});
    reason_ = reason_ || !definition || why_not_cacheable(*definition);
    if (!definition) return;
    SqlTimeCasts casts = time_casts(definition->body);
    timed_.merge(casts.columns);
    outside_.merge(casts.outside);
  } else {
    reason_ = true;
  }
}

bool ChangeableSink::found() const {
  const auto becomes_a_time = [this](const std::string& column) { return timed_.contains(column); };
  return reason_ || std::ranges::any_of(texts_, becomes_a_time) ||
         !std::ranges::includes(columns_, outside_);
}

ToolError volatile_refused(const std::set<std::string>& names) {
  return {ToolErrorType::PermissionDenied, "SQL_NOT_ALLOWED",
          "Not allowed here, since it may change data or its result changes from call to call: " +
              joined(names)};
}

}  // namespace ba
