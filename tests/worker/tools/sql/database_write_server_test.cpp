// SPDX-License-Identifier: Apache-2.0
// database_write against a real server (BA_POSTGRES_URL): a database of its own, written to by the
// role of BA_ANALYTICS_URL, which owns nothing and has just the rights of config/SECURITY.md.
#include "worker/tools/sql/database_write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <regex>

#include "pipeline/core/tool/data_sources.hpp"
#include "tests/support/commit_cutter.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/sql_tools.hpp"

namespace ba::sql {
namespace {

class DatabaseWriteOnServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    database() = std::make_unique<WriteDatabase>();
    Person(owner_url())
        .run(
            "CREATE TABLE orders (id int PRIMARY KEY, state text NOT NULL CHECK (state <> 'bad'), "
            "n "
            "int "
            "DEFAULT 0); CREATE TABLE secrets (id int); CREATE SCHEMA sales; CREATE TABLE "
            "sales.notes "
            "(id bigserial, text text); CREATE TABLE parents (id int PRIMARY KEY); CREATE TABLE "
            "late "
            "(id "
            "int REFERENCES parents DEFERRABLE INITIALLY DEFERRED);"
            "GRANT SELECT, INSERT, UPDATE, DELETE ON orders, late TO ba_reader;"
            "GRANT USAGE ON SCHEMA sales TO ba_reader; GRANT SELECT, INSERT ON sales.notes TO "
            "ba_reader;"
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA sales TO ba_reader;"
            "CREATE FUNCTION tick() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'");
  }

  static void TearDownTestSuite() { database().reset(); }

  DatabaseWriteOnServer() : owner(owner_url()), writer(writer_url()) {
    owner.run("DELETE FROM ba_effects; DELETE FROM orders; DELETE FROM sales.notes");
    owner.run("INSERT INTO orders SELECT g, 'new' FROM generate_series(1, 10) g");
    source.name = "shop";
    source.url = writer_url();
    source.lock_timeout = Milliseconds(15000);
    source.rules.tables = {"orders", "sales.notes", "secrets", "late"};
  }

  static std::unique_ptr<WriteDatabase>& database() {
    static std::unique_ptr<WriteDatabase> one;
    return one;
  }
  static std::string owner_url() { return database()->owner_url(); }
  static std::string writer_url() { return database()->writer_url(); }

  ToolInvocation invocation(const std::string& sql, const std::string& key) const {
    ToolInvocation value;
    value.parameters = R"({"data_source":"shop","sql":")" + sql + "\"}";
    value.idempotency_key = key;
    value.tenant = TenantId("acme");
    value.timeout = call_timeout;
    return value;
  }

  /// Starts a call whose answer goes to `answers`.
  void start(const std::string& sql, const std::string& key = "k1") {
    if (!tool) tool = std::make_unique<DatabaseWrite>(std::vector{source}, executor);
    handles.push_back(tool->run(invocation(sql, key),
                                [this](RawToolResult raw) { answers.push_back(std::move(raw)); }));
  }

  RawToolResult write(const std::string& sql, const std::string& key = "k1") {
    answers.clear();
    start(sql, key);
    EXPECT_TRUE(executor.run_until([&] { return !answers.empty(); }));
    return answers.empty() ? RawToolResult{} : answers.front();
  }

  std::string code(const std::string& sql, const std::string& key = "k1") {
    const RawToolResult result = write(sql, key);
    return result.error ? result.error->code : result.data;
  }

  std::string keys() { return owner.value("SELECT count(*) FROM ba_effects"); }

  /// How many of the tool's statements wait for a lock.
  std::string waiting() {
    return writer.value(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = "
        "current_database()");
  }

  /// Until the tool's statement waits for a lock; its process.
  std::string blocked_process() {
    std::string pid;
    EXPECT_TRUE(executor.run_until([&] {
      pid = writer.value(
          "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = "
          "current_database() LIMIT 1");
      return !pid.empty();
    }));
    return pid;
  }

  LoopExecutor executor;
  Person owner;
  Person writer;
  WriteSourceConfig source;
  Milliseconds call_timeout{20000};
  std::unique_ptr<DatabaseWrite> tool;
  std::vector<RawToolResult> answers;
  std::vector<std::unique_ptr<ToolRun>> handles;
};

