// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/catalog.hpp"

#include <sstream>

namespace ba::hunt {
namespace {

constexpr const char* kFunctions = R"sql(
SELECT quote_ident(n.nspname) || '.' || quote_ident(p.proname), quote_ident(p.proname), p.prokind,
       coalesce(a.aggkind, 'n'), coalesce(a.aggnumdirectargs, 0), p.proretset, p.provolatile = 'i',
       p.provolatile = 'v', p.oid >= 16384, p.pronargdefaults, p.provariadic <> 0,
       (SELECT coalesce(string_agg(format_type(t, NULL), '|' ORDER BY i), '')
          FROM unnest(p.proargtypes) WITH ORDINALITY AS x(t, i)),
       CASE WHEN p.proallargtypes IS NULL AND '' <> ALL (p.proargnames)
            THEN array_to_string(p.proargnames, '|') ELSE '' END
  FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
  LEFT JOIN pg_catalog.pg_aggregate AS a ON a.aggfnoid = p.oid
 WHERE p.prokind <> 'p' AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype,
       'language_handler'::regtype, 'fdw_handler'::regtype, 'internal'::regtype,
       'index_am_handler'::regtype, 'table_am_handler'::regtype, 'tsm_handler'::regtype)
   AND NOT 'internal'::regtype = ANY (p.proargtypes)
   AND n.nspname <> 'information_schema'
 ORDER BY 1, 12)sql";

constexpr const char* kOperators = R"sql(
SELECT 'OPERATOR(' || quote_ident(n.nspname) || '.' || o.oprname || ')',
       CASE WHEN o.oprleft = 0 THEN '' ELSE format_type(o.oprleft, NULL) END,
       format_type(o.oprright, NULL), p.provolatile = 'i', o.oid >= 16384
  FROM pg_catalog.pg_operator AS o JOIN pg_catalog.pg_namespace AS n ON n.oid = o.oprnamespace
  JOIN pg_catalog.pg_proc AS p ON p.oid = o.oprcode
 ORDER BY 1, 2, 3)sql";

constexpr const char* kCasts = R"sql(
SELECT format_type(c.castsource, NULL), format_type(c.casttarget, NULL)
  FROM pg_catalog.pg_cast AS c JOIN pg_catalog.pg_proc AS p ON p.oid = c.castfunc
 WHERE p.provolatile <> 'i' OR c.oid >= 16384 ORDER BY 1, 2)sql";

constexpr const char* kDomains = R"sql(
SELECT DISTINCT format_type(t.oid, NULL) FROM pg_catalog.pg_type AS t
 WHERE t.typtype = 'd' AND t.typnamespace <> 'information_schema'::regnamespace ORDER BY 1)sql";

constexpr const char* kRows = R"sql(
SELECT format_type(t.oid, NULL) FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_class AS c
  ON c.oid = t.typrelid WHERE c.relkind = 'c' ORDER BY 1)sql";

constexpr const char* kRelations = R"sql(
SELECT c.oid::regclass::text FROM pg_catalog.pg_class AS c
 WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND c.relname <> 'program' ORDER BY 1)sql";

constexpr const char* kColumns = R"sql(
SELECT c.oid::regclass::text, quote_ident(a.attname), format_type(a.atttypid, NULL), c.oid >= 16384
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
 WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND c.relname <> 'program' AND a.attnum > 0
   AND NOT a.attisdropped ORDER BY 1, 2)sql";

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '|');) found.push_back(part);
  return found;
}

std::vector<std::string> first_column(const Answer& answer) {
  std::vector<std::string> found;
  for (const auto& row : answer.rows) found.push_back(row.at(0));
  return found;
}

}  // namespace

Catalog::Catalog(Session& admin)
    : domains(first_column(admin.need(kDomains))),
      rows(first_column(admin.need(kRows))),
      relations(first_column(admin.need(kRelations))) {
  for (const auto& row : admin.need(kFunctions).rows)
    functions.push_back({row.at(0), row.at(1), row.at(2).at(0), row.at(3).at(0),
                         std::stoi(row.at(4)), row.at(5) == "t", row.at(6) == "t", row.at(7) == "t",
                         row.at(8) == "t", std::stoi(row.at(9)), row.at(10) == "t",
                         parts(row.at(11)), parts(row.at(12))});
  for (const auto& row : admin.need(kOperators).rows)
    operators.push_back({row.at(0), row.at(1), row.at(2), row.at(3) == "t", row.at(4) == "t"});
  for (const auto& row : admin.need(kColumns).rows)
    columns.push_back({row.at(0), row.at(1), row.at(2), row.at(3) == "t"});
  for (const auto& row : admin.need(kCasts).rows) casts.push_back({row.at(0), row.at(1)});
}

}  // namespace ba::hunt
