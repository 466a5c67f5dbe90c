// SPDX-License-Identifier: Apache-2.0
// What a guard lets through, it lets through again, with the same findings; and nothing passes the
// guard that only lets read and the one that only lets write.
#include "tests/fuzz/targets.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"

namespace ba::fuzz {
namespace {

sql::WriteRules rules() {
  sql::WriteRules rules;
  rules.tables = {"t", "sales.orders"};
  return rules;
}

void check_same(const sql::GuardedSql& one, const sql::GuardedSql& other) {
  BA_ASSERT(one.text == other.text && one.is_explain == other.is_explain);
  BA_ASSERT(one.explained == other.explained);
}

}  // namespace

void sql(std::string_view input) {
  const auto read = sql::guard(input);
  const auto write = sql::guard_write(input, rules());
  BA_ASSERT(!read || !write);
  if (read) check_same(sql::guard(read->text).value(), *read);
  if (!write) {
    BA_ASSERT(!write.error().message.empty());
    return;
  }
  const auto again = sql::guard_write(write->sql.text, rules());
  BA_ASSERT(again && again->table == write->table && again->statement == write->statement);
  check_same(again->sql, write->sql);
}

}  // namespace ba::fuzz