constexpr const char* kAdd = "INSERT INTO orders VALUES (11, 'new')";
constexpr const char* kAdded =
    R"({"success":true,"message":"1 row inserted into orders","rows_affected":1})";

// ---- once --------------------------------------------------------------------------------------

TEST_F(DatabaseWriteOnServer, WritesAndSaysWhatItDid) {
  EXPECT_EQ(write(kAdd, "a").data, kAdded);
  EXPECT_EQ(write("UPDATE orders SET n = n + id WHERE id > 9 RETURNING id, n", "b").data,
            R"({"success":true,"message":"2 rows updated in orders","rows_affected":2,"returned":)"
            R"({"row_count":2,"rows":[{"id":10,"n":10},{"id":11,"n":11}]}})");
  EXPECT_EQ(write("DELETE FROM orders WHERE id > 100", "c").data,
            R"({"success":true,"message":"0 rows deleted from orders","rows_affected":0})");
  EXPECT_EQ(write("INSERT INTO sales.notes (text) VALUES ('x')", "d").data,
            R"({"success":true,"message":"1 row inserted into sales.notes","rows_affected":1})");
  EXPECT_EQ(owner.value("SELECT sum(n) FROM orders"), "21");
  EXPECT_EQ(keys(), "4");
}

TEST_F(DatabaseWriteOnServer, ARepeatGivesTheStoredAnswerAndWritesNothing) {
  const std::string add = "UPDATE orders SET n = n + 1 WHERE id = 1 RETURNING n";
  const std::string first = write(add).data;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(write(add).data, first);
  tool.reset();  // nor does another worker
  EXPECT_EQ(write(add).data, first);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
  EXPECT_EQ(keys(), "1");
}

TEST_F(DatabaseWriteOnServer, RefusesAnotherStatementUnderTheSameKey) {
  write(kAdd);
  const RawToolResult other = write("DELETE FROM orders WHERE id = 1");
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->code, "KEY_REUSED");
  EXPECT_TRUE(other.never_happened);
  owner.run("UPDATE ba_effects SET tenant = 'evil'");
  EXPECT_EQ(code(kAdd), "KEY_REUSED") << "nor the answer of another tenant";
  EXPECT_EQ(owner.value("SELECT count(*) FROM orders"), "11");
}

