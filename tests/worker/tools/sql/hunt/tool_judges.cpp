// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/tool_judges.hpp"

#include <stdexcept>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/read_only_session.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"
#include "worker/tools/sql/write_session.hpp"

namespace ba::hunt {
namespace {

constexpr Milliseconds kTimeout{20000};

sql::PgConnection::Clock::time_point soon() { return sql::PgConnection::Clock::now() + kTimeout; }

void need(const sql::PgConnection::Failure& failure) {
  if (failure) throw std::runtime_error("the server can't be asked: " + failure->message);
}

/// A connection with the settings of a tool's session, and the judge over it.
class Bench {
 public:
  Bench(std::string url, sql::StatementJudge::Purpose purpose,
        std::chrono::seconds age_max = std::chrono::seconds(60))
      : url_(std::move(url)), purpose_(purpose), judge_(connection_, {}, age_max) {}

  sql::StatementJudge& judge() {
    if (connection_.open()) return judge_;
    need(connection_.connect(url_, kTimeout, never_));
    sql::SessionFacts facts;
    need(sql::ask_session_facts(connection_, {soon(), never_}, facts));
    sql::SessionSettings settings = sql::common_settings(facts, kTimeout, kTimeout, kTimeout);
    if (purpose_ == sql::StatementJudge::Purpose::Read)
      settings.set("default_transaction_read_only", "on");
    else
      settings.set("search_path", "public, pg_temp");
    need(connection_.script(settings.script(), {soon(), never_}));
    need(judge_.reset(purpose_, false, {soon(), never_}));
    return judge_;
  }

  void script(const std::string& sql) { need(connection_.script(sql, {soon(), never_})); }

  /// What a session does after a statement that was not to be run.
  void settle() {
    if (connection_.in_transaction()) script("ROLLBACK");
  }

  sql::StatementJudge::Case of(const std::string& sql,
                               const std::vector<sql::PgConnection::Message>& opening,
                               bool explains = false) const {
    return {sql, opening, "", {soon(), never_}, explains};
  }

 private:
  const std::string url_;
  const sql::StatementJudge::Purpose purpose_;
  const tools::Cancellation never_;
  sql::PgConnection connection_;
  sql::StatementJudge judge_;
};

std::string reason_of(const sql::PgConnection::Failure& failure,
                      const sql::StatementVerdict& verdict) {
  if (failure) return failure->sqlstate + " " + failure->message;
  return verdict.refused ? verdict.refused->message : "";
}

class JudgeOfReads final : public Judge {
 public:
  JudgeOfReads(const std::string& url, std::chrono::seconds age_max)
      : bench_(url, sql::StatementJudge::Purpose::Read, age_max) {}

  Verdict judge(const std::string& sql) override {
    const Result<sql::GuardedSql> guarded = sql::guard(sql);
    if (!guarded) return {false, false, guarded.error().message};
    const std::vector<sql::PgConnection::Message> opening{sql::query_message("BEGIN READ ONLY")};
    const std::string& text = guarded->is_explain ? guarded->explained : guarded->text;
    sql::StatementVerdict verdict;
    std::string name;
    sql::StatementJudge& judge = bench_.judge();
    const auto failure = judge.judge(bench_.of(text, opening, guarded->is_explain), verdict, name);
    bench_.settle();
    const std::string reason = reason_of(failure, verdict);
    if (!reason.empty()) return {false, false, reason};
    const Result<SqlReading> reading = meaning_.read(sql);
    const bool kept = reading && !reading->not_cacheable && !verdict.not_cacheable;
    return {true, kept && !guarded->is_explain, ""};
  }

 private:
  sql::SqlMeaning meaning_;
  Bench bench_;
};

class JudgeOfWrites final : public Judge {
 public:
  JudgeOfWrites(const std::string& url, sql::WriteRules rules)
      : rules_(std::move(rules)), bench_(url, sql::StatementJudge::Purpose::Write) {}

  Verdict judge(const std::string& sql) override {
    const Result<sql::GuardedWrite> guarded = sql::guard_write(sql, rules_);
    if (!guarded) return {false, false, guarded.error().message};
    sql::StatementJudge& judge = bench_.judge();
    bench_.script("BEGIN");
    const std::vector<sql::PgConnection::Message> opening;
    const sql::ReachRules reach{rules_.tables, {}, {}};
    sql::StatementVerdict verdict;
    std::string name;
    const auto failure =
        judge.judge_write(bench_.of(guarded->sql.text, opening), reach, verdict, name);
    bench_.settle();
    const std::string reason = reason_of(failure, verdict);
    return {reason.empty(), false, reason};
  }

 private:
  const sql::WriteRules rules_;
  Bench bench_;
};

}  // namespace

std::unique_ptr<Judge> judge_of_reads(const std::string& url, std::chrono::seconds age_max) {
  return std::make_unique<JudgeOfReads>(url, age_max);
}

std::unique_ptr<Judge> judge_of_writes(const std::string& url, const sql::WriteRules& rules) {
  return std::make_unique<JudgeOfWrites>(url, rules);
}

std::function<std::string(const std::string&)> tool_of_reads(const std::string& url) {
  struct Reader {
    sql::DataSourceConfig source;
    sql::ReadOnlySession session{source};
  };
  const auto reader = std::make_shared<Reader>();  // what is returned shares it
  reader->source.name = "test";
  reader->source.url = url;
  return [reader](const std::string& sql) {
    const Result<sql::GuardedSql> guarded = sql::guard(sql);
    if (!guarded) return "refused: " + guarded.error().message;
    const tools::Cancellation never;
    const RawToolResult result = reader->session.run(*guarded, "", 1000, kTimeout, never);
    reader->session.clean_up();
    return result.error ? "error: " + result.error->message : result.data;
  };
}

std::string answer_of_writes(const sql::WriteSourceConfig& source, const std::string& sql) {
  const Result<sql::GuardedWrite> guarded = sql::guard_write(sql, source.rules);
  if (!guarded) return "refused: " + guarded.error().message;
  sql::WriteSession session(source);
  const sql::WriteOrder order{*guarded, "hunt:" + sql, "tenant", kTimeout};
  const tools::Cancellation never;
  const RawToolResult result = session.run(order, never);
  session.clean_up();
  return result.error ? "error: " + result.error->message : result.data;
}

}  // namespace ba::hunt
