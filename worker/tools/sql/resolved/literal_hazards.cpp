// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/literal_hazards.hpp"

#include <cstdlib>
#include <string_view>

#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;

/// Whether a text may be read as an array, a row, a range or a multirange of something.
bool has_parts(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r\v\f");
  return first != std::string::npos &&
         std::string_view("{([").find(text[first]) != std::string::npos;
}

/// What of a statement decides, gathered wherever it stands.
class Look {
 public:
  explicit Look(const LiteralHazards& hazards) : hazards_(hazards) {}

  void walk(const Json& value, const std::string& above) {
    if (value.is_array())
      for (const Json& item : value) walk(item, above);
    if (!value.is_object()) return;
    for (auto item = value.begin(); item != value.end(); ++item) {
      note(item.key(), *item, above);
      const bool node = !item.key().empty() && item.key()[0] >= 'A' && item.key()[0] <= 'Z';
      walk(*item, node ? item.key() : above);
    }
  }

  bool found() const {
    bool whole = stars_;
    for (const std::string& name : alone_)
      whole = whole || tables_.contains(name) || name == "old" || name == "new" ||
              name == "excluded";  // rows that a statement that writes has by itself
    return text_ && (named_ || (row_ && whole));
  }

 private:
  void note(const std::string& key, const Json& body, const std::string& above) {
    if (key == "A_Const" && body.contains("sval"))
      text_ = text_ || has_parts(body["sval"].value("sval", ""));
    if (key == "typeName") note_type(body);
    if (key == "FuncCall") note_name(last_name(body.value("funcname", Json::array())));
    if (key == "A_Expr")
      named_ = named_ || hazards_.operators.contains(last_name(body.value("name", Json::array())));
    if (key == "RangeVar") note_table(body);
    if (key == "relation" && body.is_object() && body.contains("relname")) note_table(body);
    if (key == "ColumnRef") note_column(body.value("fields", Json::array()), above);
    if (key == "A_Indirection")
      for (const Json& part : body.value("indirection", Json::array())) note_name(name_in(part));
  }

  void note_name(const std::string& name) { named_ = named_ || hazards_.names.contains(name); }

  void note_type(const Json& type) {
    const std::string name = last_name(type.value("names", Json::array()));
    named_ = named_ || hazards_.names.contains(name) || hazards_.rows.contains(name) ||
             hazards_.elements.contains(name);  // an array may be made of it anywhere
  }

  void note_table(const Json& body) {
    const std::string name = body.value("relname", "");
    note_name(name);
    row_ = row_ || hazards_.rows.contains(name);
    tables_.insert(name);
    if (body.contains("alias")) tables_.insert(body["alias"].value("aliasname", ""));
  }

  void note_column(const Json& fields, const std::string& above) {
    for (const Json& field : fields) note_name(name_in(field));
    if (fields.size() == 1) alone_.insert(name_in(fields[0]));
    if (!fields.empty() && fields.back().contains("A_Star"))
      stars_ = stars_ || above != "ResTarget";
  }

  const LiteralHazards& hazards_;
  bool text_ = false;
  bool named_ = false;
  bool row_ = false;
  bool stars_ = false;
  std::set<std::string> tables_;
  std::set<std::string> alone_;
};

}  // namespace

/// A check is one where it calls a volatile function, or one of users that is not in C; so is the
/// order of a range's parts, which are compared when it is read. What a check does by a type or an
/// operator, it does by its number: a domain within a check, the order of a type of users, or of
/// what it is made of.
const char* const kLiteralHazards = R"sql(
WITH RECURSIVE doers AS (
  SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
   WHERE p.provolatile = 'v' OR (p.oid >= 16384 AND (l.lanname NOT IN ('c', 'internal')
                                                     OR p.proargdefaults IS NOT NULL))),
mentions(domain, found) AS (
  SELECT DISTINCT k.contypid, called.found[1] FROM pg_catalog.pg_constraint k
    CROSS JOIN LATERAL pg_catalog.regexp_matches(k.conbin::pg_catalog.text, '\m\d{5,10}\M', 'g')
      AS called(found)
   WHERE k.contypid >= 16384 AND k.conbin IS NOT NULL),
used(domain, operator) AS (  -- the planner commutes and negates
  SELECT m.domain, o.oid FROM mentions m JOIN pg_catalog.pg_operator o
      ON o.oid::pg_catalog.text = m.found AND o.oid >= 16384
  UNION SELECT u.domain, next.oid FROM used u JOIN pg_catalog.pg_operator o ON o.oid = u.operator
    CROSS JOIN LATERAL (VALUES (o.oprcom), (o.oprnegate)) AS next(oid) WHERE next.oid <> 0),
compared(domain, type) AS (  -- with what they are made of
  SELECT m.domain, t.oid FROM mentions m JOIN pg_catalog.pg_type t
      ON t.oid::pg_catalog.text = m.found AND t.oid >= 16384
  UNION SELECT c.domain, part.oid FROM compared c JOIN pg_catalog.pg_type y ON y.oid = c.type
    CROSS JOIN LATERAL (
      SELECT y.typbasetype UNION ALL SELECT y.typelem
      UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
       WHERE y.typtype = 'c' AND a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = y.oid) AS part(oid)
   WHERE part.oid <> 0),
ordered(domain, family) AS (
  SELECT c.domain, o.opcfamily FROM compared c JOIN pg_catalog.pg_opclass o
      ON o.opcintype = c.type AND o.opcdefault AND o.opcmethod IN (403, 405) AND o.oid >= 16384
  UNION SELECT u.domain, m.amopfamily FROM used u JOIN pg_catalog.pg_amop m
      ON m.amopopr = u.operator AND m.amopmethod IN (403, 405)),