TEST_F(DatabaseWriteOnServer, ManyRunsOfOneCallAtOnceWriteOnce) {
  source.pool_size = 8;
  for (int i = 0; i < 40; ++i) start("UPDATE orders SET n = n + 1 WHERE id = 1 RETURNING n");
  ASSERT_TRUE(executor.run_until([&] { return answers.size() == 40; }));
  for (const RawToolResult& answer : answers) EXPECT_EQ(answer, answers.front());
  EXPECT_FALSE(answers.front().error);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

TEST_F(DatabaseWriteOnServer, ASecondRunWaitsForTheFirstAndTakesItsAnswer) {
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  const std::string add = "UPDATE orders SET n = n + 1 WHERE id = 1";
  start(add);
  blocked_process();
  start(add);
  ASSERT_TRUE(executor.run_until([&] { return waiting() == "2"; }));
  owner.run("COMMIT");
  ASSERT_TRUE(executor.run_until([&] { return answers.size() == 2; }));
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

TEST_F(DatabaseWriteOnServer, ARunWhoseConnectionIsKilledBeforeItsCommitHasNoEffect) {
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  const std::string add = "UPDATE orders SET n = n + 1 WHERE id = 1";
  start(add);
  writer.value("SELECT pg_terminate_backend(" + blocked_process() + ")");
  ASSERT_TRUE(executor.run_until([&] { return !answers.empty(); }));
  owner.run("COMMIT");
  ASSERT_TRUE(answers[0].error);
  EXPECT_EQ(answers[0].error->type, ToolErrorType::TransientError);
  EXPECT_TRUE(answers[0].never_happened);
  EXPECT_FALSE(answers[0].outcome_unknown);
  EXPECT_EQ(keys(), "0");
  EXPECT_FALSE(write(add).error);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

TEST_F(DatabaseWriteOnServer, ARunWhoseCommitsAnswerIsLostIsSettledByARepeat) {
  const std::regex address("@([^:/]+):(\\d+)/");
  std::smatch parts;
  ASSERT_TRUE(std::regex_search(source.url, parts, address)) << "the stack's URLs have a port";
  CommitCutter cutter(parts[1], std::stoi(parts[2]));
  source.url =
      std::regex_replace(source.url, address, "@127.0.0.1:" + std::to_string(cutter.port()) + "/");
  const std::string add = "UPDATE orders SET n = n + 1 WHERE id = 1";
  const RawToolResult lost = write(add);
  EXPECT_TRUE(lost.outcome_unknown);
  EXPECT_FALSE(lost.never_happened);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1") << "it was committed";
  EXPECT_FALSE(write(add).error);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

TEST_F(DatabaseWriteOnServer, ACancelledRunLeavesNoOpenTransaction) {
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  start("UPDATE orders SET n = n + 1 WHERE id = 1");
  blocked_process();
  handles.clear();
  EXPECT_TRUE(executor.run_until([&] { return waiting() == "0"; }));
  owner.run("COMMIT");
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "0");
  EXPECT_EQ(keys(), "0");
  EXPECT_TRUE(answers.empty());
}

TEST_F(DatabaseWriteOnServer, ConnectsAgainWhenItsConnectionWasEnded) {
  source.pool_size = 1;
  write(kAdd, "a");
  writer.value(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = current_user "
      "AND datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_EQ(write("DELETE FROM orders WHERE id = 11", "b").data,
            R"({"success":true,"message":"1 row deleted from orders","rows_affected":1})");
}

// ---- what goes wrong ---------------------------------------------------------------------------

TEST_F(DatabaseWriteOnServer, AStatementThatFailsLeavesNothingAndMayBeCorrected) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"INSERT INTO orders VALUES (1, 'x')", "23505"},
      {"INSERT INTO orders VALUES (12, 'bad')", "23514"},
      {"INSERT INTO orders VALUES (12, NULL)", "23502"},
      {"INSERT INTO late VALUES (99)", "23503"},  // found by the COMMIT
      {"UPDATE orders SET nothing = 1 WHERE id = 1", "42703"},
      {"UPDATE orders SET n = 1 / 0 WHERE id = 1", "22012"}};
  for (const auto& [sql, state] : cases) {
    const RawToolResult result = write(sql, sql);
    ASSERT_TRUE(result.error) << sql;
    EXPECT_EQ(result.error->code, state) << result.error->message;
    EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
    EXPECT_TRUE(result.never_happened) << sql;
  }
  EXPECT_EQ(keys(), "0");
  EXPECT_EQ(write(kAdd).data, kAdded);
}

TEST_F(DatabaseWriteOnServer, WritesNothingOverItsRowLimit) {
  source.row_limit = 3;
  const RawToolResult result = write("UPDATE orders SET n = 1 WHERE id < 5 RETURNING id");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "TOO_MANY_ROWS");
  EXPECT_EQ(
      result.error->message,
      "The statement would change more than 3 rows; at most 3 are allowed. Nothing was written. "
      "Narrow the condition, or split it");
  EXPECT_TRUE(result.never_happened);
  EXPECT_EQ(owner.value("SELECT sum(n) FROM orders"), "0");
  EXPECT_EQ(keys(), "0");
  EXPECT_FALSE(write("UPDATE orders SET n = 1 WHERE id < 4").error);
}

