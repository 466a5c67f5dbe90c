#pragma once
// SPDX-License-Identifier: Apache-2.0
// A connection of libpq. Statements are sent in its pipeline mode: one whose answer isn't needed at
// once waits for nothing, and an error skips all that were sent after it. Throws PgFailure. Owned
// and used by one thread. See https://www.postgresql.org/docs/15/libpq-pipeline-mode.html.

#include <deque>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/parameter.hpp"
#include "storage/postgres/statement.hpp"

struct pg_conn;    // libpq's PGconn
struct pg_result;  // libpq's PGresult

namespace ba::storage {

/// Why the database didn't do what it was asked for.
class PgFailure : public std::runtime_error {
 public:
  enum class Kind {
    Statement,     ///< refused; with its SQLSTATE
    Connection,    ///< couldn't be made, or broke
    CommitInDoubt  ///< broke before COMMIT was answered
  };

  PgFailure(Kind kind, const std::string& message, std::string sqlstate = {})
      : std::runtime_error(message), kind_(kind), sqlstate_(std::move(sqlstate)) {}

  Kind kind() const { return kind_; }
  const std::string& sqlstate() const { return sqlstate_; }

 private:
  Kind kind_;
  std::string sqlstate_;
};

using PgResult = std::shared_ptr<const pg_result>;

class Connection {
 public:
  /// Connects, and blocks meanwhile.
  explicit Connection(const std::string& conninfo);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const;
  int server_version() const;                    ///< 150018
  std::int64_t waits() const { return waits_; }  ///< how often it has waited for the server so far
  std::string quote_name(std::string_view name) const;
  std::string quote_text(std::string_view text) const;

  /// Plain SQL without parameters, several statements at once: the answer of the last.
  PgResult execute(const std::string& sql);

  /// The answer of a statement, which is prepared on first use.
  PgResult run(const Statement& statement, const std::vector<Parameter>& parameters);
  /// The same without waiting; the next call that waits throws what it failed with, or leaves its
  /// answer in `answer`, where that is given.
  void send(const Statement& statement, const std::vector<Parameter>& parameters,
            std::shared_ptr<PgResult> answer = nullptr);
  /// Waits for what was sent.
  void settle();

  /// Sent with the first statement.
  void begin();
  void commit();
  /// Does nothing outside a transaction. Whatever fails shows in is_open().
  void roll_back() noexcept;

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  struct Sent {
    const char* prepares = nullptr;  ///< the statement's name
    std::shared_ptr<PgResult> answer{};
  };
  void enter_pipeline();
  void leave_pipeline();
  void send_plain(const char* sql);
  void require_sent(int sent);
  /// Waits for all answers; the last one.
  PgResult collect();
  /// Throws where there is none.
  PgResult next_answer();
  PgFailure lost() const;
  PgFailure refused(const pg_result& result) const;

  std::unique_ptr<pg_conn, Close> connection_;
  std::set<std::string_view> prepared_;
  std::deque<Sent> sent_;  ///< not answered yet
  std::int64_t waits_ = 0;
  bool committing_ = false;   ///< COMMIT was sent and isn't answered
  bool out_of_step_ = false;  ///< nobody knows what the next answer is to
};

}  // namespace ba::storage
