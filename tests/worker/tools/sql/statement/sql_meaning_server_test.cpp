// SPDX-License-Identifier: Apache-2.0
// Semantic keys against a real server: equal keys give equal results, and what hides the time
// behind a name is not kept.
#include "worker/tools/sql/statement/sql_meaning.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <regex>

#include "tests/worker/tools/sql/statement/drawn_statements.hpp"
#include "tests/worker/tools/sql/statement/sql_pairs.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/tools/sql/read_only_session.hpp"

namespace ba::sql {
namespace {

/// Runs statements as the tool does.
class Server {
 public:
  explicit Server(const std::string& url) {
    source_.name = "test";
    source_.url = url;
  }

  RawToolResult run(const std::string& sql) {
    const Result<GuardedSql> guarded = guard(sql);
    if (!guarded) throw std::runtime_error(sql + ": " + guarded.error().message);
    return run(*guarded);
  }

  RawToolResult run(const GuardedSql& guarded) {
    const tools::Cancellation never;
    RawToolResult result = session_.run(guarded, "acme", 1000, Milliseconds(60'000), never);
    session_.clean_up();
    return result;
  }

  /// The data, or what kind of error there was.
  std::string answer(const std::string& sql) {
    const Result<GuardedSql> guarded = guard(sql);
    if (!guarded) return "refused";
    const RawToolResult result = run(*guarded);
    return result.error ? "error " + result.error->code : result.data;
  }

 private:
  DataSourceConfig source_;
  ReadOnlySession session_{source_};
};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  if (!value) throw std::runtime_error(std::string(name) + " is not set: run it by ops/test");
  return value;
}

TEST(SqlMeaningOnServer, EqualKeysGiveEqualResultsAndOtherConstantsOtherKeys) {
  Server server(setting("BA_ANALYTICS_URL"));
  const SqlMeaning meaning;
  DrawnStatements statements(20130101);
  for (int i = 0; i < 200; ++i) {
    const auto tokens = statements.draw();
    const std::string plain = DrawnStatements::plain(tokens);
    const std::string other = statements.rewritten(tokens);
    const auto key = meaning.read(plain);
    const auto key_of_other = meaning.read(other);
    ASSERT_TRUE(key && key_of_other) << other;
    ASSERT_EQ(key->canonical, key_of_other->canonical) << plain << "\n" << other;
    const RawToolResult result = server.run(plain);
    const RawToolResult result_of_other = server.run(other);
    ASSERT_FALSE(result.error) << plain << ": " << result.error->message;
    ASSERT_EQ(result.data, result_of_other.data) << plain << "\n" << other;
    EXPECT_FALSE(result.not_cacheable) << plain;
    const std::string changed = DrawnStatements::plain(statements.changed(tokens));
    EXPECT_NE(meaning.read(changed)->canonical, key->canonical) << plain << "\n" << changed;
  }
}

/// The tables of the pairs: each column is of one type.
class Tables {
 public:
  /// `value`: of row g, column #.
  Tables(const std::string& name, const std::string& type, const std::string& value)
      : database_("pairs_" + name + "_") {
    Person owner(database_.owner_url());
    owner.run("CREATE SCHEMA s");
    for (const char* table : {"t", "s.t", "u"}) {
      const bool second = *table == 'u';  // which has no column that a statement could mean of both
      std::string columns;
      std::string values;
      for (const char* column : {"a", "b", "c", "d", "e", "i", "j", "x"}) {
        if (second && std::string("bij").find(column) == std::string::npos) continue;
        columns += std::string(column) + " " + type + ", ";
        values += std::regex_replace(value, std::regex("#"), std::to_string(values.size() % 7 + 1));
        values += ", ";
      }
      owner.run("CREATE TABLE " + std::string(table) + " (" + columns +
                "id integer, other integer); INSERT INTO " + table + " SELECT " + values +
                "g, g FROM generate_series(1, 4) AS g; INSERT INTO " + table + " (id) VALUES (5)");
    }
    owner.run(
        "GRANT USAGE ON SCHEMA s TO ba_reader; GRANT SELECT ON ALL TABLES IN SCHEMA public, s TO "
        "ba_reader");
    server_.emplace(database_.writer_url());
  }

  Server& server() { return *server_; }

 private:
  WriteDatabase database_;
  std::optional<Server> server_;
};

TEST(SqlMeaningOnServer, PairsThatMeanTheSameGiveTheSame) {
  std::vector<std::unique_ptr<Tables>> all;
  for (const auto& [name, type, value] :
       {std::tuple("integer", "integer", "(g * #) % 4"),
        std::tuple("boolean", "boolean", "(g + #) % 2 = 0"),
        std::tuple("text", "text", "'x' || (g * #) % 4"),
        std::tuple("time", "timestamp",
                   "timestamp '2013-01-01 10:30' + g * # * interval '9 hours'"),
        std::tuple("array", "integer[]", "array[g, #]")})
    all.push_back(std::make_unique<Tables>(name, type, value));
  for (const SqlPair& pair : sql_pairs()) {
    if (!pair.same) continue;
    bool ran = false;
    for (const auto& tables : all) {
      const std::string left = tables->server().answer(pair.left);
      EXPECT_EQ(left, tables->server().answer(pair.right)) << pair.left << "\n" << pair.right;
      ran = ran || left.starts_with("[");
    }
    EXPECT_TRUE(ran) << "of no type of columns does this say anything: " << pair.left;
  }
}

class HiddenTime : public testing::Test {
 protected:
  HiddenTime() {
    Person(database.owner_url())
        .run(
            "CREATE TABLE plain (a integer, t timestamptz);"
            "CREATE VIEW harmless AS SELECT a FROM plain WHERE a > 1;"
            "CREATE VIEW recent AS SELECT a FROM plain WHERE t > now() - interval '1 day';"
            "CREATE VIEW over_recent AS SELECT a FROM recent;"
            "CREATE VIEW today AS SELECT current_date AS d;"
            "CREATE FUNCTION its_time() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';"
            "CREATE FUNCTION twice(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2 * "
            "$1';"
            "CREATE VIEW by_function AS SELECT a FROM plain WHERE t > its_time();"
            "CREATE TABLE guarded (a integer); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY everyone ON guarded USING (now() > '2013-01-01');"
            "CREATE MATERIALIZED VIEW stored AS SELECT now() AS t;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO ba_reader");
  }

