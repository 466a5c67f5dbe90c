// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/generator.hpp"

#include <algorithm>
#include <iterator>

#include "tests/worker/tools/sql/hunt/values.hpp"

namespace ba::hunt {
namespace {

constexpr int kDepth = 3;
constexpr std::size_t kWritesOneIn = 4;

/// Tables with columns of many types, which every SELECT of the random part reads.
const std::string kFrom = " FROM orders AS o JOIN customers AS c ON c.id = o.customer_id";

const std::vector<std::string>& columns() {
  static const std::vector<std::string> kColumns{
      "o.id",   "o.amount", "o.placed",  "o.state", "o.note",   "o.discount", "o.net",
      "c.name", "c.tags",   "c.profile", "c.born",  "c.active", "c.country",  "o.ctid"};
  return kColumns;
}

}  // namespace

Generator::Generator(const Catalog& catalog, const std::vector<Target>& targets, std::uint64_t seed)
    : catalog_(catalog), targets_(targets), seed_(seed) {
  add_functions();
  add_rest();
  reads_ = singles_.size();
  for (std::size_t i = 0; i < targets_.size(); ++i)
    for (const Form form :
         {Form::InsertAll, Form::InsertLeast, Form::InsertConflict, Form::Update, Form::Delete})
      singles_.push_back({form, i});
}

bool Generator::drawn_alone(const Function& function) const {
  return function.foreign || !function.immutable;
}

void Generator::add_functions() {
  for (std::size_t i = 0; i < catalog_.functions.size(); ++i) {
    const Function& function = catalog_.functions[i];
    const std::size_t needed = function.types.size() - static_cast<std::size_t>(function.defaults);
    if (function.kind == 'f' && function.immutable && !function.foreign) immutable_.push_back(i);
    if (!drawn_alone(function) && function.kind == 'f') continue;
    std::vector<Form> forms;
    if (function.kind == 'f') {
      forms = {Form::Call, Form::NullCall, Form::From};
      if (!function.types.empty() && needed <= 1) forms.push_back(Form::Attribute);
      if (!function.names.empty()) forms.push_back(Form::Named);
      if (function.variadic) forms.push_back(Form::Variadic);
    } else if (function.aggregate != 'n' && function.aggregate != 'o') {
      forms = {Form::Within};
    } else if (function.aggregate == 'o') {
      forms = {Form::Within};
    } else if (function.kind == 'a') {
      forms = {Form::Aggregate, Form::Window, Form::Filter};
    } else {
      forms = {Form::Window};
    }
    for (const Form form : forms) singles_.push_back({form, i});
  }
}

void Generator::add_rest() {
  for (std::size_t i = 0; i < catalog_.operators.size(); ++i)
    if (catalog_.operators[i].foreign || !catalog_.operators[i].immutable)
      singles_.push_back({Form::Infix, i});
  for (std::size_t i = 0; i < catalog_.casts.size(); ++i) singles_.push_back({Form::Explicit, i});
  for (std::size_t i = 0; i < catalog_.domains.size(); ++i)
    for (const Form form : {Form::Domain, Form::DomainLiteral, Form::DomainRecord})
      singles_.push_back({form, i});
  for (std::size_t i = 0; i < catalog_.rows.size(); ++i) singles_.push_back({Form::RowLiteral, i});
  for (std::size_t i = 0; i < catalog_.relations.size(); ++i)
    for (const Form form : {Form::Relation, Form::Count}) singles_.push_back({form, i});
  for (std::size_t i = 0; i < catalog_.columns.size(); ++i)
    if (catalog_.columns[i].foreign)
      for (const ColumnUse use : kColumnUses) singles_.push_back({Form::OfColumn, i, use});
}

std::string Generator::arguments(const Function& function, Dice& dice, bool nulls) const {
  std::string list;
  for (const std::string& type : function.types)
    list += (list.empty() ? "" : ", ") + (nulls ? null_of(type) : value_of(type, dice));
  return list;
}

std::string Generator::of_function(Form form, const Function& function, Dice& dice) const {
  const std::string given = arguments(function, dice, form == Form::NullCall);
  const std::string call = function.name + "(" + given + ")";
  switch (form) {
    case Form::Attribute:
      return "(" + value_of(function.types.at(0), dice) + ")." + function.bare;
    case Form::Named: {
      std::string list;
      for (std::size_t i = 0; i < function.types.size(); ++i)
        list += (i ? ", " : "") + (i < function.names.size() ? function.names[i] + " => " : "") +
                value_of(function.types[i], dice);
      return function.name + "(" + list + ")";
    }
    case Form::Variadic: {
      const std::size_t last = given.rfind(", (");
      const std::size_t at = last == std::string::npos ? 0 : last + 2;
      return function.name + "(" + given.substr(0, at) + "VARIADIC " + given.substr(at) + ")";
    }
    case Form::From:
      return "(SELECT count(*) FROM " + call + " AS f)";
    case Form::Aggregate:
      return "(SELECT " + call + " FROM codes)";
    case Form::Window:
      return "(SELECT " + call + " OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)" +
             " FROM codes LIMIT 1)";
    case Form::Filter:
      return "(SELECT " + call + " FILTER (WHERE n > 0) FROM codes)";
    case Form::Within: {
      std::string direct;
      std::string ordered;
      for (std::size_t i = 0; i < function.types.size(); ++i) {
        std::string& list = static_cast<int>(i) < function.direct ? direct : ordered;
        list += (list.empty() ? "" : ", ") + value_of(function.types[i], dice);
      }
      return "(SELECT " + function.name + "(" + direct + ") WITHIN GROUP (ORDER BY " +
             (ordered.empty() ? "n" : ordered) + ") FROM codes)";
    }
    default:
      return function.rows ? "(SELECT x FROM (SELECT " + call + " LIMIT 1) AS s(x))" : call;
  }
}

std::string Generator::of_type(Form form, std::size_t index, Dice& dice) const {
  switch (form) {
    case Form::Explicit: {
      const Cast& cast = catalog_.casts[index];
      return "(" + value_of(cast.from, dice) + "::" + cast.to + ")";
    }
    case Form::Domain:
      return "(" + value_of("integer", dice) + "::" + catalog_.domains[index] + ")";
    case Form::DomainLiteral:
      return "('{5}'::" + catalog_.domains[index] + "[])";
    case Form::DomainRecord:
      return "(SELECT count(n) FROM jsonb_to_recordset('[{\"n\": 5}]') AS x(n " +
             catalog_.domains[index] + "))";
    case Form::RowLiteral:
      return "('(5,x)'::" + catalog_.rows[index] + ")";
    case Form::Relation:
      return "(SELECT x FROM (SELECT r::text AS x FROM " + catalog_.relations[index] +
             " AS r LIMIT 3) AS s LIMIT 1)";
    default:
      return "(SELECT count(*) FROM " + catalog_.relations[index] + ")";
  }
}

std::string Generator::of_column(const Single& single, Dice& dice) const {
  const ColumnUse use = single.use == ColumnUse::Explain ? ColumnUse::Equals : single.use;
  return select_with(catalog_.columns[single.index], use, dice);
}

std::string Generator::scalar(const Single& single, Dice& dice) const {
  if (single.form == Form::OfColumn)
    return "(SELECT count(*) FROM (" + of_column(single, dice) + ") AS s)";
  if (single.form == Form::Infix) {
    const Operator& op = catalog_.operators[single.index];
    const std::string left = op.left.empty() ? "" : value_of(op.left, dice) + " ";
    return "(" + left + op.name + " " + value_of(op.right, dice) + ")";
  }
  if (single.form >= Form::Explicit) return of_type(single.form, single.index, dice);
  return of_function(single.form, catalog_.functions[single.index], dice);
}

std::string Generator::alone(const Single& single, Dice& dice) const {
  if (single.form == Form::OfColumn)
    return select_with(catalog_.columns[single.index], single.use, dice);
  if (single.form == Form::Relation)
    return "SELECT * FROM " + catalog_.relations[single.index] + " LIMIT 20";
  return "SELECT " + scalar(single, dice);
}

std::string Generator::written(const Single& single, Dice& dice) const {
  const Target& target = targets_[single.index];
  const std::string& first = target.columns.front().name;
  if (single.form == Form::Delete)
    return "DELETE FROM " + target.name + " WHERE " + first + " IS NOT NULL";
  if (single.form == Form::Update) {
    std::vector<Column> settable;
    for (const Column& column : target.columns)
      if (!column.generated) settable.push_back(column);
    const Column& column = dice.of(settable);
    return "UPDATE " + target.name + " SET " + column.name + " = " + value_for(column, dice) +
           " WHERE " + first + " IS NOT NULL";
  }
  std::string names;
  std::string values;
  for (const Column& column : target.columns) {
    if (column.generated || (single.form == Form::InsertLeast && !column.needed)) continue;
    names += (names.empty() ? "" : ", ") + column.name;
    values += (values.empty() ? "" : ", ") + value_for(column, dice);
  }
  if (names.empty()) return "INSERT INTO " + target.name + " DEFAULT VALUES";
  return "INSERT INTO " + target.name + " (" + names + ") VALUES (" + values + ")" +
         (single.form == Form::InsertConflict ? " ON CONFLICT DO NOTHING" : "");
}

/// Anything, made a value of the type by standing in a condition.
std::string Generator::typed(const std::string& type, Dice& dice, int depth) const {
  if (depth <= 0 || dice.one_in(3)) return value_of(type, dice);
  const std::string inner = expression(dice, depth - 1);
  if (dice.one_in(3))
    return "(SELECT " + value_of(type, dice) + " FROM (SELECT " + inner + ") AS q(v))";
  return "(CASE WHEN " + inner + " IS NULL THEN " + null_of(type) + " ELSE " +
         value_of(type, dice) + " END)";
}

std::string Generator::expression(Dice& dice, int depth) const {
  if (depth <= 0) return dice.one_in(2) ? dice.of(columns()) : value_of("integer", dice);
  const auto inner = [&] { return expression(dice, depth - 1); };
  switch (dice.below(22)) {
    case 0:
    case 1:
    case 2:
      return scalar(singles_[dice.below(reads_)], dice);
    case 3:
    case 4: {
      const Function& function = catalog_.functions[dice.of(immutable_)];
      std::string list;
      for (const std::string& type : function.types)
        list += (list.empty() ? "" : ", ") + typed(type, dice, depth - 1);
      const std::string call = function.name + "(" + list + ")";
      return function.rows ? "(SELECT count(*) FROM " + call + " AS f)" : call;
    }
    case 5: {
      const Operator& op = dice.of(catalog_.operators);
      const std::string left = op.left.empty() ? "" : typed(op.left, dice, depth - 1) + " ";
      return "(" + left + op.name + " " + typed(op.right, dice, depth - 1) + ")";
    }
    case 6:
      return "coalesce(" + typed("text", dice, depth) + ", " + typed("text", dice, depth) + ")";
    case 7:
      return "(CASE WHEN " + inner() + " IS NULL THEN 1 ELSE 2 END)";
    case 8:
      return "(ARRAY[" + typed("integer", dice, depth) + ", 2])[1]";
    case 9:
      return "ROW(" + inner() + ", " + inner() + ")";
    case 10:
      return "(" + inner() + ")::text";
    case 11:
      return "(" + typed("integer", dice, depth) + " IN (1, " + typed("integer", dice, depth) +
             "))";
    case 12:
      return "(" + typed("text", dice, depth) + " IS DISTINCT FROM " + typed("text", dice, depth) +
             ")";
    case 13:
      return "(" + typed("numeric", dice, depth) + " BETWEEN 0 AND " +
             typed("numeric", dice, depth) + ")";
    case 14:
      return "json_build_array(" + inner() + ", " + inner() + ")";
    case 15:
      return "format('%s %s', " + inner() + ", " + inner() + ")";
    case 16:
      return "xmlelement(name e, " + typed("text", dice, depth) + ")";
    case 17:
      return "greatest(" + typed("integer", dice, depth) + ", nullif(" +
             typed("integer", dice, depth) + ", 1))";
    case 18:
      return "EXISTS (" + select(dice, depth - 1) + ")";
    case 19:
      return "(NOT " + typed("boolean", dice, depth) + " OR " + typed("boolean", dice, depth) + ")";
    case 20:
      return "(" + typed("integer", dice, depth) + " = ANY (ARRAY[1, 2]))";
    default:
      return dice.of(columns());
  }
}

/// Over any table or view, with any of its columns, and a condition that reads others.
std::string Generator::select_of_a_column(const std::string& condition, Dice& dice) const {
  const TableColumn& column = dice.of(catalog_.columns);
  const ColumnUse use = kColumnUses[dice.below(std::size(kColumnUses))];
  const std::string whole = select_with(column, use, dice);
  if (use == ColumnUse::Explain || dice.one_in(2))
    return whole + (use == ColumnUse::Explain ? " AND EXISTS (" + condition + ")" : "");
  return "SELECT q.* FROM (" + whole + ") AS q WHERE EXISTS (" + condition + ")";
}

std::string Generator::select(Dice& dice, int depth) const {
  const std::string one = expression(dice, depth);
  switch (dice.below(25)) {
    case 22:
    case 23:
    case 24:
      return select_of_a_column("SELECT " + one + kFrom + " LIMIT 1", dice);
    case 0:
      return "SELECT " + one + kFrom + " LIMIT 2";
    case 1:
      return "SELECT o.id" + kFrom + " WHERE (" + one + ") IS NOT NULL LIMIT 2";
    case 2:
      return "SELECT o.id" + kFrom + " ORDER BY (" + one + ")::text, o.id LIMIT 2";
    case 3:
      return "SELECT count(*)" + kFrom + " GROUP BY (" + one + ")::text LIMIT 2";
    case 4:
      return "SELECT count(o.id)" + kFrom + " GROUP BY o.id, c.id HAVING (" + one +
             ") IS NULL LIMIT 2";
    case 5:
      return "SELECT a.carrier FROM airlines AS a JOIN airlines AS b ON (" +
             typed("boolean", dice, depth) + ") LIMIT 2";
    case 6:
      return "SELECT 1 LIMIT (" + typed("integer", dice, depth) + ")";
    case 7:
      return "VALUES (" + typed("integer", dice, depth) + "), (" + typed("integer", dice, depth) +
             ")";
    case 8:
      return "WITH w AS (SELECT " + one + " AS v" + kFrom + " LIMIT 2) SELECT w.v FROM w";
    case 9:
      return "SELECT l.v" + kFrom + ", LATERAL (SELECT " + one + " AS v) AS l LIMIT 2";
    case 10:
      return "SELECT (SELECT " + one + ")" + kFrom + " LIMIT 2";
    case 11:
      return "SELECT count(*) FILTER (WHERE (" + one + ") IS NULL)" + kFrom;
    case 12:
      return "SELECT sum(1) OVER (PARTITION BY (" + one + ")::text)" + kFrom + " LIMIT 2";
    case 13:
      return "SELECT DISTINCT ON ((" + one + ")::text) o.id" + kFrom + " LIMIT 2";
    case 14:
      return "EXPLAIN (COSTS false) SELECT " + one + kFrom;
    case 15:
      return "EXPLAIN (ANALYZE) SELECT " + one + kFrom + " LIMIT 2";
    case 16:
      return "SELECT max((" + one + ")::text)" + kFrom;
    case 17:
      return "SELECT (" + one + ")::text" + kFrom + " UNION SELECT 'x' LIMIT 2";
    case 18:
      return "SELECT s.x FROM (SELECT (" + one + ")::text AS x" + kFrom +
             " LIMIT 2) AS s WHERE s.x IS NOT NULL";
    case 19:
      return "SELECT string_agg((" + one + ")::text, ',' ORDER BY o.id)" + kFrom;
    case 20:
      return "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3 AND (" +
             typed("boolean", dice, depth) + ")) SELECT n FROM r";
    default:
      return "SELECT " + one + ", " + expression(dice, depth) + kFrom + " LIMIT 2";
  }
}

std::string Generator::value_for(const Column& column, Dice& dice) const {
  if (dice.one_in(12)) return "DEFAULT";
  if (column.type == "has_watched") return "'(5,x)'";
  if (column.type == "watched[]") return "'{5}'";
  return value_of(column.type == "watched" ? "integer" : column.type, dice);
}

std::string Generator::write(Dice& dice) const {
  const Target& target = dice.of(targets_);
  const Column& column = dice.of(target.columns);
  const Column& other = dice.of(target.columns);
  const std::string where = " WHERE " + other.name + " IS NOT NULL AND (SELECT " +
                            typed("boolean", dice, kDepth) + kFrom + " LIMIT 1)";
  const std::string returning =
      dice.one_in(2) ? " RETURNING (SELECT " + expression(dice, kDepth) + kFrom + " LIMIT 1)" : "";
  switch (dice.below(5)) {
    case 0:
      return "DELETE FROM " + target.name + where + returning;
    case 1:
      return "UPDATE " + target.name + " SET " + column.name + " = (SELECT " +
             typed(column.type, dice, kDepth) + kFrom + " LIMIT 1)" + where + returning;
    case 2:
      return "INSERT INTO " + target.name + " (" + column.name + ") SELECT " +
             typed(column.type, dice, kDepth) + kFrom + " LIMIT 1" + returning;
    case 3:
      return "INSERT INTO " + target.name + " (" + column.name + ") VALUES (" +
             value_for(column, dice) + ") ON CONFLICT DO NOTHING" + returning;
    default:
      return written(singles_[reads_ + dice.below(singles_.size() - reads_)], dice) + returning;
  }
}

Drawn Generator::draw(std::uint64_t number) const {
  Dice dice(seed_ * 0x2545f4914f6cdd1dULL + number);
  if (number < singles_.size()) {
    const Single& single = singles_[number];
    if (number >= reads_) return {written(single, dice), true, ""};
    const bool called = single.form < Form::Infix && catalog_.functions[single.index].changing;
    return {alone(single, dice), false, called ? catalog_.functions[single.index].bare : ""};
  }
  const bool writes = dice.one_in(kWritesOneIn);
  return {writes ? write(dice) : select(dice, kDepth), writes, ""};
}

}  // namespace ba::hunt
