#pragma once
// SPDX-License-Identifier: Apache-2.0
// One connection with the program's settings, made when it is needed and thrown away when it
// breaks. run() is the only way to use it: one transaction, repeated as long as that can help.
// Owned and used by one thread.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/base/time.hpp"
#include "storage/access.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/pg_error.hpp"
#include "storage/postgres/rows.hpp"

namespace ba::storage {

/// Tells the storage's threads that it is being destroyed. Owned by the storage; any thread.
class Stop {
 public:
  void request() {
    {
      const std::lock_guard lock(mutex_);
      requested_ = true;
    }
    changed_.notify_all();
  }

  bool requested() const {
    const std::lock_guard lock(mutex_);
    return requested_;
  }

  /// Waits; false when the wait was cut short by request().
  bool pause(Milliseconds duration) const {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, duration, [this] { return requested_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool requested_ = false;
};

class KnownHistory;

struct SessionOptions {
  PgAccess access;
  Milliseconds retry_window{0};
  bool hot_path = false;  ///< statements run thousands of times: plan once, by index
  bool read_only = false;
  bool may_lose_commits = false;  ///< of the last moments before a crash of the server
  std::atomic<std::int64_t>* retries = nullptr;  ///< counted where given
  KnownHistory* history = nullptr;  ///< shared by the sessions of one process; may be none
  int slot = 0;                     ///< this session's number among them
};

class Session;

/// The answer of a statement that nobody waited for.
class LaterRows {
 public:
  /// `statement`: its name, a constant.
  LaterRows(const char* statement, std::shared_ptr<const PgResult> answer)
      : statement_(statement), answer_(std::move(answer)) {}

  /// Once its transaction has waited for the server.
  Rows rows() const { return {statement_, *answer_}; }

 private:
  const char* statement_;
  std::shared_ptr<const PgResult> answer_;
};

/// What the work of one run() sees. Throws PgFailure, of which run() makes errors.
class Transaction {
 public:
  template <typename... Parameters>
  Rows run(const Statement& statement, const Parameters&... parameters) {
    return {statement.name, connection_.run(statement, {to_parameter(parameters)...})};
  }

  /// One whose answer tells nothing: it waits for nothing, and what it fails with is thrown by the
  /// next run() or by the commit.
  template <typename... Parameters>
  void send(const Statement& statement, const Parameters&... parameters) {
    connection_.send(statement, {to_parameter(parameters)...});
  }

  /// The same, for one whose answer is wanted after the next run(), settle() or the commit.
  template <typename... Parameters>
  LaterRows ask(const Statement& statement, const Parameters&... parameters) {
    auto answer = std::make_shared<PgResult>();
    connection_.send(statement, {to_parameter(parameters)...}, answer);
    return {statement.name, answer};
  }

  /// Waits for all that was sent, and throws what it failed with.
  void settle() { connection_.settle(); }

  /// Plain SQL without parameters, several statements at once; the rows of the last.
  Rows execute(const std::string& sql) { return {"plain", connection_.execute(sql)}; }
  std::string quote_name(const std::string& name) const { return connection_.quote_name(name); }

  KnownHistory* history() const;
  int slot() const;
  /// Called once the server has acknowledged the commit, before run() answers; only then.
  void after_commit(std::function<void()> task) { after_commit_.push_back(std::move(task)); }

 private:
  friend class Session;
  Transaction(Session& session, Connection& connection)
      : session_(session), connection_(connection) {
    connection_.begin();
  }
  ~Transaction() { connection_.roll_back(); }
  void commit() {
    connection_.commit();
    committed();
  }
  void committed() const {
    for (const auto& task : after_commit_) task();
  }

  Session& session_;
  Connection& connection_;
  std::vector<std::function<void()>> after_commit_;
};

class Session {
 public:
  Session(SessionOptions options, const Stop& stop) : options_(std::move(options)), stop_(stop) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// `work(Transaction&)` returns a Result: a value commits, an error rolls back. It may run more
  /// than once, so it has no other effect than its transaction and its answer. Cancelled after
  /// Stop. The error is that of the last try; it says maybe_done if any try may have committed.
  template <typename Work>
  auto run(Work&& work) -> std::invoke_result_t<Work&, Transaction&>;

  /// Whoever does much in small pieces looks at it in between.
  bool stopping() const { return stop_.requested(); }
  static Error cancelled();

 private:
  friend class Transaction;

  template <typename Work>
  auto run_once(Work& work) -> std::invoke_result_t<Work&, Transaction&>;

  Connection& connection();
  void apply_settings(Connection& connection) const;
  /// The error; drops the connection when it is of no more use.
  Error failed(const std::exception& exception);
  /// Waits before the next try; false when there is to be none.
  bool pause_before_retry(const Error& error, SteadyTime started, int tries);

  SessionOptions options_;
  const Stop& stop_;
  std::unique_ptr<Connection> connection_;
};

/// One read-only transaction on a connection of its own, without repeats. Blocks.
template <typename Work>
auto read_once(const PgAccess& access, Work&& work) {
  SessionOptions options;
  options.access = access;
  options.read_only = true;
  const Stop stop;
  return Session(std::move(options), stop).run(work);
}

inline KnownHistory* Transaction::history() const { return session_.options_.history; }
inline int Transaction::slot() const { return session_.options_.slot; }

template <typename Work>
auto Session::run_once(Work& work) -> std::invoke_result_t<Work&, Transaction&> {
  try {
    Transaction transaction(*this, connection());
    auto answer = work(transaction);
    if (answer.has_value()) transaction.commit();
    return answer;
  } catch (const std::exception& exception) {
    return failed(exception);
  }
}

template <typename Work>
auto Session::run(Work&& work) -> std::invoke_result_t<Work&, Transaction&> {
  if (stop_.requested()) return cancelled();
  const SteadyTime started = std::chrono::steady_clock::now();
  bool maybe_done = false;
  for (int tries = 1;; ++tries) {
    auto answer = run_once(work);
    if (answer.has_value()) return answer;
    Error error = answer.error();
    maybe_done = error.maybe_done = error.maybe_done || maybe_done;
    if (!pause_before_retry(error, started, tries)) return error;
  }
}

}  // namespace ba::storage
