// SPDX-License-Identifier: Apache-2.0
// The questions of catalog_facts.hpp, as SQL.
#include "worker/tools/sql/resolved/catalog_facts.hpp"

namespace ba::sql {
namespace {

/// Behind an operator stand its function and those of the operator families that have it; behind a
/// type those of its parts, its domains' checks, its default orders and hashes, its casts to json
/// (which to_json() looks up by itself) and a range's own; behind an aggregate its transitions, the
/// type of its state and the operator of its order; behind a table what the planner works out of
/// its indexes, checks, partitions and statistics, and the order of its indexes and partitions.
/// Columns of each answer: kind, oid, schema, name, detail, language, tree, body.

/// $1 functions of the system's own, behind which nothing stands. Each is found by its number: a
/// plan that is made once would read all functions otherwise.
const char* const kSystemFunctionFacts = R"sql(
SELECT 'function', p.oid::pg_catalog.text, n.nspname::pg_catalog.text, p.proname::pg_catalog.text,
       p.provolatile::pg_catalog.text || p.prokind::pg_catalog.text, l.lanname::pg_catalog.text,
       NULL::pg_catalog.text, NULL::pg_catalog.text
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS called(oid)
  CROSS JOIN LATERAL (SELECT q.* FROM pg_catalog.pg_proc q WHERE q.oid = called.oid OFFSET 0) AS p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang)sql";

/// $1 functions. A body comes as a tree (prosqlbody, since PostgreSQL 14) or as text. None does of
/// a function that runs with settings or as a role of its own, which may make names mean something
/// else, in it or in what it calls (a path may hold "$user"). Neither form shows how what the body
/// gives becomes the type of the result: the types of results are told, and where a cast may run a
/// function, no body is shown, or the type is told ("cast") from which it would. Defaults of
/// arguments are put in by the planner, so that no tree of a statement has them.
const char* const kFunctionFacts = R"sql(
WITH RECURSIVE called(oid) AS (
  SELECT f.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS f(oid)
  UNION SELECT part.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS own(oid)
    JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = own.oid::pg_catalog.regproc
    CROSS JOIN LATERAL (VALUES
      (a.aggtransfn::pg_catalog.oid), (a.aggfinalfn::pg_catalog.oid),
      (a.aggcombinefn::pg_catalog.oid), (a.aggserialfn::pg_catalog.oid),
      (a.aggdeserialfn::pg_catalog.oid), (a.aggmtransfn::pg_catalog.oid),
      (a.aggminvtransfn::pg_catalog.oid), (a.aggmfinalfn::pg_catalog.oid)) AS part(oid)
   WHERE own.oid >= 16384),
result(function, oid) AS (
  SELECT p.oid, given.oid FROM called
    CROSS JOIN LATERAL (SELECT q.* FROM pg_catalog.pg_proc q WHERE q.oid = called.oid OFFSET 0) AS p
    JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname = 'sql'
    CROSS JOIN LATERAL (
      SELECT p.prorettype UNION SELECT pg_catalog.unnest(p.proallargtypes)) AS given(oid)
   WHERE p.oid >= 16384
  UNION SELECT r.function, part.oid FROM result r JOIN pg_catalog.pg_type y ON y.oid = r.oid
    CROSS JOIN LATERAL (
      SELECT y.typbasetype UNION ALL SELECT y.typelem
      UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
       WHERE y.typtype = 'c' AND a.attrelid = y.typrelid AND a.attnum > 0) AS part(oid)),
cast_result(function, source) AS (
  SELECT r.function, k.castsource FROM result r JOIN pg_catalog.pg_cast k ON k.casttarget = r.oid
    JOIN pg_catalog.pg_proc f ON f.oid = k.castfunc
    JOIN pg_catalog.pg_language l ON l.oid = f.prolang
   WHERE k.castcontext <> 'e' AND f.oid >= 16384
     AND (f.provolatile = 'v' OR l.lanname NOT IN ('c', 'internal')))
SELECT 'function', p.oid::pg_catalog.text, n.nspname::pg_catalog.text, p.proname::pg_catalog.text,
       p.provolatile::pg_catalog.text || p.prokind::pg_catalog.text, l.lanname::pg_catalog.text,
       CASE WHEN seen.whole THEN pg_catalog.to_jsonb(p) ->> 'prosqlbody' END,
       CASE WHEN seen.whole AND p.prokind = 'f'
            THEN pg_catalog.jsonb_build_object(
                   'body', p.prosrc, 'types', p.proargtypes::pg_catalog.oid[],
                   'names', coalesce(p.proargnames, '{}'), 'modes', p.proargmodes)
                 ::pg_catalog.text END
  FROM called
  CROSS JOIN LATERAL (SELECT q.* FROM pg_catalog.pg_proc q WHERE q.oid = called.oid OFFSET 0) AS p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  CROSS JOIN LATERAL (
    SELECT p.oid >= 16384 AND l.lanname = 'sql' AND p.proconfig IS NULL AND NOT p.prosecdef
       AND NOT EXISTS (SELECT FROM cast_result c WHERE c.function = p.oid AND c.source < 16384)
    ) AS seen(whole)
UNION ALL
SELECT 'default', '', '', '', '', '', p.proargdefaults::pg_catalog.text, NULL FROM called
  CROSS JOIN LATERAL (SELECT q.* FROM pg_catalog.pg_proc q WHERE q.oid = called.oid OFFSET 0) AS p
 WHERE p.oid >= 16384 AND p.proargdefaults IS NOT NULL
UNION ALL
SELECT DISTINCT 'type', r.oid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM result r WHERE r.oid >= 16384
UNION ALL
SELECT DISTINCT 'cast', y.oid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM cast_result c JOIN pg_catalog.pg_type y ON c.source IN (y.oid, y.typelem, y.typbasetype)
 WHERE c.source >= 16384
UNION ALL
SELECT 'operator', a.aggsortop::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS f(oid)
  JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = f.oid::pg_catalog.regproc
 WHERE f.oid >= 16384 AND a.aggsortop >= 16384
UNION ALL
SELECT 'type', state.oid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS f(oid)
  JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = f.oid::pg_catalog.regproc
  CROSS JOIN LATERAL (VALUES (a.aggtranstype), (a.aggmtranstype)) AS state(oid)
 WHERE f.oid >= 16384 AND state.oid >= 16384)sql";