TEST_F(DatabaseWriteOnServer, FindsOutBeforeItWritesThatItWouldWriteTooMuch) {
  source.row_limit = 3;
  const std::string last = "SELECT last_value || ' ' || is_called FROM sales.notes_id_seq";
  const std::string before = owner.value(last);  // no rollback sets a sequence back
  EXPECT_EQ(code("INSERT INTO sales.notes (text) SELECT 'x' FROM generate_series(1, 3000000)"),
            "TOO_MANY_ROWS");
  EXPECT_EQ(owner.value(last), before);
  EXPECT_EQ(code("DELETE FROM orders WHERE id > 0", "k2"), "TOO_MANY_ROWS");
  EXPECT_EQ(code("UPDATE orders SET n = 1 FROM generate_series(1, 2) AS g (i) WHERE id > 0", "k3"),
            "TOO_MANY_ROWS");
  EXPECT_EQ(owner.value("SELECT count(*) FROM orders WHERE xmax::text <> '0'"), "0")
      << "a row that was changed and rolled back has the mark of who did it";
}

TEST_F(DatabaseWriteOnServer, CountsWhatConflictsToo) {
  source.row_limit = 3;
  for (const std::string end : {"DO NOTHING", "(id) DO UPDATE SET n = 1 WHERE orders.n > 100"}) {
    const RawToolResult result = write(
        "INSERT INTO orders SELECT g, 'new' FROM generate_series(1, 3000000) AS g ON CONFLICT " +
        end);
    ASSERT_TRUE(result.error) << end;
    EXPECT_EQ(result.error->code, "TOO_MANY_ROWS");
    EXPECT_THAT(result.error->message, testing::HasSubstr("WHERE NOT EXISTS"));
  }
  EXPECT_EQ(code("INSERT INTO orders SELECT g, 'new' FROM generate_series(1, 3000000) AS g WHERE "
                 "g > 10 AND g < 13 ON CONFLICT DO NOTHING",
                 "k2"),
            R"({"success":true,"message":"2 rows inserted into orders","rows_affected":2})");
}

TEST_F(DatabaseWriteOnServer, CountsWithFunctionsThatAreVouchedFor) {
  source.row_limit = 3;
  source.functions = {"public.is_large", "public.may_do_more"};
  owner.run(
      "CREATE SEQUENCE calls; CREATE FUNCTION is_large(int) RETURNS boolean LANGUAGE plpgsql "
      "STABLE "
      "AS 'BEGIN RETURN $1 > 0; END'; CREATE FUNCTION may_do_more(int) RETURNS boolean LANGUAGE "
      "plpgsql SECURITY DEFINER AS 'BEGIN PERFORM nextval(''calls''); RETURN $1 < 3; END'");
  EXPECT_EQ(code("UPDATE orders SET n = 1 WHERE is_large(id)"), "TOO_MANY_ROWS");
  EXPECT_EQ(owner.value("SELECT count(*) FROM orders WHERE xmax::text <> '0'"), "0");
  EXPECT_EQ(code("UPDATE orders SET n = 1 WHERE may_do_more(id)", "k2"),
            R"({"success":true,"message":"2 rows updated in orders","rows_affected":2})");
  EXPECT_EQ(owner.value("SELECT last_value FROM calls"), "10") << "called for each row, once";
  owner.run("DROP FUNCTION is_large(int), may_do_more(int); DROP SEQUENCE calls");
}

TEST_F(DatabaseWriteOnServer, CountsEachRowOnceBeforeItWrites) {
  source.row_limit = 3;
  const RawToolResult result =
      write("UPDATE orders SET n = 1 FROM generate_series(1, 100) AS g (i) WHERE id <= 3");
  ASSERT_FALSE(result.error) << result.error->message;
}

