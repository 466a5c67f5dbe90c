// SPDX-License-Identifier: Apache-2.0
// What people need is allowed and gives what the server gives, whatever others have in the
// database; what does more than it says is refused, or at least not kept.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"
#include "tests/worker/tools/sql/hunt/stage.hpp"
#include "tests/worker/tools/sql/hunt/statement_file.hpp"
#include "tests/worker/tools/sql/hunt/tool_judges.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/data_source_check.hpp"

namespace ba::hunt {
namespace {

constexpr int kRows = 1000;

/// What the server gives the same role, as the tool would show it.
class Direct {
 public:
  explicit Direct(const std::string& url) {
    if (connection_.connect(url, Milliseconds(10000), never_) ||
        connection_.script(sql::readable_formats(), {soon(), never_}))
      throw std::runtime_error("no connection to the test's server");
  }

  std::string answer(const std::string& sql) {
    sql::RowJson rows(kRows, 1024 * 1024);
    const auto failure = connection_.query({"BEGIN"}, sql, {}, {soon(), never_}, rows);
    if (!failure) return rows.json();
    static_cast<void>(connection_.script("ROLLBACK", {soon(), never_}));
    return "error: " + failure->message;
  }

 private:
  static sql::PgConnection::Clock::time_point soon() {
    return sql::PgConnection::Clock::now() + Milliseconds(20000);
  }

  tools::Cancellation never_;
  sql::PgConnection connection_;
};

/// Sessions that were closed end a moment later, and say only then what ran in them.
void wait_until_alone(Session& admin) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  const std::string others =
      "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('reader', 'writer')";
  while (admin.need(others).rows.at(0).at(0) != "0")
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("sessions stay");
}

/// How often functions that people made, and that may do anything, ran in sessions that have ended.
std::string calls(const std::string& database) {
  Session admin(stage().admin(database));
  wait_until_alone(admin);
  return admin
      .need(
          "SELECT coalesce(sum(s.calls), 0) FROM pg_stat_user_functions AS s JOIN pg_proc AS p"
          " ON p.oid = s.funcid WHERE p.provolatile = 'v'")
      .rows.at(0)
      .at(0);
}

bool locks_are_held(const std::string& database) {
  const std::string sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
  return Session(stage().admin(database)).need(sql).rows.at(0).at(0) != "0";
}

/// Whether anything ran while they were judged.
bool runs_what_it_judges(const std::string& database, const MakeJudge& make,
                         const std::vector<MarkedStatement>& statements) {
  const std::string before = calls(database);
  auto judge = make();
  for (const MarkedStatement& one : statements) judge->judge(one.sql);
  const bool locks = locks_are_held(database);
  judge.reset();
  return locks || calls(database) != before;
}

/// Names one that does, where any does.
void expect_none_runs(const std::string& database, const MakeJudge& make, const std::string& file) {
  std::vector<MarkedStatement> some = statements_in(file);
  if (!runs_what_it_judges(database, make, some)) return;
  while (some.size() > 1) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    const std::vector<MarkedStatement> first(some.begin(), middle);
    some = runs_what_it_judges(database, make, first)
               ? first
               : std::vector<MarkedStatement>(middle, some.end());
  }
  ADD_FAILURE() << "something runs while a statement of " << file << " is judged, for example of "
                << some.front().sql;
}

std::string text(const MarkedStatement& statement, const Verdict& verdict) {
  return statement.sql + "\n  " + (verdict.allowed ? "is allowed" : "is refused: ") +
         verdict.reason + (verdict.may_be_kept ? " and may be kept" : "");
}

/// A refused statement that the server doesn't understand would prove nothing.
void expect_understood(Session& session, const std::string& sql) {
  const Answer answer = session.prepare(sql);
  const bool several = answer.error.find("multiple commands") != std::string::npos;
  const bool missing =
      answer.sqlstate == "34000" || answer.sqlstate == "26000";  // cursor, prepared
  EXPECT_TRUE(answer.ok() || several || missing) << sql << ": " << answer.error;
}

TEST(AnalystStatements, AreAllowedWhateverOthersHaveInTheDatabase) {
  const auto judge = stage().reads(Stage::kAnalysts)();
  for (const MarkedStatement& one : statements_in("analyst_statements.txt")) {
    const Verdict verdict = judge->judge(one.sql);
    EXPECT_TRUE(verdict.allowed) << text(one, verdict);
  }
}

TEST(AnalystStatements, ThatChangeByThemselvesAreNotKeptAndOthersAre) {
  const auto judge = stage().reads(Stage::kAnalysts)();
  for (const MarkedStatement& one : statements_in("analyst_statements.txt")) {
    const Verdict verdict = judge->judge(one.sql);
    if (one.mark == '?') continue;
    EXPECT_EQ(verdict.may_be_kept, one.mark == '=') << text(one, verdict);
  }
}