/// $1 operators and $2 types, of users or with something of users behind them. Values are compared
/// by btree (403) and hash (405); the other access methods' functions are in C, and often without a
/// label.
const char* const kTypeFacts = R"sql(
WITH RECURSIVE types(oid) AS (
  SELECT pg_catalog.unnest($2::pg_catalog.oid[])
  UNION
  SELECT part.oid FROM types t JOIN pg_catalog.pg_type y ON y.oid = t.oid
    CROSS JOIN LATERAL (
      SELECT y.typbasetype UNION ALL SELECT y.typelem
      UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
       WHERE y.typtype = 'c' AND a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = y.oid
      UNION ALL SELECT r.rngtypid FROM pg_catalog.pg_range r
       WHERE pg_catalog.to_jsonb(r) ->> 'rngmultitypid' = y.oid::pg_catalog.text) AS part(oid)
   WHERE part.oid >= 16384 OR EXISTS (
     SELECT FROM pg_catalog.pg_opclass c
      WHERE c.opcintype = part.oid AND c.opcdefault AND c.oid >= 16384)),
operators(oid) AS (  -- the planner commutes and negates
  SELECT pg_catalog.unnest($1::pg_catalog.oid[])
  UNION SELECT next.oid FROM operators p JOIN pg_catalog.pg_operator o ON o.oid = p.oid
    CROSS JOIN LATERAL (VALUES (o.oprcom), (o.oprnegate)) AS next(oid) WHERE next.oid <> 0),