/// The rows that may be changed are fewer than those that are read.
TEST_F(DatabaseWriteOnServer, CountsWhatWasWrittenWherePoliciesDifferByCommand) {
  source.row_limit = 3;
  owner.run(
      "ALTER TABLE orders ENABLE ROW LEVEL SECURITY; CREATE POLICY see ON orders FOR SELECT USING "
      "(true); CREATE POLICY change ON orders FOR UPDATE USING (id <= 2)");
  EXPECT_EQ(code("UPDATE orders SET n = 1 WHERE n = 0"),
            R"({"success":true,"message":"2 rows updated in orders","rows_affected":2})");
  owner.run("DROP POLICY change ON orders; CREATE POLICY change ON orders FOR UPDATE USING (true)");
  EXPECT_EQ(code("UPDATE orders SET n = 2 WHERE id > 0", "k2"), "TOO_MANY_ROWS");
  owner.run(
      "DROP POLICY change ON orders; DROP POLICY see ON orders; ALTER TABLE orders DISABLE ROW "
      "LEVEL "
      "SECURITY");
}

TEST_F(DatabaseWriteOnServer, CountsWhatWasWrittenWhereItMayNotReadTheRows) {
  source.row_limit = 3;
  owner.run("REVOKE SELECT ON orders FROM ba_reader; GRANT SELECT (id) ON orders TO ba_reader");
  EXPECT_EQ(code("UPDATE orders SET n = 1 WHERE id <= 2"),
            R"({"success":true,"message":"2 rows updated in orders","rows_affected":2})");
  EXPECT_EQ(code("UPDATE orders SET n = 1 WHERE id > 0", "k2"), "TOO_MANY_ROWS");
  owner.run("GRANT SELECT ON orders TO ba_reader");
}

TEST_F(DatabaseWriteOnServer, WritesNothingWhereTheOperatorMadeItReadOnly) {
  source.url = database()->reader_url();
  const RawToolResult result = write(kAdd);
  const auto lacks = lacks_for_writing(source);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "SOURCE_READ_ONLY");
  ASSERT_TRUE(lacks);
  EXPECT_THAT(testing::PrintToString(*lacks),
              testing::HasSubstr("takes no writes: default_transaction_read_only is on"));
}

TEST_F(DatabaseWriteOnServer, BoundsTheRowsThatItReturns) {
  source.result_bytes_max = 1024;
  const RawToolResult result =
      write("UPDATE orders SET n = 1 WHERE id > 0 RETURNING repeat('x', 300) AS x");
  ASSERT_FALSE(result.error);
  EXPECT_LT(result.data.size(), 1600u);
  EXPECT_NE(result.data.find("\"rows_affected\":10"), std::string::npos) << result.data;
  EXPECT_NE(result.data.find("\"truncated\":true"), std::string::npos) << result.data;
  EXPECT_EQ(owner.value("SELECT sum(n) FROM orders"), "10");
}

TEST_F(DatabaseWriteOnServer, WritesNothingWhenARowIsTooLargeToReturn) {
  const RawToolResult result =
      write("DELETE FROM orders WHERE id = 1 RETURNING repeat('x', 30000000)");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "RESULT_TOO_LARGE");
  EXPECT_TRUE(result.never_happened);
  EXPECT_FALSE(write(kAdd, "b").error);
  EXPECT_EQ(owner.value("SELECT count(*) FROM orders"), "11");
}

TEST_F(DatabaseWriteOnServer, EndsAStatementThatWaitsTooLong) {
  source.lock_timeout = Milliseconds(50);
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  const RawToolResult result = write("DELETE FROM orders WHERE id = 1");
  owner.run("COMMIT");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "55P03");
  EXPECT_EQ(result.error->type, ToolErrorType::TransientError);
  source.lock_timeout = Milliseconds(15000);
  source.statement_timeout = Milliseconds(1000);
  tool.reset();
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  EXPECT_EQ(write("DELETE FROM orders WHERE id = 1").error->message,
            "Tool execution timed out after 1000ms");
  owner.run("COMMIT");
}

