// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "worker/tools/sql/statement/sql_meaning.hpp"
#include "worker/tools/sql/statement/sql_time_casts.hpp"

namespace ba::sql {
namespace {

std::optional<std::string> reason(const char* sql) {
  const auto reading = SqlMeaning().read(sql);
  EXPECT_TRUE(reading) << sql;
  return reading ? reading->not_cacheable : "unreadable";
}

TEST(SqlTime, MakesAStatementNotCacheable) {
  for (const char* sql : {"SELECT now()",
                          "SELECT NOW ( )",
                          "SELECT \"now\"()",
                          "SELECT pg_catalog.now()",
                          "SELECT current_date",
                          "SELECT CURRENT_TIMESTAMP",
                          "SELECT current_timestamp(3)",
                          "SELECT current_time",
                          "SELECT localtime",
                          "SELECT LOCALTIMESTAMP",
                          "SELECT transaction_timestamp()",
                          "SELECT statement_timestamp()",
                          "SELECT clock_timestamp()",
                          "SELECT timeofday()",
                          "SELECT age(d) FROM t",
                          "SELECT random()",
                          "SELECT gen_random_uuid()",
                          "SELECT current_user",
                          "SELECT session_user",
                          "SELECT current_schema",
                          "SELECT nextval('s')",
                          "SELECT 'now'::timestamp",
                          "SELECT timestamp 'now'",
                          "SELECT date 'TODAY'",
                          "SELECT CAST('tomorrow' AS date)",
                          "SELECT a FROM t WHERE d > 'yesterday'",
                          "SELECT a FROM t WHERE d > ' Today '",
                          "SELECT a FROM t WHERE d > 'today 10:00'",
                          "SELECT '{now}'::timestamp[]",
                          "SELECT date('now')",
                          "SELECT ('no' || 'w')::timestamp",
                          "SELECT (a || b)::date FROM t",
                          "SELECT concat('n', 'ow')::timestamptz",
                          "SELECT lower(a)::date FROM t",
                          "SELECT date('to' || 'day')",
                          "SELECT (j ->> 'd')::date FROM t",
                          "SELECT coalesce(a || b, 'x')::date FROM t",
                          "SELECT (CASE WHEN c THEN a || b END)::date FROM t",
                          "SELECT array['n' || 'ow']::date[]",
                          "SELECT (a || b)::my_domain FROM t",
                          "SELECT * FROM json_to_record('{\"a\":\"n\\u006fw\"}') AS x(a timestamp)",
                          "SELECT a FROM t WHERE d > now() - interval '1 day'",
                          "SELECT a FROM (SELECT now() AS a) x",
                          "WITH x AS (SELECT now()) SELECT * FROM x",
                          "SELECT a FROM t WHERE EXISTS (SELECT 1 WHERE now() > d)",
                          "SELECT sum(a) FILTER (WHERE d < now()) FROM t",
                          "SELECT a FROM t ORDER BY age(d)",
                          "EXPLAIN SELECT now()",
                          "SELECT a FROM t FOR UPDATE",
                          "SELECT a FROM t TABLESAMPLE bernoulli (10)",
                          "INSERT INTO t VALUES (1)",
                          "DELETE FROM t"})
    EXPECT_TRUE(reason(sql)) << sql;
  EXPECT_EQ(reason("SELECT now()"), "it asks for the time: now()");
  EXPECT_EQ(reason("SELECT current_date"), "it asks for CURRENT_DATE");
  EXPECT_EQ(reason("SELECT 'now'::date"), "the text 'now' can mean the time");
}

std::string timed(const char* sql) {
  const auto statement = parse_statement(sql, {});
  EXPECT_TRUE(statement) << sql;
  std::string names;
  for (const std::string& name : time_casts(statement->body).columns)
    names += (names.empty() ? "" : " ") + name;
  return names;
}

TEST(SqlTime, NamesTheColumnsThatBecomeDates) {
  struct Row {
    const char* sql;
    const char* columns;
  };
  for (const Row& row :
       {Row{"SELECT a::date, b FROM t", "a"},
        Row{"SELECT CAST(t.a AS timestamptz) FROM t", "a"},
        Row{"SELECT date(a) FROM t", "a"},
        Row{"SELECT max(a)::date FROM t", "a"},
        Row{"SELECT coalesce(a, b)::date FROM t", "a b"},
        Row{"SELECT (CASE WHEN c THEN a ELSE b END)::date FROM t", "a b"},
        Row{"SELECT nullif(a, b)::date FROM t", "a"},
        Row{"SELECT (SELECT a FROM t WHERE b)::date", "a"},
        Row{"SELECT ARRAY[a]::date[], (b::text)::time FROM t", "a b"},
        Row{"SELECT a::my_domain FROM t", "a"},
        Row{"SELECT m::date FROM (SELECT a AS m, b FROM t) x", "a m"},
        Row{"WITH x AS (SELECT max(a) FROM t) SELECT max::date FROM x", "a max"},
        Row{"WITH x (m) AS (SELECT a FROM t) SELECT m::date FROM x", "a m"},
        Row{"SELECT d::date FROM unnest(ARRAY(SELECT a FROM t)) AS d", "a d"},
        Row{"SELECT m::date FROM (SELECT '2013-01-01' AS m UNION ALL SELECT w FROM t) x", "m w"},
        Row{"SELECT m::date FROM (SELECT 1 AS n, a AS m FROM t UNION SELECT b, c FROM u"
            " UNION SELECT d, e FROM v) x",
            "a c e m"},
        Row{"SELECT m::date FROM (SELECT '' AS m UNION TABLE u UNION VALUES ('a')) x", "m"},
        Row{"SELECT m::date FROM (SELECT * FROM t UNION SELECT w FROM u) x", "m w"},
        Row{"SELECT column2::date FROM (VALUES (1, 'a') UNION SELECT a, b FROM t) x", "b column2"},
        Row{"WITH RECURSIVE x (m) AS (SELECT '' UNION ALL SELECT a FROM x, t)"
            " SELECT m::date FROM x",
            "a m"},
        Row{"SELECT (a).b::date FROM t", "a b"},
        Row{"SELECT x.\"?column?\"::date FROM (SELECT 'a' UNION SELECT b FROM t) x", "?column? b"},
        Row{"SELECT \"nullif\"::date FROM (SELECT nullif(a, '') FROM t) x", "a nullif"},
        Row{"SELECT \"array\"::date[] FROM (SELECT ARRAY(SELECT a FROM t)) x", "a array"},
        Row{"SELECT to_date(a, 'YYYY')::timestamp FROM t", ""},
        Row{"SELECT date_trunc('month', a)::date FROM t", ""},
        Row{"SELECT a::text, b::int FROM t WHERE d > '2013-01-01'::date", ""}})
    EXPECT_EQ(timed(row.sql), row.columns) << row.sql;
  for (const char* sql : {"SELECT m::date FROM (SELECT a || b AS m FROM t) x",
                          "WITH x (m) AS (SELECT lower(a) FROM t) SELECT m::date FROM x",
                          "SELECT d::date FROM string_to_table(a, ',') AS d",
                          "SELECT x.lower::date FROM (SELECT lower(a) FROM t) x",
                          "SELECT column1::date FROM (VALUES ('no' || 'w')) x",
                          "SELECT m::date FROM t AS x (m)", "SELECT (SELECT * FROM t)::date",
                          "SELECT m::date FROM (SELECT '' AS m UNION SELECT a || b FROM t) x",
                          "SELECT value::date FROM t, jsonb_each_text(t.j)",
                          "SELECT e.value::date FROM t, jsonb_array_elements_text(j) AS e",
                          "SELECT \"?column?\"::date FROM (SELECT 'no' || 'w') x",
                          "SELECT m::date FROM (SELECT '' AS m UNION TABLE u) x"})
    EXPECT_TRUE(reason(sql)) << sql;
}

TEST(SqlTime, TellsWhichOfThemNothingInTheStatementDefines) {
  const auto outside = [](const char* sql) {
    return time_casts(parse_statement(sql, {})->body).outside;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(outside("SELECT a::date FROM t"), Names{"a"});
  EXPECT_EQ(outside("SELECT m::date FROM (SELECT a AS m FROM t) x"), Names{"a"});
  EXPECT_EQ(outside("SELECT (p).q::date FROM t"), (Names{"p", "q"}));
  EXPECT_EQ(outside("SELECT value::date FROM own_rows()"), Names{"value"});
  EXPECT_EQ(outside("SELECT d::date FROM unnest(ARRAY['2013-01-01']) AS d"), Names{});
}

TEST(SqlTime, IsNotSeenWhereThereIsNone) {
  for (const char* sql : {"SELECT 1",
                          "SELECT a FROM t WHERE d > '2013-01-01'",
                          "SELECT d::date FROM t",
                          "SELECT date_trunc('month', d)::date FROM t",
                          "SELECT max(d)::date FROM t",
                          "SELECT m::date FROM (SELECT date_trunc('month', d) AS m FROM t) x",
                          "SELECT d::date FROM generate_series('2013-01-01'::date, '2013-02-01', "
                          "'1 day') AS x (d)",
                          "SELECT d::date FROM (VALUES ('2013-01-01'), ('2013-02-01')) AS x (d)",
                          "SELECT d::date FROM (SELECT d FROM t UNION ALL SELECT d FROM u) x",
                          "SELECT d::date FROM (SELECT lower(a) AS l, d FROM t UNION ALL SELECT b, "
                          "d FROM u) x",
                          "SELECT d::date, w FROM t, regexp_split_to_table(t.words, ' ') AS w",
                          "SELECT age(a, b) FROM t",
                          "SELECT a FROM t WHERE b = 'known'",
                          "SELECT a FROM t WHERE b = 'snow'",
                          "SELECT 'nowhere'",
                          "SELECT (a || b)::text FROM t",
                          "SELECT (a || b)::int FROM t",
                          "SELECT to_char(d, 'YYYY') FROM t",
                          "SELECT \"now\" FROM t",
                          "SELECT t.now FROM t",
                          "SELECT date '2013-01-01'",
                          "SELECT d - interval '1 day' FROM t",
                          "SELECT make_date(2013, 1, 1)",
                          "SELECT extract(year FROM d) FROM t",
                          "SELECT '2013-01-01'::date",
                          "SELECT lower(a) FROM t",
                          "EXPLAIN SELECT 1"})
    EXPECT_EQ(reason(sql), std::nullopt) << sql;
}

}  // namespace
}  // namespace ba::sql