families(oid) AS (
  SELECT m.amopfamily FROM operators p JOIN pg_catalog.pg_amop m ON m.amopopr = p.oid
   WHERE m.amopmethod IN (403, 405)
  UNION SELECT c.opcfamily FROM types t
    JOIN pg_catalog.pg_opclass c ON c.opcintype = t.oid AND c.opcdefault
     AND c.opcmethod IN (403, 405)
  UNION SELECT c.opcfamily FROM types t JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid
    JOIN pg_catalog.pg_opclass c ON c.oid = r.rngsubopc),
called(oid) AS (
  SELECT o.oprcode::pg_catalog.oid FROM operators p JOIN pg_catalog.pg_operator o ON o.oid = p.oid
  UNION SELECT s.amproc::pg_catalog.oid FROM families f
    JOIN pg_catalog.pg_amproc s ON s.amprocfamily = f.oid
  UNION SELECT o.oprcode::pg_catalog.oid FROM families f
    JOIN pg_catalog.pg_amop m ON m.amopfamily = f.oid
    JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr AND o.oprcode >= 16384
  UNION SELECT c.castfunc FROM types t JOIN pg_catalog.pg_cast c ON c.castsource = t.oid
   WHERE c.casttarget IN (114, 3802)
  UNION SELECT own.oid FROM types t JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid
    CROSS JOIN LATERAL (VALUES (r.rngcanonical::pg_catalog.oid),
                               (r.rngsubdiff::pg_catalog.oid)) AS own(oid))
SELECT 'called', c.oid::pg_catalog.text, '', '', '', '', NULL::pg_catalog.text, NULL
  FROM called c WHERE c.oid <> 0
UNION ALL
SELECT 'check', k.oid::pg_catalog.text, '', k.conname::pg_catalog.text, '', '',
       k.conbin::pg_catalog.text, NULL
  FROM types t JOIN pg_catalog.pg_constraint k ON k.contypid = t.oid AND k.conbin IS NOT NULL)sql";

/// $1 relations. Behind the kind of each: h, it has parts or heirs; u, the role may not
/// read it; g, it has row security; b, it is a barrier. Stored trees don't show the last two.
const char* const kRelationFacts = R"sql(
WITH RECURSIVE below(root, oid) AS (
  SELECT t.oid, t.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS t(oid) WHERE t.oid >= 16384
  UNION SELECT b.root, i.inhrelid FROM below b
    JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid),
parts(oid) AS (SELECT DISTINCT b.oid FROM below b),
above(oid) AS (
  SELECT t.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS t(oid) WHERE t.oid >= 16384
  UNION SELECT i.inhparent FROM above a JOIN pg_catalog.pg_inherits i ON i.inhrelid = a.oid)
