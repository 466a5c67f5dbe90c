// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/write_reach.hpp"

#include <algorithm>
#include <cstdlib>

#include "pipeline/base/joined.hpp"

namespace ba::sql {
namespace {

bool lists(const std::vector<std::string>& tables, const std::string& name) {
  return std::ranges::any_of(tables, [&](const auto& one) { return with_schema(one) == name; });
}

std::string array_of(const std::vector<std::string>& values) {
  return "{" + joined(values, ",") + "}";
}

}  // namespace

/// $1 targets and $2 what is done to each (2 UPDATE, 3 INSERT, 4 DELETE); $3 and $4: each column
/// that an UPDATE sets, as the target and the column's number; $5: targets with ONLY.
///
/// Before 15, what a partition has of its table's triggers counts as the system's own.
/// tgtype: 4 INSERT, 8 DELETE, 16 UPDATE, which may move a row from one partition to another. A
/// partition is part of its table; a table that inherits is one of its own. Only an UPDATE of a
/// key's own columns cascades. A column that an INSERT leaves out gets a null, which its domain
/// checks; a row that an UPDATE changes goes into the indexes of its other columns, too. Functions
/// in C that keep an index in order are the access method's own business.
const char* const kWriteReach = R"sql(
WITH RECURSIVE asked AS (
  SELECT t.relation, t.command
    FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[]))
         AS t(relation, command)),
columns AS (
  SELECT t.relation, t.number
    FROM ROWS FROM (pg_catalog.unnest($3::pg_catalog.oid[]), pg_catalog.unnest($4::pg_catalog.int2[]))
         AS t(relation, number)),
touched(relation, command, own, root) AS (
  SELECT relation, command, true, relation FROM asked
  UNION
  SELECT next.relation, next.command, next.own, next.root FROM touched t CROSS JOIN LATERAL (
    SELECT i.inhrelid, t.command, t.own AND h.relispartition,
           CASE WHEN h.relispartition THEN t.root ELSE i.inhrelid END
      FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class h ON h.oid = i.inhrelid
     WHERE i.inhparent = t.relation AND (h.relispartition OR t.command <> 3)
       AND NOT (t.own AND t.root = ANY ($5::pg_catalog.oid[]))
    UNION ALL
    SELECT k.conrelid,
           CASE WHEN (t.command = 4 OR moves.rows) AND k.confdeltype = 'c' THEN 4 ELSE 2 END, false,
           k.conrelid
      FROM pg_catalog.pg_constraint k
      CROSS JOIN LATERAL (  -- before 15, a row that an UPDATE moves to another part is deleted there
        SELECT t.command = 2 AND pg_catalog.current_setting('server_version_num')::integer < 150000
           AND EXISTS (SELECT 1 FROM pg_catalog.pg_class p
                        WHERE p.oid = t.relation AND (p.relkind = 'p' OR p.relispartition))
        ) AS moves(rows)
     WHERE k.contype = 'f' AND k.confrelid = t.relation
       AND (((t.command = 4 OR moves.rows) AND k.confdeltype IN ('c', 'n', 'd'))
            OR (t.command = 2 AND k.confupdtype IN ('c', 'n', 'd')
                AND (NOT t.own OR EXISTS (SELECT 1 FROM columns c
                      WHERE c.relation = t.root AND c.number = ANY (k.confkey))
                     OR EXISTS (SELECT 1 FROM pg_catalog.pg_attribute g  -- it changes with others
                      WHERE g.attrelid = k.confrelid AND g.attnum = ANY (k.confkey)
                        AND g.attgenerated <> ''))))
    ) AS next(relation, command, own, root)),
relations AS (SELECT DISTINCT relation FROM touched),
keys AS (  -- whatever a key's action, the server plans over both tables and compares their columns
  SELECT k.conrelid, k.confrelid, a.atttypid AS type, k.conpfeqop || k.conppeqop || k.conffeqop AS operators
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_attribute a ON (a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey))
      OR (a.attrelid = k.confrelid AND a.attnum = ANY (k.confkey))
   WHERE k.contype = 'f' AND (k.conrelid IN (SELECT relation FROM relations)
                              OR k.confrelid IN (SELECT relation FROM relations)))
