// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/hunt/column_statements.hpp"

#include <vector>

#include "tests/worker/tools/hunt/values.hpp"

namespace ba::hunt {
namespace {

/// A text without a type takes that of the column, and its checks and order with it.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts{"'(5,x)'",  "'{5}'",     "'now'", "'(a)'", "'x'",
                                               "'5'",      "'[1,2)'",   "'{}'",  "'t'",   "'paid'",
                                               "'reader'", "'{(5,x)}'", "'AA'"};
  return kTexts;
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
    case ColumnUse::Explain:
      break;
  }
  return "EXPLAIN (ANALYZE, TIMING false, SUMMARY false) SELECT 1" + from + " WHERE " + name +
         (dice.one_in(2) ? " IS NOT NULL" : " = " + value_of(column.type, dice));
}

}  // namespace ba::hunt