SELECT 'relation', c.oid::pg_catalog.text, n.nspname::pg_catalog.text, c.relname::pg_catalog.text,
       c.relkind::pg_catalog.text
         || CASE WHEN c.oid >= 16384 AND EXISTS (
                   SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
                 THEN 'h' ELSE '' END
         || CASE WHEN pg_catalog.has_table_privilege(c.oid, 'SELECT') THEN '' ELSE 'u' END
         || CASE WHEN c.relrowsecurity THEN 'g' ELSE '' END
         || CASE WHEN pg_catalog.array_to_string(c.reloptions, ' ') LIKE '%security_barrier=%'
                 THEN 'b' ELSE '' END,
       (SELECT max(CASE WHEN f.ftoptions::pg_catalog.text LIKE '%program=%' THEN 'program'
                        ELSE 'foreign' END)
          FROM below b JOIN pg_catalog.pg_foreign_table f ON f.ftrelid = b.oid
         WHERE b.root = c.oid), NULL::pg_catalog.text, NULL::pg_catalog.text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.oid = ANY ($1::pg_catalog.oid[])
UNION ALL  -- a foreign table reads its rows as texts, by the types of its columns, asked for or not
SELECT DISTINCT 'type', a.atttypid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM parts p JOIN pg_catalog.pg_foreign_table f ON f.ftrelid = p.oid
  JOIN pg_catalog.pg_attribute a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped
   AND a.atttypid >= 16384
UNION ALL
SELECT 'planned', '', '', '', '', '', d.adbin::pg_catalog.text, NULL
  FROM parts p JOIN pg_catalog.pg_foreign_table f ON f.ftrelid = p.oid
  JOIN pg_catalog.pg_attrdef d ON d.adrelid = p.oid
UNION ALL
SELECT 'planned', '', '', '', '', '', part.tree, NULL FROM parts p
  CROSS JOIN LATERAL (
    SELECT i.indexprs::pg_catalog.text FROM pg_catalog.pg_index i WHERE i.indrelid = p.oid
    UNION SELECT i.indpred::pg_catalog.text FROM pg_catalog.pg_index i WHERE i.indrelid = p.oid
    UNION SELECT k.conbin::pg_catalog.text FROM pg_catalog.pg_constraint k WHERE k.conrelid = p.oid
    UNION SELECT pg_catalog.to_jsonb(x) ->> 'stxexprs' FROM pg_catalog.pg_statistic_ext x
     WHERE x.stxrelid = p.oid) AS part(tree)
 WHERE part.tree IS NOT NULL
UNION ALL
SELECT 'planned', '', '', '', '', '', t.partexprs::pg_catalog.text, NULL FROM above a
  JOIN pg_catalog.pg_partitioned_table t ON t.partrelid = a.oid AND t.partexprs IS NOT NULL
UNION ALL
SELECT 'called', own.oid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM (SELECT p.oid FROM parts p UNION SELECT a.oid FROM above a) AS one
  JOIN pg_catalog.pg_partitioned_table t ON t.partrelid = one.oid
  JOIN pg_catalog.pg_opclass c ON c.oid = ANY (t.partclass)
  CROSS JOIN LATERAL (
    SELECT s.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc s
     WHERE s.amprocfamily = c.opcfamily
    UNION SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_amop m
      JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr
     WHERE m.amopfamily = c.opcfamily) AS own(oid)
 WHERE own.oid >= 16384
UNION ALL
SELECT 'called', own.oid::pg_catalog.text, '', '', '', '', NULL, NULL
  FROM parts p JOIN pg_catalog.pg_index i ON i.indrelid = p.oid
  JOIN pg_catalog.pg_opclass c ON c.oid = ANY (i.indclass) AND c.oid >= 16384
  CROSS JOIN LATERAL (
    SELECT s.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc s
     WHERE s.amprocfamily = c.opcfamily
    UNION SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_amop m
      JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr
     WHERE m.amopfamily = c.opcfamily) AS own(oid)
  JOIN pg_catalog.pg_proc f ON f.oid = own.oid
  JOIN pg_catalog.pg_language l ON l.oid = f.prolang AND l.lanname NOT IN ('c', 'internal')
 WHERE own.oid >= 16384)sql";

/// $1 views, and tables with row security, in stored expressions.
const char* const kStoredFacts = R"sql(
SELECT 'view', r.ev_class::pg_catalog.text, '', r.rulename::pg_catalog.text, '', '',
       r.ev_action::pg_catalog.text, NULL
  FROM pg_catalog.pg_rewrite r WHERE r.ev_class = ANY ($1::pg_catalog.oid[]) AND r.ev_type = '1'
UNION ALL
SELECT 'policy', p.polrelid::pg_catalog.text, '', p.polname::pg_catalog.text, '', '',
       p.polqual::pg_catalog.text, NULL
  FROM pg_catalog.pg_policy p
 WHERE p.polrelid = ANY ($1::pg_catalog.oid[]) AND p.polqual IS NOT NULL)sql";

}  // namespace

const std::vector<std::pair<std::string, std::string>>& catalog_statements() {
  static const std::vector<std::pair<std::string, std::string>> kStatements{
      {"ba_system_functions", kSystemFunctionFacts},
      {"ba_functions", kFunctionFacts},
      {"ba_types", kTypeFacts},
      {"ba_relations", kRelationFacts},
      {"ba_stored", kStoredFacts}};
  return kStatements;
}

}  // namespace ba::sql
