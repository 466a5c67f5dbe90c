// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_clauses.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ba::sql {
namespace {

/// On one line.
std::string question(const std::string& sql) {
  std::string text = row_count_question(sql, 4).value_or("none");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string counted(const std::string& rows) {
  return "SELECT pg_catalog.count(*) FROM (" + rows + " LIMIT 4) AS ba_rows";
}

TEST(RowCountQuestion, AsksOfTheRowsThatAConditionFinds) {
  EXPECT_EQ(question("DELETE FROM orders WHERE id > 3;"),
            counted(R"(SELECT "orders".tableoid, "orders".ctid FROM  orders  WHERE  id > 3)"));
  EXPECT_EQ(
      question("UPDATE ONLY sales.orders AS o SET state = 'a' WHERE o.id = 1 RETURNING id"),
      counted(R"(SELECT "o".tableoid, "o".ctid FROM  ONLY sales.orders AS o  WHERE  o.id = 1 )"));
}

TEST(RowCountQuestion, AsksOfEachRowOnceWhereOthersAreJoined) {
  EXPECT_EQ(
      question("UPDATE orders SET n = p.n FROM parents p WHERE p.id = orders.id"),
      counted(R"(SELECT DISTINCT "orders".tableoid, "orders".ctid FROM  orders  ,  parents p  )"
              R"(WHERE  p.id = orders.id)"));
  EXPECT_NE(question("DELETE FROM orders USING parents p JOIN late l ON l.id = p.id "
                     "WHERE p.id = orders.id"),
            "none");
}

TEST(RowCountQuestion, AsksOfTheRowsThatAQueryGives) {
  EXPECT_EQ(
      question("INSERT INTO orders (id, state) SELECT id, 'new' FROM late ON CONFLICT (id) DO "
               "UPDATE SET n = 1 RETURNING id"),
      counted("SELECT 1 FROM (SELECT id, 'new' FROM late  ) AS ba_source"));
  for (const char* end : {"DO NOTHING", "(id) DO UPDATE SET n = 1 WHERE orders.n = 0"})
    EXPECT_EQ(question(std::string("INSERT INTO orders SELECT 1 ON CONFLICT ") + end),
              counted("SELECT 1 FROM (SELECT 1  ) AS ba_source"));
  EXPECT_EQ(question("INSERT INTO orders VALUES (1, 'a'), (2, 'b')"),
            counted("SELECT 1 FROM (VALUES (1, 'a'), (2, 'b') ) AS ba_source"));
}

TEST(RowCountQuestion, ReadsThroughQuotesCommentsAndBrackets) {
  for (const char* sql :
       {"DELETE FROM orders WHERE state = ' where ' -- where",
        "DELETE FROM orders /* where /* deep */ set */ WHERE state = E'\\' where'",
        "UPDATE orders SET state = $q$ where $q$, n = (SELECT 1 WHERE true) WHERE id = 1",
        "UPDATE orders SET n = (id IS DISTINCT FROM n)::int WHERE id = 1",
        "UPDATE orders SET state = (n IS DISTINCT FROM 1)::text || 'from' FROM late WHERE late.id "
        "= 1",
        "UPDATE \"set\" SET \"where\" = 1 WHERE \"from\" = 2",
        "WITH w AS (SELECT 1 AS id WHERE true) DELETE FROM orders USING w WHERE orders.id = w.id",
        "INSERT INTO orders (\"select\") WITH x AS (SELECT 1) SELECT * FROM x UNION SELECT 2",
        "INSERT INTO orders SELECT a.id FROM late a JOIN late b ON a.id = b.id ON CONFLICT (id) DO "
        "UPDATE SET n = 2"})
    EXPECT_NE(question(sql), "none") << sql;
  EXPECT_NE(
      question("UPDATE orders SET n = CASE WHEN id IS DISTINCT FROM 1 THEN 2 END WHERE id = 1"),
      "none");
}

TEST(RowCountQuestion, AsksNothingWhereItCannotBeSure) {
  for (const char* sql : {"INSERT INTO orders DEFAULT VALUES",
                          "WITH update AS (SELECT 1) UPDATE orders SET n = 1 WHERE id = 1",
                          "SELECT 1", "no SQL", "DELETE FROM orders"})
    EXPECT_EQ(question(sql), "none") << sql;
}

}  // namespace
}  // namespace ba::sql
