// SPDX-License-Identifier: Apache-2.0
// Semantic keys against a real server: equal keys give equal results, and what hides the time
// behind a name is not kept.
#include "worker/tools/sql_meaning.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/worker/tools/write_database.hpp"
#include "worker/tools/read_only_session.hpp"

namespace ba {
namespace {

// ---- statements and other ways of writing them -------------------------------------------------

/// Draws statements on the flights of 2013, as lists of tokens.
class Statements {
 public:
  explicit Statements(std::uint64_t seed) : random_(seed) {}

  std::vector<std::string> draw() {
    std::vector<std::string> tokens{"select"};
    const bool grouped = one_in(2);
    append(tokens,
           grouped
               ? std::vector<std::string>{"origin", ",", "count", "(", "*", ")", "as", "n"}
               : std::vector<std::string>{column(), ",", "dest", ",", "dep_delay", "as", "late"});
    append(tokens, {"from", "flights", "where"});
    for (int i = 0, conditions = 1 + below(3); i < conditions; ++i) {
      if (i > 0) tokens.push_back(one_in(3) ? "or" : "and");
      append(tokens, condition());
    }
    if (grouped) append(tokens, {"group", "by", "origin"});
    append(tokens, {"order", "by", "1", ",", "2"});
    if (!grouped) append(tokens, {",", "3"});  // rows that are equal in all may change places
    append(tokens, {"limit", std::to_string(1 + below(20))});
    return tokens;
  }

  /// The same statement, written in another way.
  std::string rewritten(const std::vector<std::string>& tokens) {
    std::string text = space();
    for (const std::string& token : tokens) text += in_other_words(token) + gap();
    return text + (one_in(3) ? ";" : "");
  }

  static std::string plain(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += token + " ";
    return text;
  }

  /// Another constant somewhere.
  std::vector<std::string> changed(std::vector<std::string> tokens) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i][0] >= '0' && tokens[i][0] <= '9' && tokens[i - 1] != "by" &&
          tokens[i - 1] != ",")
        numbers.push_back(i);
    std::string& number =
        tokens[numbers[static_cast<std::size_t>(below(static_cast<int>(numbers.size())))]];
    number = std::to_string(std::stol(number) + 1 + below(5));
    return tokens;
  }

 private:
  static void append(std::vector<std::string>& tokens, const std::vector<std::string>& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
  }

  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  bool one_in(int n) { return below(n) == 0; }
  std::string column() {
    const std::vector<std::string> names{"month", "day", "distance", "flight", "air_time"};
    return names[static_cast<std::size_t>(below(5))];
  }

  std::vector<std::string> condition() {
    switch (below(4)) {
      case 0:
        return {column(), ">", std::to_string(below(300))};
      case 1:
        return {"origin", "=", one_in(2) ? "'JFK'" : "'EWR'"};
      case 2:
        return {
            "month", "in", "(", std::to_string(1 + below(12)), ",", std::to_string(1 + below(12)),
            ")"};
      default:
        return {"dep_delay", "between", std::to_string(below(10)), "and",
                std::to_string(10 + below(100))};
    }
  }

  std::string space() { return one_in(3) ? " \n\t" : ""; }
  std::string gap() {
    switch (below(6)) {
      case 0:
        return "\n";
      case 1:
        return " /* " + std::string(one_in(2) ? "now()" : "it's") + " */ ";
      case 2:
        return " -- said\n";
      default:
        return "  ";
    }
  }

  std::string in_other_words(const std::string& token) {
    const bool name = token == "origin" || token == "dest" || token == "flights";
    if (name && one_in(4)) return "\"" + token + "\"";
    const bool number = token[0] >= '0' && token[0] <= '9';
    if (token[0] == '\'')
      return one_in(3) ? "$$" + token.substr(1, token.size() - 2) + "$$" : token;
    if (number || !one_in(2)) return token;
    std::string other = token;
    for (char& c : other)
      if (c >= 'a' && c <= 'z' && one_in(2)) c = static_cast<char>(c - 'a' + 'A');
    return other;
  }

  std::mt19937_64 random_;
};

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
    const Cancellation never;
    RawToolResult result = session_.run(*guarded, 1000, Milliseconds(60'000), never);
    session_.clean_up();
    return result;
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
  Statements statements(20130101);
  for (int i = 0; i < 200; ++i) {
    const auto tokens = statements.draw();
    const std::string plain = Statements::plain(tokens);
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
    const std::string changed = Statements::plain(statements.changed(tokens));
    EXPECT_NE(meaning.read(changed)->canonical, key->canonical) << plain << "\n" << changed;
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
}  // namespace ba