  bool kept(const std::string& sql) {
    const RawToolResult result = server.run(sql);
    EXPECT_FALSE(result.error) << sql << ": " << result.error->message;
    return !result.not_cacheable;
  }

  WriteDatabase database;
  Server server{database.writer_url()};
};

TEST_F(HiddenTime, BehindAViewOrAFunctionIsFoundInTheCatalog) {
  for (const char* sql :
       {"SELECT * FROM recent", "SELECT * FROM public.recent", "SELECT a FROM over_recent",
        "SELECT * FROM today", "SELECT its_time()", "SELECT * FROM by_function",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM recent)", "WITH x AS (TABLE recent) TABLE x",
        "SELECT * FROM guarded", "SELECT table_name FROM information_schema.tables"})
    EXPECT_FALSE(kept(sql)) << sql;
}

TEST_F(HiddenTime, InAColumnOfTextsThatBecomesADateIsFoundInTheCatalog) {
  Person(database.owner_url())
      .run(
          "CREATE DOMAIN word AS text;"
          "CREATE TABLE words (w text, v varchar(9), d word, l text[], t timestamptz, n integer);"
          "INSERT INTO words VALUES ('now', 'today', 'now', '{now}', '2013-01-01', 1);"
          "CREATE VIEW as_dates AS SELECT w::date AS day, n FROM words;"
          "CREATE VIEW of_times AS SELECT t::date AS day, w, n FROM words;"
          "CREATE VIEW of_both AS SELECT m::date AS day FROM (SELECT '2013-01-01' AS m UNION ALL"
          " SELECT w FROM words) x;"
          "CREATE TYPE pair AS (first text, second timestamptz);"
          "CREATE TABLE pairs (p pair, j jsonb);"
          "INSERT INTO pairs VALUES (ROW('now', '2013-01-01'), '{\"a\": \"now\"}');"
          "GRANT SELECT ON ALL TABLES IN SCHEMA public TO ba_reader");
  for (const char* sql :
       {"SELECT w::date FROM words",
        "SELECT CAST(v AS timestamp) FROM words",
        "SELECT d::date FROM words",
        "SELECT l::date[] FROM words",
        "SELECT l[1]::date FROM words",
        "SELECT n FROM words WHERE w::timestamptz > t",
        "SELECT max(w)::date FROM words",
        "SELECT x::date FROM (SELECT w AS x FROM words) y",
        "SELECT day FROM as_dates",
        "SELECT n FROM as_dates",
        "SELECT w::date FROM of_times",
        "SELECT m::date FROM (SELECT '2013-01-01' AS m UNION ALL SELECT w FROM words) x",
        "SELECT m::date FROM (SELECT * FROM (SELECT '2013-01-01' AS m) y UNION SELECT w FROM "
        "words) x",
        "WITH RECURSIVE x AS (SELECT '2013-01-01'::text AS m UNION ALL SELECT w FROM words)"
        " SELECT m::date FROM x",
        "SELECT day FROM of_both",
        "SELECT (words).w::date FROM words",
        "SELECT (p).first::date FROM pairs",
        "SELECT value::date FROM jsonb_each_text("
        "(SELECT j FROM pairs))",
        "SELECT e.value::date FROM pairs, jsonb_each_text(j) AS e",
        "SELECT xmin, t::date FROM words"})
    EXPECT_FALSE(kept(sql)) << sql;
  for (const char* sql :
       {"SELECT t::date FROM words", "SELECT t::date, w FROM words",
        "SELECT max(t)::date FROM words", "SELECT to_date('2013', 'YYYY'), w FROM words",
        "SELECT day, w FROM of_times",
        "SELECT date_trunc('month', t)::date, count(w) FROM words GROUP BY 1",
        "SELECT x::date FROM (SELECT t AS x, w FROM words) y", "SELECT n::text FROM words",
        "SELECT x::date FROM (SELECT t AS x, w FROM words UNION ALL SELECT t, v FROM words) y",
        "SELECT x.s::date, w FROM words, generate_series('2013-01-01'::timestamptz,"
        " '2013-02-01'::timestamptz, '1 day') AS x (s)"})
    EXPECT_TRUE(kept(sql)) << sql;
}

TEST_F(HiddenTime, IsNotSuspectedWhereThereIsNone) {
  for (const char* sql :
       {"SELECT * FROM plain", "SELECT * FROM harmless", "SELECT twice(1)", "SELECT t FROM stored",
        "SELECT max(a) FROM harmless JOIN plain USING (a)"})
    EXPECT_TRUE(kept(sql)) << sql;
}

TEST_F(HiddenTime, IsAskedAboutOncePerConnectionForTheSameNames) {
  EXPECT_FALSE(kept("SELECT * FROM recent"));
  EXPECT_FALSE(kept("SELECT a FROM recent"));
  EXPECT_TRUE(kept("SELECT a FROM plain"));
}

}  // namespace
}  // namespace ba::sql
