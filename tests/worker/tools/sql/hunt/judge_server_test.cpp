// SPDX-License-Identifier: Apache-2.0
// The judge by itself, on a real server: what is locked once it has judged a write, and how long it
// remembers a verdict.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"
#include "tests/worker/tools/sql/hunt/stage.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"

namespace ba::hunt {
namespace {

using std::chrono_literals::operator""s;

class JudgeTest : public testing::Test {
 protected:
  static void need(const sql::PgConnection::Failure& failure) {
    if (failure) throw std::runtime_error(failure->message);
  }
  static sql::PgConnection::Clock::time_point soon() {
    return sql::PgConnection::Clock::now() + 20s;
  }

  void connect(const std::string& url, sql::StatementJudge::Purpose purpose) {
    need(connection_.connect(url, Milliseconds(20'000), never_));
    need(judge_.reset(purpose, false, {soon(), never_}));
  }

  void script(const std::string& sql) { need(connection_.script(sql, {soon(), never_})); }

  /// As what it is prepared to be run.
  std::string judged(const std::string& sql) {
    const std::vector<sql::PgConnection::Message> opening{sql::query_message("BEGIN READ ONLY")};
    sql::StatementVerdict verdict;
    std::string name;
    need(judge_.judge({sql, opening, "", {soon(), never_}}, verdict, name));
    EXPECT_FALSE(verdict.refused) << verdict.refused->message;
    script("ROLLBACK");
    return name;
  }

  const tools::Cancellation never_;
  sql::PgConnection connection_;
  sql::StatementJudge judge_{connection_, {}};
  Session admin_{stage().admin(Stage::kAnalysts)};
};

/// Also where it returns no rows, so that describing it would lock nothing.
TEST_F(JudgeTest, AWriteHoldsWhatItNamesOnceItIsJudged) {
  admin_.need(
      "CREATE VIEW recent AS SELECT customer_id FROM orders; GRANT SELECT ON recent TO writer");
  connect(stage().writer(Stage::kAnalysts), sql::StatementJudge::Purpose::Write);
  script("BEGIN");
  const std::string sql =
      "UPDATE customers SET active = true WHERE id IN (SELECT customer_id FROM recent)";
  const std::vector<sql::PgConnection::Message> nothing;
  sql::StatementVerdict verdict;
  std::string name;
  need(judge_.judge_write({sql, nothing, "", {soon(), never_}}, {{"public.customers"}, {}, {}},
                          verdict, name));
  ASSERT_FALSE(verdict.refused) << verdict.refused->message;
  admin_.need("SET lock_timeout = '100ms'");
  for (const char* change :
       {"CREATE OR REPLACE VIEW recent AS SELECT id AS customer_id FROM customers",
        "CREATE INDEX ON customers (id)", "ALTER TABLE orders ADD CHECK (true)"})
    EXPECT_FALSE(admin_.script(change).ok()) << change;
  script("ROLLBACK");
  admin_.need("DROP VIEW recent");
}

/// Which the server doesn't watch: the type of `discount` is a domain. Of the server's own doing a
/// transaction may end at any time, so it is tried again.
TEST_F(JudgeTest, AVerdictOnTypesOfUsersHoldsUntilATransactionEnds) {
  connect(stage().reader(Stage::kAnalysts), sql::StatementJudge::Purpose::Read);
  const std::string sql = "SELECT max(discount) FROM orders";
  bool remembered = false;
  for (int i = 0; i < 50 && !remembered; ++i) remembered = judged(sql) == judged(sql);
  EXPECT_TRUE(remembered);
  const std::string before = judged(sql);
  admin_.need("SELECT pg_current_xact_id()");
  EXPECT_NE(judged(sql), before);
}

}  // namespace
}  // namespace ba::hunt
