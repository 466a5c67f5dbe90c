// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/column_statements.hpp"

#include <vector>

#include "tests/worker/tools/sql/hunt/values.hpp"

namespace ba::hunt {
namespace {

/// A text without a type takes that of the column, and its checks and order with it.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts{"'(5,x)'",  "'{5}'",     "'now'", "'(a)'", "'x'",
                                               "'5'",      "'[1,2)'",   "'{}'",  "'t'",   "'paid'",
                                               "'reader'", "'{(5,x)}'", "'AA'"};
  return kTexts;
}

/// Values of types of their own, which a set operation makes the column's.
const std::vector<std::string>& others() {
  static const std::vector<std::string> kOthers{
      "ARRAY[5]", "ARRAY['x']", "5", "5.5", "ROW(5, 'x')", "now()", "'x'::text", "ARRAY[ROW('a')]"};
  return kOthers;
}

/// Which a type is made of without a text in the statement that says so.
const std::vector<std::string>& json_values() {
  static const std::vector<std::string> kValues{"5", "jsonb_build_array(5)", "'x'::text",
                                                "jsonb_build_object('n', 5)", "chr(110) || 'ow'"};
  return kValues;
}

}  // namespace

std::string select_with(const TableColumn& column, ColumnUse use, Dice& dice) {
  const std::string from = " FROM " + column.table + " AS r";
  const std::string name = "r." + column.name;
  switch (use) {
    case ColumnUse::Equals:
      return "SELECT 1" + from + " WHERE " + name + " = " + value_of(column.type, dice) +
             " LIMIT 2";
    case ColumnUse::Text:
      return "SELECT 1" + from + " WHERE " + name + " = " + dice.of(texts()) + " LIMIT 2";
    case ColumnUse::Coalesce:
      return "SELECT coalesce(" + name + ", " + dice.of(texts()) + ")" + from + " LIMIT 2";
    case ColumnUse::Order:
      return "SELECT " + name + from + " ORDER BY " + name + " LIMIT 2";
    case ColumnUse::Group:
      return "SELECT count(*)" + from + " GROUP BY " + name + " LIMIT 2";
    case ColumnUse::Join:
      return "SELECT 1" + from + " JOIN " + column.table + " AS s USING (" + column.name +
             ") LIMIT 2";
    case ColumnUse::In:
      return "SELECT 1" + from + " WHERE " + name + " IN (SELECT s." + column.name + " FROM " +
             column.table + " AS s) LIMIT 2";
    case ColumnUse::Json:
      return "SELECT to_jsonb(" + name + ")" + from + " LIMIT 2";
    case ColumnUse::Union:
      return "SELECT " + name + from + (dice.one_in(2) ? " UNION ALL SELECT " : " EXCEPT SELECT ") +
             dice.of(others()) + " LIMIT 3";
    case ColumnUse::Record:
      return "SELECT jsonb_populate_record(ROW(" + name + ", 1), jsonb_build_object('f1', " +
             dice.of(json_values()) + "))" + from + " LIMIT 2";
    case ColumnUse::Row:
      return "SELECT jsonb_populate_record(x, jsonb_build_object('v', " + dice.of(json_values()) +
             ")) FROM (SELECT " + name + " AS v" + from + ") AS x LIMIT 2";
    case ColumnUse::Aggregate:
      return "SELECT cardinality(array_agg(" + name + "))" + from;
    case ColumnUse::Count:
      return "SELECT count(*)" + from;
    case ColumnUse::Explain:
      break;
  }
  return "EXPLAIN (ANALYZE, TIMING false, SUMMARY false) SELECT 1" + from + " WHERE " + name +
         (dice.one_in(2) ? " IS NOT NULL" : " = " + value_of(column.type, dice));
}

}  // namespace ba::hunt