SELECT 'changed', '', n.nspname || '.' || c.relname, NULL::pg_catalog.text
  FROM touched t JOIN pg_catalog.pg_class c ON c.oid = t.root
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.own
UNION ALL
SELECT 'trigger', pn.nspname || '.' || p.proname,
       g.tgname || ' of ' || n.nspname || '.' || c.relname, NULL
  FROM touched t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.relation
  JOIN pg_catalog.pg_class c ON c.oid = t.relation
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
  JOIN pg_catalog.pg_namespace pn ON pn.oid = p.pronamespace
 WHERE (NOT g.tgisinternal OR p.oid >= 16384) AND g.tgenabled <> 'D'
   AND (g.tgtype & CASE WHEN t.command = 3 THEN 4 WHEN t.command = 4 THEN 8
                        WHEN c.relispartition THEN 28 ELSE 16 END) <> 0
UNION ALL
SELECT 'dump', '', '', g.tgqual::pg_catalog.text FROM relations t
  JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.relation AND g.tgqual IS NOT NULL
UNION ALL
SELECT 'rule', '', r.rulename || ' of ' || n.nspname || '.' || c.relname, NULL
  FROM touched t JOIN pg_catalog.pg_rewrite r ON r.ev_class = t.relation
  JOIN pg_catalog.pg_class c ON c.oid = t.relation
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE NOT t.own AND r.ev_type = t.command::pg_catalog.text
UNION ALL
SELECT 'dump', '', '', k.conbin::pg_catalog.text FROM relations t
  JOIN pg_catalog.pg_constraint k ON k.conrelid = t.relation AND k.conbin IS NOT NULL
UNION ALL
SELECT 'dump', '', '', d.adbin::pg_catalog.text FROM relations t
  JOIN pg_catalog.pg_attrdef d ON d.adrelid = t.relation
  JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
 WHERE a.attgenerated <> ''
UNION ALL
SELECT 'dump', '', '', d.adbin::pg_catalog.text FROM touched t
  JOIN pg_catalog.pg_constraint k ON k.conrelid = t.relation AND k.contype = 'f'
   AND 'd' IN (k.confdeltype, k.confupdtype)
  JOIN pg_catalog.pg_attrdef d ON d.adrelid = t.relation AND d.adnum = ANY (k.conkey)
 WHERE NOT t.own
UNION ALL
SELECT 'dump', '', '', y.typdefaultbin::pg_catalog.text FROM touched t
  JOIN pg_catalog.pg_constraint k ON k.conrelid = t.relation AND k.contype = 'f'
   AND 'd' IN (k.confdeltype, k.confupdtype)
  JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation AND a.attnum = ANY (k.conkey)
  JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
 WHERE NOT t.own AND y.typdefaultbin IS NOT NULL
UNION ALL
SELECT 'dump', '', '', part.tree FROM relations t
  JOIN pg_catalog.pg_index i ON i.indrelid = t.relation
  CROSS JOIN LATERAL (VALUES (i.indexprs::pg_catalog.text), (i.indpred::pg_catalog.text))
    AS part(tree) WHERE part.tree IS NOT NULL
UNION ALL
SELECT 'dump', '', '', p.partexprs::pg_catalog.text FROM relations t
  JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = t.relation AND p.partexprs IS NOT NULL
UNION ALL
SELECT 'called', o.oprcode::pg_catalog.oid::pg_catalog.text, '', NULL
  FROM relations t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.relation AND k.contype = 'x'
  JOIN pg_catalog.pg_operator o ON o.oid = ANY (k.conexclop) AND o.oid >= 16384
UNION ALL
SELECT 'called', p.oid::pg_catalog.text, '', NULL
  FROM (SELECT t.relation, i.indclass FROM relations t
          JOIN pg_catalog.pg_index i ON i.indrelid = t.relation
        UNION ALL SELECT t.relation, k.partclass FROM relations t
          JOIN pg_catalog.pg_partitioned_table k ON k.partrelid = t.relation)
       AS ordered(relation, classes)
  JOIN pg_catalog.pg_opclass c ON c.oid = ANY (ordered.classes)
  JOIN pg_catalog.pg_amproc s ON s.amprocfamily = c.opcfamily
  JOIN pg_catalog.pg_proc p ON p.oid = s.amproc
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname NOT IN ('c', 'internal')
 WHERE p.oid >= 16384
UNION ALL
SELECT DISTINCT 'type', a.atttypid::pg_catalog.text, '', NULL
  FROM touched t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation
 WHERE (t.command = 3 OR NOT t.own OR (t.command = 2 AND EXISTS (
          SELECT FROM pg_catalog.pg_index i
           WHERE i.indrelid = t.relation AND a.attnum = ANY (i.indkey))))
   AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= 16384
UNION ALL
SELECT DISTINCT 'type', k.type::pg_catalog.text, '', NULL FROM keys k WHERE k.type >= 16384
UNION ALL
SELECT DISTINCT 'planned', ends.oid::pg_catalog.text, '', NULL FROM keys k
  CROSS JOIN LATERAL (VALUES (k.conrelid), (k.confrelid)) AS ends(oid)