TEST(AnalystStatements, GiveWhatTheServerGives) {
  Direct direct(stage().reader(Stage::kAnalysts));
  const auto tool = tool_of_reads(stage().reader(Stage::kAnalysts));
  int compared = 0;
  for (const MarkedStatement& one : statements_in("analyst_statements.txt")) {
    const std::string expected = direct.answer(one.sql);
    EXPECT_FALSE(expected.starts_with("error")) << one.sql << "\n  " << expected;
    const std::string given = tool(one.sql);
    EXPECT_TRUE(given.starts_with("[")) << one.sql << "\n  " << given;
    if (one.mark == '~') continue;
    EXPECT_EQ(given, expected) << one.sql;
    ++compared;
  }
  EXPECT_GE(compared, 300);
}

TEST(AnalystStatements, OfWritesAreAllowedWhateverOthersHaveInTheDatabase) {
  const auto judge = stage().writes(Stage::kAnalysts)();
  Session writer(stage().writer(Stage::kAnalysts));
  for (const MarkedStatement& one : statements_in("analyst_writes.txt")) {
    const Verdict verdict = judge->judge(one.sql);
    EXPECT_TRUE(verdict.allowed) << text(one, verdict);
    writer.need("BEGIN");
    const Answer answer = writer.statement(one.sql);
    EXPECT_TRUE(answer.ok()) << one.sql << ": " << answer.error;
    writer.need("ROLLBACK");
  }
}

TEST(OtherPeoplesObjects, DoNotRunWhenStatementsAreJudged) {
  expect_none_runs(Stage::kAnalysts, stage().reads(Stage::kAnalysts), "analyst_statements.txt");
  expect_none_runs(Stage::kAnalysts, stage().writes(Stage::kAnalysts), "analyst_writes.txt");
}

TEST(OtherPeoplesObjects, DoNotRunNorSpeakWhereTheToolsAskForThemselves) {
  const std::string before = calls(Stage::kAnalysts);
  sql::DataSourceConfig source;
  source.name = "test";
  source.url = stage().reader(Stage::kAnalysts);
  const Result<sql::DataSourceFacts> facts = sql::inspect(source);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_NE(facts->tables.find("airlines(carrier text, name text)"), std::string::npos)
      << facts->tables;
  EXPECT_EQ(facts->tables.find("changed"), std::string::npos) << facts->tables;
  sql::WriteSourceConfig target;
  target.name = "test";
  target.url = stage().writer(Stage::kAnalysts);
  target.rules = stage().rules(Stage::kAnalysts);
  EXPECT_TRUE(sql::lacks_for_writing(target));
  tool_of_reads(source.url)("SELECT carrier FROM airlines");
  answer_of_writes(target, "UPDATE orders SET note = note WHERE id = 1");
  EXPECT_EQ(calls(Stage::kAnalysts), before);
}

TEST(Attacks, OnReadsAreRefusedOrNotKept) {
  const auto judge = stage().reads(Stage::kAttacks)();
  Session admin(stage().admin(Stage::kAttacks));
  for (const MarkedStatement& one : statements_in("attacks_of_reads.txt")) {
    expect_understood(admin, one.sql);
    const Verdict verdict = judge->judge(one.sql);
    EXPECT_FALSE(verdict.allowed && verdict.may_be_kept) << text(one, verdict);
    if (one.mark == '?') continue;
    EXPECT_EQ(verdict.allowed, one.mark == '~') << text(one, verdict);
  }
}

TEST(Attacks, OnWritesAreRefused) {
  const auto judge = stage().writes(Stage::kAttacks)();
  Session admin(stage().admin(Stage::kAttacks));
  for (const MarkedStatement& one : statements_in("attacks_of_writes.txt")) {
    expect_understood(admin, one.sql);
    const Verdict verdict = judge->judge(one.sql);
    EXPECT_EQ(verdict.allowed, one.mark == '=') << text(one, verdict);
  }
}

/// A literal of a row or an array is read when the statement is analysed, and its domains with it.
TEST(Attacks, DoNotRunWhenTheyAreJudged) {
  expect_none_runs(Stage::kAttacks, stage().reads(Stage::kAttacks), "attacks_of_reads.txt");
  expect_none_runs(Stage::kAttacks, stage().writes(Stage::kAttacks), "attacks_of_writes.txt");
}

/// A connection lives for hours, and others make types meanwhile.
TEST(Attacks, ByATypeThatIsMadeLaterAreRefused) {
  const auto judge = judge_of_reads(stage().reader(Stage::kAttacks), std::chrono::seconds(0));
  EXPECT_TRUE(judge->judge("SELECT '{5}'::integer[] IS NULL").allowed);
  Session admin(stage().admin(Stage::kAttacks));
  admin.need("CREATE DOMAIN made_later AS integer CHECK (hold_yes(VALUE))");
  const Verdict verdict = judge->judge("SELECT '{5}'::made_later[] IS NULL");
  admin.need("DROP DOMAIN made_later");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_NE(verdict.reason.find("may be read as an array"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace ba::hunt