bad(oid, held) AS (
  (SELECT k.contypid, false FROM pg_catalog.pg_constraint k
     CROSS JOIN LATERAL pg_catalog.regexp_matches(
       k.conbin::pg_catalog.text, ':(?:op|)funcid (\d+)', 'g') AS called(found)
     JOIN doers d ON d.oid = called.found[1]::pg_catalog.oid
    WHERE k.contypid >= 16384 AND k.conbin IS NOT NULL
   UNION
   SELECT r.rngtypid, true FROM pg_catalog.pg_range r
     JOIN pg_catalog.pg_opclass c ON c.oid = r.rngsubopc
     JOIN pg_catalog.pg_amproc s ON s.amprocfamily = c.opcfamily
     JOIN doers d ON d.oid IN (s.amproc::pg_catalog.oid, r.rngcanonical::pg_catalog.oid)
    WHERE r.rngtypid >= 16384
   UNION
   SELECT u.domain, false FROM used u JOIN pg_catalog.pg_operator o ON o.oid = u.operator
     JOIN doers d ON d.oid = o.oprcode::pg_catalog.oid
   UNION
   SELECT r.domain, false FROM ordered r CROSS JOIN LATERAL (
       SELECT s.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc s WHERE s.amprocfamily = r.family
       UNION ALL SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_amop m
         JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr WHERE m.amopfamily = r.family
     ) AS called(oid) JOIN doers d ON d.oid = called.oid
   UNION
   SELECT c.domain, false FROM compared c JOIN pg_catalog.pg_cast k
       ON k.castsource = c.type AND k.casttarget IN (114, 3802)
     JOIN doers d ON d.oid = k.castfunc)
  UNION
  SELECT next.oid, next.held FROM bad b CROSS JOIN LATERAL (
    SELECT t.typarray, true FROM pg_catalog.pg_type t WHERE t.oid = b.oid AND t.typarray <> 0
    UNION ALL SELECT t.oid, b.held FROM pg_catalog.pg_type t WHERE t.typbasetype = b.oid
    UNION ALL SELECT m.domain, false FROM mentions m WHERE m.found = b.oid::pg_catalog.text
    UNION ALL SELECT c.reltype, true FROM pg_catalog.pg_attribute a
      JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
     WHERE a.atttypid = b.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.reltype <> 0
    UNION ALL SELECT r.rngtypid, true FROM pg_catalog.pg_range r WHERE r.rngsubtype = b.oid
    UNION ALL SELECT t.oid, true FROM pg_catalog.pg_range r JOIN pg_catalog.pg_type t
        ON t.oid::pg_catalog.text = pg_catalog.to_jsonb(r) ->> 'rngmultitypid'
     WHERE r.rngtypid = b.oid) AS next(oid, held)),
held AS (SELECT DISTINCT oid FROM bad WHERE held),
usable AS (  -- schemas of which the role, or one that it may become, can use the functions
  SELECT n.oid FROM pg_catalog.pg_namespace n WHERE EXISTS (
    SELECT FROM pg_catalog.pg_roles r WHERE pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
       AND pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE')))
SELECT 'type', made.oid::pg_catalog.text FROM pg_catalog.pg_opclass c CROSS JOIN LATERAL (
    SELECT c.opcintype UNION SELECT t.typarray FROM pg_catalog.pg_type t WHERE t.oid = c.opcintype
  ) AS made(oid)
 WHERE c.opcdefault AND c.oid >= 16384 AND made.oid BETWEEN 1 AND 16383
   AND c.opcmethod IN (403, 405)
UNION
SELECT 'system operator', o.oid::pg_catalog.text FROM pg_catalog.pg_operator o
 WHERE o.oid < 16384 AND (o.oprcom >= 16384 OR o.oprnegate >= 16384)
UNION
SELECT 'element', t.typname::pg_catalog.text FROM bad b JOIN pg_catalog.pg_type t ON t.oid = b.oid
UNION
SELECT CASE WHEN c.relkind IN ('r', 'v', 'm', 'f', 'p') THEN 'row' ELSE 'name' END,
       t.typname::pg_catalog.text
  FROM held h JOIN pg_catalog.pg_type t ON t.oid = h.oid
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
UNION
SELECT 'name', c.relname::pg_catalog.text FROM bad b
  JOIN pg_catalog.pg_attribute a ON a.atttypid = b.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind <> 'c'
UNION
SELECT 'name', p.proname::pg_catalog.text FROM (SELECT DISTINCT oid FROM bad) AS b JOIN pg_catalog.pg_proc p
    ON p.prorettype = b.oid OR b.oid = ANY (coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[]))
 WHERE p.pronamespace IN (SELECT oid FROM usable)
UNION
SELECT 'operator', o.oprname::pg_catalog.text FROM bad b
  JOIN pg_catalog.pg_operator o ON b.oid IN (o.oprleft, o.oprright, o.oprresult)
 WHERE o.oprnamespace IN (SELECT oid FROM usable))sql";

bool LiteralHazards::in(const nlohmann::json& body) const {
  Look look(*this);
  look.walk(body, "");
  return look.found();
}

bool HazardSink::row(const Row& row) {
  const std::string kind(row.at(0).value_or(""));
  const std::string name(row.at(1).value_or(""));
  if (kind == "name") hazards_.names.insert(name);
  if (kind == "row") hazards_.rows.insert(name);
  if (kind == "element") hazards_.elements.insert(name);
  if (kind == "operator") hazards_.operators.insert(name);
  const auto oid = static_cast<unsigned>(std::strtoul(name.c_str(), nullptr, 10));
  if (kind == "type") hazards_.extended_types.insert(oid);
  if (kind == "system operator") hazards_.extended_operators.insert(oid);
  return true;
}

}  // namespace ba::sql