UNION ALL
SELECT 'called', own.oid::pg_catalog.text, '', NULL FROM keys k CROSS JOIN LATERAL (
    SELECT c.castfunc FROM pg_catalog.pg_type y
      JOIN pg_catalog.pg_cast c ON c.castsource IN (y.oid, y.typbasetype) AND c.castcontext = 'i'
     WHERE y.oid = k.type
    UNION SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator o
     WHERE o.oid = ANY (k.operators)) AS own(oid)
 WHERE own.oid >= 16384
UNION ALL
SELECT 'sequence', d.objid::pg_catalog.text, '', NULL FROM relations t
  JOIN pg_catalog.pg_depend d ON d.refobjid = t.relation AND d.deptype IN ('a', 'i')
   AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
   AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S')sql";

std::vector<std::string> reach_parameters(const ResolvedStatement& statement) {
  std::vector<std::string> relations, commands, columns_of, columns;
  for (const auto& [relation, done] : statement.targets)
    for (const unsigned command : done) {
      relations.push_back(std::to_string(relation));
      commands.push_back(std::to_string(command));
    }
  for (const auto& [relation, numbers] : statement.written_columns)
    for (const unsigned number : numbers) {
      columns_of.push_back(std::to_string(relation));
      columns.push_back(std::to_string(number));
    }
  std::vector<std::string> only;
  for (const Oid32 relation : statement.only) only.push_back(std::to_string(relation));
  return {array_of(relations), array_of(commands), array_of(columns_of), array_of(columns),
          array_of(only)};
}

bool ReachSink::row(const Row& row) {
  const auto text = [&row](std::size_t i) { return std::string(row.at(i).value_or("")); };
  const std::string kind = text(0);
  const std::string called = text(1);
  const std::string name = text(2);
  if (kind == "changed") reach_.changed.insert(name);
  if (kind == "trigger" && !rules_.functions.contains(called) && !called.starts_with("pg_catalog."))
    reach_.triggers.insert("trigger " + name + ", which calls " + called + "()");
  if (kind == "rule") reach_.rules.insert("rule " + name);
  if (kind == "dump") reach_.dumps.push_back(text(3));
  const auto oid = static_cast<Oid32>(std::strtoul(called.c_str(), nullptr, 10));
  if (kind == "sequence") reach_.sequences.insert(oid);
  if (kind == "type") reach_.types.insert(oid);
  if (kind == "called") reach_.called.insert(oid);
  if (kind == "planned") reach_.planned.insert(oid);
  return true;
}

Refusal refusal_of_reach(const StatementVerdict& verdict, const WriteReach& reach,
                         const ReachRules& rules) {
  for (const auto& [oid, commands] : verdict.resolved.targets) {
    const auto fact = verdict.facts.relations.find(oid);
    const std::string name =
        fact == verdict.facts.relations.end() ? "a table" : fact->second.qualified();
    if (!lists(rules.tables, name))
      return not_allowed("The statement would write to " + name +
                         " (by a rule, or a view over it), which is not allowed. Tables that may "
                         "be written: " +
                         joined(rules.tables));
  }
  std::set<std::string> beyond;
  for (const std::string& table : reach.changed)
    if (!lists(rules.tables, table) && !lists(rules.also_changes, table)) beyond.insert(table);
  if (!beyond.empty())
    return not_allowed("The statement would also change " + joined(beyond) +
                       " by foreign keys that cascade, or as tables that inherit, which is not "
                       "allowed. An operator can list "
                       "it under 'also_changes' of this data source");
  std::set<std::string> hidden = reach.triggers;
  hidden.insert(reach.rules.begin(), reach.rules.end());
  if (!hidden.empty())
    return not_allowed(
        "The statement would run code that can't be checked: " + joined(hidden) +
        ". An operator can list the functions that it calls under 'functions' of this data source");
  for (const Oid32 sequence : verdict.resolved.sequences) {
    const auto fact = verdict.facts.relations.find(sequence);
    const std::string name =
        fact == verdict.facts.relations.end() ? "a sequence" : fact->second.qualified();
    if (!reach.sequences.contains(sequence) && !lists(rules.also_changes, name))
      return not_allowed("The statement would advance the sequence " + name +
                         ", which belongs to no column of its table. An operator can list it "
                         "under 'also_changes' of this data source");
  }
  return std::nullopt;
}

std::string with_schema(const std::string& table) {
  return table.find('.') == std::string::npos ? "public." + table : table;
}

}  // namespace ba::sql
