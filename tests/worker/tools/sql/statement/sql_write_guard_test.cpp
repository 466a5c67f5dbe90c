// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_write_guard.hpp"

#include <gtest/gtest.h>

#include "tests/worker/tools/sql/sql_escapes.hpp"

namespace ba::sql {
namespace {

WriteRules rules() {
  WriteRules rules;
  rules.tables = {"orders", "sales.notes"};
  return rules;
}

class AllowedWrite : public testing::TestWithParam<const char*> {};

TEST_P(AllowedWrite, Passes) {
  const auto guarded = guard_write(GetParam(), rules());
  ASSERT_TRUE(guarded) << guarded.error().message;
  EXPECT_EQ(guarded->sql.text, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    SqlWriteGuard, AllowedWrite,
    testing::Values(
        "INSERT INTO orders VALUES (1, 'a', DEFAULT)", "insert into public.orders default values;",
        "INSERT INTO orders (id, at) VALUES (1, now()), (2, current_date) RETURNING id, at AS done",
        "INSERT INTO sales.notes AS n (id) SELECT id FROM customers WHERE state = 'new'",
        "WITH c AS (SELECT 1 AS id) INSERT INTO orders SELECT id FROM c",
        "INSERT INTO orders (id) VALUES (1) ON CONFLICT DO NOTHING",
        "INSERT INTO orders (id) VALUES (1) ON CONFLICT ON CONSTRAINT orders_pkey DO NOTHING",
        "INSERT INTO orders AS o (id, n) VALUES (1, 2) ON CONFLICT (id) WHERE n > 1 DO UPDATE SET "
        "n = excluded.n + o.n, m = DEFAULT WHERE o.n < 9",
        "UPDATE orders SET n = n + 1, m = DEFAULT, (a, b) = (1, 2), c[1] = 2 WHERE id = 1",
        "UPDATE ONLY orders AS o SET n = c.n FROM customers c WHERE c.id = o.id RETURNING o.*",
        "UPDATE orders SET n = (SELECT max(n) FROM orders) WHERE id IN (SELECT id FROM customers)",
        "DELETE FROM orders WHERE id = 1",
        "DELETE FROM orders o USING customers c WHERE c.id = o.id",
        "DELETE FROM sales.notes WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = 1)"));

class RefusedWrite : public testing::TestWithParam<Escape> {};

TEST_P(RefusedWrite, IsNotAllowedAndSaysWhy) {
  const auto guarded = guard_write(GetParam().sql, rules());
  ASSERT_FALSE(guarded);
  EXPECT_NE(guarded.error().message.find(GetParam().named), std::string::npos)
      << guarded.error().message;
  EXPECT_FALSE(guarded.error().detail.empty());
}

constexpr Escape kRefusedWrites[]{
    // which rows
    {"UPDATE orders SET n = 1", "UPDATE without WHERE"},
    {"DELETE FROM orders", "DELETE without WHERE"},
    {"DELETE FROM orders WHERE true", "looks at no column"},
    {"UPDATE orders SET n = 1 WHERE 1 = 1", "looks at no column"},
    {"DELETE FROM orders WHERE EXISTS (SELECT 1)", "looks at no column"},
    // which tables
    {"INSERT INTO customers VALUES (1)", "Tables that may be written: orders, sales.notes"},
    {"INSERT INTO notes VALUES (1)", "Writing to the table notes"},
    {"INSERT INTO sales.orders VALUES (1)", "Writing to the table sales.orders"},
    {"INSERT INTO \"Orders\" VALUES (1)", "Writing to the table Orders"},
    {"INSERT INTO pg_temp.orders VALUES (1)", "Writing to the table pg_temp.orders"},
    {"INSERT INTO other.public.orders VALUES (1)", "without its database"},
    {"DELETE FROM pg_catalog.pg_class WHERE oid = 1", "Writing to the table pg_catalog.pg_class"},
    {"DELETE FROM ba_effects WHERE key = '1'", "Writing to the table ba_effects"},
    {"INSERT INTO orders SELECT 1 FROM ba_effects", "this tool's own"},
    {"DELETE FROM orders USING public.ba_effects e WHERE e.key = id::text", "this tool's own"},
    {"UPDATE orders SET n = (SELECT answer FROM public.ba_effects LIMIT 1) WHERE id = 1",
     "this tool's own"},
    {"INSERT INTO orders SELECT 1 FROM pg_authid", "system catalog"},
    // which statements
    {"SELECT 1", "SELECT is not allowed. Write one INSERT, UPDATE or DELETE"},
    {"EXPLAIN ANALYZE DELETE FROM orders WHERE id = 1", "EXPLAIN"},
    {"MERGE INTO orders o USING customers c ON c.id = o.id WHEN MATCHED THEN DELETE", "MERGE"},
    {"TRUNCATE orders", "TRUNCATE"},
    {"COPY orders FROM PROGRAM 'id'", "COPY"},
    {"DROP TABLE orders", "DROP"},
    {"ALTER TABLE orders ADD x int", "ALTER TABLE"},
    {"CREATE TABLE x (a int)", "CREATE TABLE"},
    {"GRANT ALL ON orders TO PUBLIC", "GRANT"},
    {"SET search_path = x", "SET"},
    {"BEGIN", "BEGIN"},
    {"COMMIT", "COMMIT"},
    {"DO $$ BEGIN DELETE FROM orders; END $$", "DO"},
    {"CALL p()", "CALL"},
    {"LOCK TABLE orders", "LOCK"},
    {"PREPARE p AS DELETE FROM orders WHERE id = 1", "PREPARE"},
    {"NOTIFY x", "NOTIFY"},
    {"INSERT INTO orders VALUES (1); INSERT INTO orders VALUES (2)", "exactly one"},
    {"", "exactly one"},
    {"INSERT INTO orders VALUES ($1)", "parameter"},
    {"INSERT INTO orders OVERRIDING SYSTEM VALUE VALUES (1)", "OVERRIDING"},
    {"DELETE FROM orders WHERE CURRENT OF c", "looks at no column"},
    {"DELETE FROM orders WHERE CURRENT OF c OR id = 1", "syntax error"},
    // writes inside
    {"WITH x AS (DELETE FROM orders WHERE id = 1 RETURNING *) INSERT INTO orders SELECT * FROM x",
     "DELETE"},
    {"WITH x AS (UPDATE customers SET n = 1) DELETE FROM orders WHERE id = 1", "UPDATE"},
    {"INSERT INTO orders SELECT * FROM customers FOR UPDATE", "FOR UPDATE"},
    {"UPDATE orders SET n = 1 WHERE id = (SELECT 1 FROM customers FOR SHARE)", "FOR UPDATE"},
    // functions and types
    {"INSERT INTO orders VALUES (nextval('s'))", "nextval"},
    {"INSERT INTO orders VALUES (pg_sleep(1))", "pg_sleep"},
    {"UPDATE orders SET n = setval('s', 1) WHERE id = 1", "setval"},
    {"DELETE FROM orders WHERE id = lo_unlink(1)", "lo_unlink"},
    {"INSERT INTO orders VALUES (1) RETURNING set_config('role', 'x', false)", "set_config"},
    {"INSERT INTO orders VALUES (1) ON CONFLICT (id) DO UPDATE SET n = lo_creat(1)", "lo_creat"},
    {"INSERT INTO orders VALUES (query_to_xml('DELETE FROM customers', true, true, ''))",
     "query_to_xml"},
    {"INSERT INTO orders VALUES (current_user)", "current_user"},
    {"INSERT INTO orders VALUES (10::regrole)", "regrole"},
    {"UPDATE orders SET n = 1 WHERE id OPERATOR(evil.=) 1", "OPERATOR(evil"}};

INSTANTIATE_TEST_SUITE_P(SqlWriteGuard, RefusedWrite, testing::ValuesIn(kRefusedWrites));

TEST(SqlWriteGuard, SaysWhatTheStatementIsAndWhere) {
  const GuardedWrite deleted =
      guard_write("DELETE FROM public.orders WHERE id = 1", rules()).value();
  EXPECT_EQ(deleted.statement, WriteStatement::Delete);
  EXPECT_EQ(deleted.table, "orders");
  const GuardedWrite inserted = guard_write("INSERT INTO sales.notes VALUES (1)", rules()).value();
  EXPECT_EQ(inserted.statement, WriteStatement::Insert);
  EXPECT_EQ(inserted.table, "sales.notes");
}

TEST(SqlWriteGuard, AllowsOnlyTheConfiguredStatements) {
  WriteRules inserts = rules();
  inserts.statements = {WriteStatement::Insert};
  EXPECT_TRUE(guard_write("INSERT INTO orders VALUES (1)", inserts));
  EXPECT_EQ(guard_write("DELETE FROM orders WHERE id = 1", inserts).error().message,
            "DELETE is not allowed here; allowed: INSERT");
  EXPECT_EQ(
      guard_write("INSERT INTO orders VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 1", inserts)
          .error()
          .message,
      "UPDATE is not allowed here; allowed: INSERT");
}

TEST(SqlWriteGuard, HasTheLimitsOfTheOtherGuard) {
  const std::string wide = "INSERT INTO orders VALUES ('" + std::string(64 * 1024, 'x') + "')";
  EXPECT_EQ(guard_write(wide, rules()).error().detail, "SQL_TOO_LONG");
  std::string deep = "INSERT INTO orders VALUES (";
  for (int i = 0; i < 6000; ++i) deep += "1+";
  EXPECT_FALSE(guard_write(deep + "1)", rules()));
}

TEST(SqlWriteGuard, LetsNoReadOnlyEscapeThrough) {
  WriteRules everywhere = rules();
  everywhere.tables = {"orders"};
  for (const Escape& escape : kEscapes)
    EXPECT_FALSE(guard_write(escape.sql, everywhere)) << escape.sql;
}

}  // namespace
}  // namespace ba::sql