TEST_F(DatabaseWriteOnServer, ACallWhoseTimeIsOverWritesNothingLaterAndMayBeRunAgain) {
  call_timeout = Milliseconds(1000);
  owner.run("BEGIN; SELECT 1 FROM orders WHERE id = 1 FOR UPDATE");
  const RawToolResult late = write("UPDATE orders SET n = n + 1 WHERE id = 1");
  owner.run("COMMIT");
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->type, ToolErrorType::Timeout);
  EXPECT_EQ(late.error->message, "Tool execution timed out after 1000ms");
  EXPECT_FALSE(late.outcome_unknown);
  EXPECT_EQ(keys(), "0");
  call_timeout = Milliseconds(20000);
  EXPECT_FALSE(write("UPDATE orders SET n = n + 1 WHERE id = 1").error);
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

// ---- the walls ---------------------------------------------------------------------------------

TEST_F(DatabaseWriteOnServer, RefusesWhatTheGuardRefuses) {
  EXPECT_EQ(code("DELETE FROM orders"), "SQL_NOT_ALLOWED");
  EXPECT_EQ(code("INSERT INTO parents VALUES (1)"), "SQL_NOT_ALLOWED");
  EXPECT_EQ(code("DROP TABLE orders"), "SQL_NOT_ALLOWED");
  EXPECT_EQ(code("INSER"), "SQL_SYNTAX");
  EXPECT_EQ(keys(), "0");
}

TEST_F(DatabaseWriteOnServer, EachSourceAllowsItsOwnStatementsAndTablesOnly) {
  WriteSourceConfig notes = source;
  notes.name = "notes";
  notes.rules.tables = {"sales.notes"};
  notes.rules.statements = {WriteStatement::Insert};
  tool = std::make_unique<DatabaseWrite>(std::vector{source, notes}, executor);
  const auto refused = [&](const std::string& name, const std::string& sql) {
    answers.clear();
    ToolInvocation call = invocation("", "key of " + name + sql);
    call.parameters = R"({"data_source":")" + name + R"(","sql":")" + sql + "\"}";
    handles.push_back(
        tool->run(call, [this](RawToolResult raw) { answers.push_back(std::move(raw)); }));
    EXPECT_TRUE(executor.run_until([&] { return !answers.empty(); }));
    const auto& error = answers.at(0).error;
    return error && error->type == ToolErrorType::PermissionDenied;
  };
  EXPECT_FALSE(refused("shop", "UPDATE orders SET n = 1 WHERE id = 1"));
  EXPECT_TRUE(refused("notes", "UPDATE orders SET n = 2 WHERE id = 1"));
  EXPECT_TRUE(refused("notes", "UPDATE sales.notes SET text = 'x' WHERE id = 1"));
  EXPECT_FALSE(refused("notes", "INSERT INTO sales.notes (text) VALUES ('x')"));
  EXPECT_EQ(owner.value("SELECT n FROM orders WHERE id = 1"), "1");
}

TEST_F(DatabaseWriteOnServer, AsksTheCatalogAboutFunctionsThatNoListKnows) {
  const RawToolResult result = write("INSERT INTO orders VALUES (tick(), 'x')");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "SQL_NOT_ALLOWED");
  EXPECT_TRUE(result.error->message.ends_with("tick()")) << result.error->message;
  EXPECT_EQ(keys(), "0");
}

TEST_F(DatabaseWriteOnServer, HasNoMoreRightsThanItsRole) {
  const RawToolResult result = write("INSERT INTO secrets VALUES (1)");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(result.error->code, "42501");
  EXPECT_EQ(code("DELETE FROM sales.notes WHERE id = 1", "b"), "42501");
}

