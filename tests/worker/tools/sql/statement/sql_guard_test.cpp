// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_guard.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/worker/tools/sql/sql_escapes.hpp"

namespace ba::sql {
namespace {

class Allowed : public testing::TestWithParam<const char*> {};

TEST_P(Allowed, Passes) {
  const auto guarded = guard(GetParam());
  ASSERT_TRUE(guarded) << guarded.error().message;
  EXPECT_EQ(guarded->text, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    SqlGuard, Allowed,
    testing::Values(
        "SELECT 1", "select count(*) from flights;", "VALUES (1, 'a'), (2, 'b')", "TABLE flights",
        "SELECT * FROM flights -- a comment; not a statement",
        "SELECT /* DROP TABLE x; */ 'a;b' AS \"c;d\"", "SELECT $$; DELETE FROM flights;$$",
        "SELECT carrier, count(*) AS n, avg(arr_delay)::numeric(10,2) FROM flights "
        "WHERE origin IN ('JFK', 'LGA') AND month BETWEEN 1 AND 3 AND tailnum LIKE 'N%' "
        "GROUP BY carrier HAVING count(*) > 10 ORDER BY n DESC NULLS LAST LIMIT 5 OFFSET 1",
        "SELECT a.name, f.dest FROM flights f LEFT JOIN airports a ON a.faa = f.dest",
        "SELECT * FROM flights NATURAL JOIN planes",
        "SELECT f.* FROM flights f JOIN planes USING (tailnum)",
        "SELECT x, lag(x, 1) OVER w, sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT "
        "ROW) FROM (VALUES (1), (2)) AS v(x) WINDOW w AS (PARTITION BY x ORDER BY x DESC)",
        "WITH a AS (SELECT 1 AS n), b AS MATERIALIZED (SELECT n + 1 FROM a) SELECT * FROM b",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) "
        "SELECT sum(n) FROM t",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT 2 FROM t) SEARCH BREADTH FIRST BY n SET o "
        "CYCLE n SET c USING p SELECT * FROM t",
        "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT (SELECT 4)",
        "SELECT date_trunc('month', time_hour), extract(dow FROM time_hour), now(), current_date, "
        "time_hour AT TIME ZONE 'America/New_York', age(time_hour) FROM flights",
        "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END, coalesce(a, 0), nullif(a, 1), greatest(a, "
        "2) "
        "FROM t",
        "SELECT count(*) FILTER (WHERE a IS NOT NULL), percentile_cont(0.5) WITHIN GROUP (ORDER BY "
        "a), array_agg(DISTINCT a ORDER BY a), string_agg(b, ',') FROM t",
        "SELECT a, b, grouping(a) FROM t GROUP BY GROUPING SETS ((a), (a, b), ()), ROLLUP (a)",
        "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id) AND a = ANY (ARRAY[1, "
        "2]) "
        "AND (a, b) NOT IN (SELECT c, d FROM v) AND NOT (a IS TRUE)",
        "SELECT * FROM t, LATERAL (SELECT t.a) AS s, generate_series(1, 3) WITH ORDINALITY AS g(i, "
        "o)",
        "SELECT * FROM json_to_recordset('[{\"a\":1}]') AS x(a int, b text COLLATE \"C\")",
        "SELECT DISTINCT ON (a) a, (b).c, d[1], d[1:2], e COLLATE \"C\" FROM t",
        "SELECT trim(both ' ' from a), substring(a from 1 for 2), position('b' in a), "
        "a ~ '^x', a || 'b', lower(a), regexp_replace(a, 'x', 'y', 'g'), a::int, CAST(a AS date) "
        "FROM t",
        "SELECT to_jsonb(t) ->> 'a', jsonb_build_object('k', 1), row_to_json(t) FROM t",
        "SELECT INTERVAL '1 day', DATE '2013-01-01', 1.5e3, -2, B'101', E'\\n', U&'\\0041'",
        "EXPLAIN SELECT * FROM flights", "EXPLAIN (VERBOSE, COSTS off, FORMAT json) SELECT 1",
        "SELECT table_name FROM information_schema.tables", "SELECT pg_typeof(1)",
        "SELECT random() < 2, gen_random_uuid() IS NOT NULL",
        "SELECT count(*) FROM flights TABLESAMPLE SYSTEM (1) REPEATABLE (7)",
        "SELECT xmlelement(name foo, 'bar')", "SELECT c.system, t.user FROM c, t",
        "SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = 'public'::regnamespace",
        "EXPLAIN (ANALYZE) SELECT 1", "SELECT 1 LIMIT ALL",
        "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES", "(SELECT 1)", "SELECT",
        "SELECT a FROM ONLY t"));

class Refused : public testing::TestWithParam<Escape> {};

TEST_P(Refused, IsNotAllowedAndSaysWhy) {
  const auto guarded = guard(GetParam().sql);
  ASSERT_FALSE(guarded);
  EXPECT_NE(guarded.error().message.find(GetParam().named), std::string::npos)
      << guarded.error().message;
  EXPECT_FALSE(guarded.error().detail.empty());
}

INSTANTIATE_TEST_SUITE_P(SqlGuard, Refused, testing::ValuesIn(kEscapes));

std::string why(std::string_view sql) { return guard(sql).error().message; }

TEST(SqlGuard, SaysWhatIsRightInstead) {
  EXPECT_EQ(why("INSERT INTO t VALUES (1)"),
            "INSERT is not allowed. Write one SELECT statement that only reads.");
  EXPECT_EQ(why("SELECT 1; SELECT 2"), "There are 2 statements in the text; write exactly one");
  EXPECT_EQ(why(""), "There are 0 statements in the text; write exactly one");
  EXPECT_EQ(why("SELEC 1"), "syntax error at or near \"SELEC\" (character 1)");
  EXPECT_EQ(why("SELECT * FROM pg_proc"),
            "The system catalog (pg_proc) is not readable here. Use information_schema.tables and "
            "information_schema.columns");
}

TEST(SqlGuard, FindsTheStatementInAnExplain) {
  for (const char* head : {"EXPLAIN ", "explain verbose ", "EXPLAIN (COSTS off, FORMAT 'json') ",
                           "/* a */ EXPLAIN -- b\n /* (c) */ (VERBOSE) ", "EXPLAIN ANALYZE "}) {
    const auto guarded = guard(std::string(head) + "(SELECT 1 /* ) */) ORDER BY 1");
    ASSERT_TRUE(guarded) << head << guarded.error().message;
    EXPECT_TRUE(guarded->is_explain);
    EXPECT_NE(guarded->explained.find("(SELECT 1 /* ) */) ORDER BY 1"), std::string::npos) << head;
    EXPECT_EQ(guarded->explained.find("EXPLAIN"), std::string::npos) << head;
  }
  EXPECT_FALSE(guard("SELECT 1")->is_explain);
}

TEST(SqlGuard, HasALimitOnLength) {
  const GuardLimits limits;
  const std::string start = "SELECT 1 ";
  const auto of_size = [&](std::size_t size) {
    return start + std::string(size - start.size(), ' ');
  };
  EXPECT_TRUE(guard(of_size(limits.bytes_max)));
  EXPECT_EQ(guard(of_size(limits.bytes_max + 1)).error().detail, "SQL_TOO_LONG");
}

TEST(SqlGuard, SurvivesDeepAndWideStatements) {
  const auto repeated = [](std::string_view piece, int times, std::string_view end) {
    std::string sql = "SELECT ";
    for (int i = 0; i < times; ++i) sql += piece;
    return sql += end;
  };
  EXPECT_TRUE(guard(repeated("1+", 300, "1")));
  EXPECT_TRUE(guard(repeated("1,", 20000, "1")));
  for (const char* piece : {"1+", "a||", "NOT ", "(", "ARRAY[", "(SELECT ", "CASE WHEN "})
    EXPECT_FALSE(guard(repeated(piece, 6000, "1"))) << piece;
}

TEST(SqlGuard, NamesOnlySoManyTables) {
  const auto joined = [](int tables) {
    std::string sql = "SELECT 1 FROM t";
    for (int i = 1; i < tables; ++i) sql += ", t AS t" + std::to_string(i);
    return sql;
  };
  EXPECT_TRUE(guard(joined(64)));
  const auto guarded = guard(joined(65));
  ASSERT_FALSE(guarded);
  EXPECT_EQ(guarded.error().message.find("A statement may name at most 64 tables"), 0U)
      << guarded.error().message;
}

TEST(SqlGuard, RefusesRunsOfOperatorCharactersThatTheScannerReadsAgainAndAgain) {
  const auto run_of = [](std::size_t pairs) {
    std::string sql = "SELECT 1 ";
    for (std::size_t i = 0; i < pairs; ++i) sql += "/*";
    for (std::size_t i = 0; i < pairs; ++i) sql += "*/";
    return sql;
  };
  EXPECT_TRUE(guard(run_of(250)));
  for (const std::string& sql : {run_of(251), "SELECT 1" + std::string(60'000, '+') + "1"}) {
    const auto guarded = guard(sql);
    ASSERT_FALSE(guarded);
    EXPECT_NE(guarded.error().message.find("operator characters"), std::string::npos);
  }
  EXPECT_TRUE(guard("SELECT 1 --" + std::string(900, '-') + "\n"));
}

TEST(SqlGuard, ParsesAsPostgresDoesWithoutASession) {
  // One string with a backslash, as standard_conforming_strings = on has it.
  EXPECT_TRUE(guard("SELECT '\\'"));
  EXPECT_FALSE(guard("SELECT '\\'; DROP TABLE t; --'"));
}

TEST(SqlGuard, RefusesNul) { EXPECT_FALSE(guard(std::string_view("SELECT 1\0; DROP", 15))); }

}  // namespace
}  // namespace ba::sql
