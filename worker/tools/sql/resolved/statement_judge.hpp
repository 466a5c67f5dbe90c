#pragma once
// SPDX-License-Identifier: Apache-2.0
// The verdict on a statement, from what the server itself makes of it: the statement is prepared,
// not run, with debug_print_rewritten on and client_min_messages at log, so that the server's
// analysed and rewritten tree comes back as a notice. That needs no right but to log in, works in a
// read-only transaction and on a standby, and evaluates nothing of the statement but its literals.
//
// What was prepared is what is run, so nothing can come to mean something else between: it is
// described first, in the transaction in which it runs, which makes the server look whether its
// analysis still holds and lock its tables; if it doesn't, a new tree is printed and judged. A
// write is prepared a second time, in its transaction, and must have become the same tree. What the
// server doesn't watch (types of users, parts of tables, functions' bodies) is remembered as long
// as no transaction has ended on the server. Behind a pool of connections nothing outlives a
// transaction, and each statement is judged anew.
//
// Owned by a session and used by its thread. reset() comes with each new connection.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/resolved/catalog_facts.hpp"
#include "worker/tools/sql/resolved/literal_hazards.hpp"
#include "worker/tools/sql/resolved/statement_verdict.hpp"
#include "worker/tools/sql/resolved/write_reach.hpp"

namespace ba::sql {

class StatementJudge {
 public:
  using Clock = PgConnection::Clock;
  using Failure = PgConnection::Failure;
  using Message = PgConnection::Message;

  /// A statement that waits for its verdict.
  struct Case {
    const std::string& sql;
    /// Our own messages that open the transaction in which it would run, with all its settings.
    const std::vector<Message>& opening;
    std::string scope;  ///< who asks, where that may change what the statement means
    SqlWait until;
    bool explains = false;  ///< its plan is shown, in the place of its rows
  };

  /// `connection` outlives it. Nothing that the judge keeps in mind is older than `age_max`.
  StatementJudge(PgConnection& connection, JudgeRules rules,
                 Clock::duration age_max = std::chrono::seconds(60))
      : connection_(connection),
        rules_(std::move(rules)),
        age_max_(age_max),
        catalog_(connection) {}

  enum class Purpose { Read, Write };

  /// For a new connection. `pooled`: nothing that is prepared is there in the next transaction.
  Failure reset(Purpose purpose, bool pooled, const SqlWait& until);

  /// Failure: of the server (what is wrong with the statement) or of the connection. A statement
  /// that is allowed is to be run as `name` in the transaction that is open then, in which its
  /// tables are locked against change; otherwise one may be open, to be rolled back.
  Failure judge(const Case& asked, StatementVerdict& verdict, std::string& name);

  /// In a transaction that `asked.opening` opens, or that is open already; it stays so. Says what
  /// the statement is, without a verdict, and leaves it prepared as `name`.
  Failure resolve(const Case& asked, StatementVerdict& verdict, std::string& name);

  /// As resolve(), with the verdict on a statement of ours that reads, of a model's words: what an
  /// operator vouches for may be called where it says that it changes nothing.
  Failure judge_question(const Case& asked, StatementVerdict& verdict, std::string& name);

  /// The verdict on a statement that writes, in a transaction as resolve() has it.
  Failure judge_write(const Case& asked, const ReachRules& reach, StatementVerdict& verdict,
                      std::string& name);

 private:
  Failure look_for_hazards(const SqlWait& until);
  Failure refuse_unseen(const Case& asked, Refusal& refused);
  Refusal refusal_unseen(const Case& asked) const;
  std::vector<Message> looking_at(const Case& asked, const std::string& name);
  Failure look(const Case& asked, std::vector<Message> messages, std::vector<std::string>& trees);
  Failure enter(const Case& asked, const std::string& name, const std::string& moment, bool& holds);
  Failure prepare_to_run(const Case& asked, StatementVerdict& verdict, std::string& name,
                         bool& holds);
  Refusal refusal_of_writes_uses(StatementVerdict verdict) const;
  Failure judge_meaning(const Case& asked, StatementVerdict& verdict, std::string& name);
  Failure judge_known(const Case& asked, StatementVerdict& verdict, std::string& name);
  Failure judge_new(const Case& asked, StatementVerdict& verdict, std::string& name);
  Failure resolve_pooled(const Case& asked, StatementVerdict& verdict);
  Failure weigh(const Case& asked, const std::vector<std::string>& trees,
                StatementVerdict& verdict);
  Failure complete(const Case& asked, StatementVerdict& verdict);
  Failure read_body(const Case& asked, const TextBody& body, StatementVerdict& verdict);
  Failure reach(const Case& asked, const ReachRules& rules, StatementVerdict& verdict,
                WriteReach& found);
  void settle(StatementVerdict& verdict) const;
  void remember(const Case& asked, const StatementVerdict& verdict, const std::string& name,
                const std::string& moment);

  PgConnection& connection_;
  const JudgeRules rules_;
  const Clock::duration age_max_;
  bool pooled_ = false;
  LiteralHazards hazards_;  ///< of the database
  Clock::time_point hazards_as_of_{};
  CatalogFacts system_;  ///< facts of the system's own objects, which stay as they are
  CatalogReader catalog_;
  KnownVerdicts known_;
  std::string moment_;  ///< the server's snapshot when it was last looked; empty: it says none
};

}  // namespace ba::sql
