// SPDX-License-Identifier: Apache-2.0
// What a verdict takes, for `ops/bench verdicts`: of each statement that analysts write daily, new
// to its connection, and then again. Prints lines "KIND MICROSECONDS". KIND is "bare", a
// transaction with nothing in it, in one message: what asking the server takes at least; "grammar",
// the first filter, without the server; and of the verdict from the server's resolution "new", of a
// statement that the connection hasn't seen, "seen", of one that it has and remembers, and "anew",
// of one that it has and does not remember, since a transaction has ended on the server meanwhile.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/worker/tools/sql/hunt/stage.hpp"
#include "tests/worker/tools/sql/hunt/statement_file.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"

namespace {

using ba::Milliseconds;
using ba::hunt::MarkedStatement;
using ba::sql::PgConnection;
using ba::sql::StatementJudge;

constexpr std::size_t kAtOnce = 50;  ///< statements of a connection; it remembers 100
constexpr int kTurns = 5;
constexpr Milliseconds kTimeout{20000};

void need(const PgConnection::Failure& failure) {
  if (failure) throw std::runtime_error("the server can't be asked: " + failure->message);
}

/// Microseconds.
template <typename Act>
double duration_of(const Act& act) {
  const auto began = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
      .count();
}

void tell(std::string_view kind, double microseconds) {
  std::cout << kind << " " << microseconds << "\n";
}

/// A new connection with the settings of query_database, and its judge.
class Connection {
 public:
  explicit Connection(const std::string& url) : judge_(connection_, {}) {
    need(connection_.connect(url, kTimeout, never_));
    ba::sql::SessionFacts facts;
    need(ba::sql::ask_session_facts(connection_, {soon(), never_}, facts));
    ba::sql::SessionSettings settings =
        ba::sql::common_settings(facts, kTimeout, kTimeout, kTimeout);
    settings.set("default_transaction_read_only", "on");
    need(connection_.script(settings.script(), {soon(), never_}));
    need(judge_.reset(StatementJudge::Purpose::Read, false, {soon(), never_}));
    judge("SELECT 1");
  }

  void time_bare() {
    tell("bare", duration_of([this] { batch({begin_, ba::sql::query_message("ROLLBACK")}); }));
  }

  /// What is judged anew is prepared under another name.
  void time(const std::string& sql) {
    std::string& known = names_[sql];
    const std::string before = known;
    const double took = judge(sql, &known);
    tell(before.empty() ? "new" : known == before ? "seen" : "anew", took);
  }

 private:
  double judge(const std::string& sql, std::string* prepared = nullptr) {
    const std::vector<PgConnection::Message> opening{begin_};
    const StatementJudge::Case asked{sql, opening, "", {soon(), never_}};
    ba::sql::StatementVerdict verdict;
    std::string name;
    const double took = duration_of([&] { need(judge_.judge(asked, verdict, name)); });
    if (verdict.refused) throw std::runtime_error(sql + ": " + verdict.refused->message);
    batch({ba::sql::query_message("ROLLBACK")});
    if (prepared != nullptr) *prepared = name;
    return took;
  }

  static PgConnection::Clock::time_point soon() { return PgConnection::Clock::now() + kTimeout; }

  void batch(const std::vector<PgConnection::Message>& messages) {
    need(connection_.batch(messages, {soon(), never_}, nullptr));
  }

  const ba::tools::Cancellation never_;
  const PgConnection::Message begin_ = ba::sql::query_message("BEGIN READ ONLY");
  PgConnection connection_;
  StatementJudge judge_;
  std::map<std::string, std::string> names_;  ///< under which statements were prepared last
};

std::string filtered(const std::string& sql) {
  std::string text;
  const double took = duration_of([&] {
    const auto guarded = ba::sql::guard(sql);
    if (!guarded) throw std::runtime_error(sql + ": " + guarded.error().message);
    text = guarded->is_explain ? guarded->explained : guarded->text;
  });
  tell("grammar", took);
  return text;
}

/// Somebody else, who writes.
class Writer {
 public:
  explicit Writer(const std::string& url) { need(connection_.connect(url, kTimeout, never_)); }
  void end_a_transaction() {
    need(connection_.script("SELECT pg_current_xact_id()",
                            {PgConnection::Clock::now() + kTimeout, never_}));
  }

 private:
  const ba::tools::Cancellation never_;
  PgConnection connection_;
};

/// At first on a server where nobody writes, then on one where a transaction has ended each time.
void measure(const std::string& url, std::span<const MarkedStatement> statements) {
  Connection connection(url);
  Writer writer(url);
  for (int turn = 0; turn <= 2 * kTurns; ++turn)
    for (const auto& [mark, sql] : statements) {
      const std::string text = filtered(sql);
      if (turn > kTurns) writer.end_a_transaction();
      connection.time_bare();
      connection.time(text);
    }
}

}  // namespace

int main() {
  try {
    const std::string url = ba::hunt::stage().reader(ba::hunt::Stage::kAnalysts);
    const auto statements = ba::hunt::statements_in("analyst_statements.txt");
    std::span<const MarkedStatement> left(statements);
    while (!left.empty()) {
      const auto part = left.first(std::min(kAtOnce, left.size()));
      measure(url, part);
      left = left.subspan(part.size());
    }
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return 2;
  }
}