// ---- the table of keys -------------------------------------------------------------------------

TEST_F(DatabaseWriteOnServer, RemovesOldKeysAndKeepsTheOthers) {
  owner.run(
      "INSERT INTO ba_effects SELECT 'old' || g, 't', 's', '{}', now() - interval '31 days' FROM "
      "generate_series(1, 2500) g;"
      "INSERT INTO ba_effects VALUES ('young', 't', 's', '{}', now() - interval '29 days')");
  source.pool_size = 1;
  for (int i = 0; i < 3; ++i) write("DELETE FROM orders WHERE id = 1", std::to_string(i));
  EXPECT_TRUE(executor.run_until([&] { return keys() == "4"; })) << keys() << " are left";
  EXPECT_EQ(owner.value("SELECT count(*) FROM ba_effects WHERE key = 'young'"), "1");
}

TEST_F(DatabaseWriteOnServer, SaysWhatIsMissing) {
  source.rules.tables = {"orders", "sales.notes", "late"};
  EXPECT_EQ(lacks_for_writing(source).value(), std::vector<std::string>{});
  owner.run("REVOKE DELETE ON ba_effects FROM ba_reader");
  source.rules.tables.push_back("sales.lost");
  EXPECT_EQ(lacks_for_writing(source).value(),
            (std::vector<std::string>{
                "data source 'shop': does not let its login role use public.ba_effects: it needs "
                "SELECT, INSERT, UPDATE, DELETE",
                R"(data source 'shop': has no table "sales"."lost")"}));
  owner.run("REVOKE INSERT ON ba_effects FROM ba_reader");
  EXPECT_EQ(code(kAdd), "EFFECTS_TABLE_RIGHTS");
  owner.run("ALTER TABLE ba_effects RENAME TO elsewhere");
  const RawToolResult result = write(kAdd, "b");
  EXPECT_EQ(result.error->code, "EFFECTS_TABLE_MISSING");
  EXPECT_EQ(result.error->type, ToolErrorType::DependencyError);
  tools::ToolsConfig config;
  config.of<SqlConfig>().write_sources = {source};
  const auto built = tools::build_tools(sql_tools().makers(config, {}), {}, {executor});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->warnings.at(0),
            "data source 'shop': has no table public.ba_effects: its owner creates it with "
            "effects_table.sql: until then, database_write will fail there");
  owner.run("ALTER TABLE elsewhere RENAME TO ba_effects");
  owner.run(WriteDatabase::effects_table("ba_reader"));
  EXPECT_EQ(write(kAdd, "c").data, kAdded);
}

TEST_F(DatabaseWriteOnServer, ARoleThatMayNotConnectIsToldInTheServersWords) {
  const std::string name = owner.value("SELECT current_database()");
  owner.run("REVOKE CONNECT ON DATABASE " + name + " FROM PUBLIC");
  const auto lacks = lacks_for_writing(source);
  owner.run("GRANT CONNECT ON DATABASE " + name + " TO PUBLIC");
  ASSERT_FALSE(lacks);
  EXPECT_EQ(lacks.error().code, ErrorCode::PermissionDenied);
  EXPECT_NE(lacks.error().message.find("User does not have CONNECT privilege"), std::string::npos)
      << lacks.error().message;
}

TEST_F(DatabaseWriteOnServer, DeclaresWhatItIs) {
  tool = std::make_unique<DatabaseWrite>(std::vector{source}, executor);
  EXPECT_EQ(tool->descriptor().effect, EffectClass::Keyed);
  EXPECT_EQ(tool->descriptor().permission, PermissionLevel::Admin);
  EXPECT_EQ(tool->descriptor().cache_policy, CachePolicy::NoCache);
  EXPECT_NE(description_for(tool->descriptor(), std::nullopt).find("tables: orders, sales.notes"),
            std::string::npos);
}

}  // namespace
}  // namespace ba::sql
