// SPDX-License-Identifier: Apache-2.0
#pragma once
// One connection to a data source: the only place that calls libpq. Every wait ends at a deadline
// or when the run is cancelled. Errors are values that never hold the URL nor what libpq says
// about connecting. Owned and used by one thread.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/time.hpp"
#include "worker/tools/base/cancellation.hpp"

namespace ba::sql {

struct SqlFailure {
  enum class Kind {
    Connect,    ///< no connection came about
    Tls,        ///< none can: its TLS fails, which waiting doesn't mend
    Superuser,  ///< the login role is one, and we refuse to be that
    Lost,       ///< the connection broke
    Server,     ///< the server answered with an error: sqlstate says which
    Deadline,   ///< no answer in time
    Cancelled,  ///< nobody waits any more
  };
  Kind kind = Kind::Server;
  std::string sqlstate;  ///< five characters; empty where the server gave none
  std::string message;   ///< the server's primary message; empty but for Server
  std::string hint;
  /// Of Connect: the server's words without the login; of Tls: what mends it. Never for models.
  std::string refusal;
  int position = 0;  ///< in the statement, in characters from 1; 0: none
  /// Of Server, where not the statement failed but what the configuration sets before it.
  std::string setting;
  std::string role;
};

/// How long something is waited for: to a deadline, or until nobody wants it any more.
struct SqlWait {
  std::chrono::steady_clock::time_point deadline;
  const tools::Cancellation& cancellation;
};

/// Receives the rows of a query, one by one as they arrive. What doesn't say otherwise wants
/// neither their columns nor to know of a row that is too large.
class RowSink {
 public:
  struct Column {
    std::string name;
    unsigned type = 0;  ///< OID
  };
  using Row = std::vector<std::optional<std::string_view>>;

  virtual ~RowSink() = default;
  virtual void columns(const std::vector<Column>&) {}
  virtual bool row(const Row& row) = 0;  ///< false: no more
  virtual void oversize() {}  ///< the next row is larger than set_unread_bytes_max() allows
};

class PgConnection {
 public:
  using Clock = std::chrono::steady_clock;
  using Failure = std::optional<SqlFailure>;  ///< none: it worked

  /// Whom it names (host, port, database, user, options …), never a password. Libpq's defaults and
  /// the environment aside. For a digest, not for a log.
  static std::string named_by(const std::string& url);

  PgConnection();
  ~PgConnection();  ///< closes; the server's work was cancelled before where that matters

  /// `url` is checked here only. A connection that was open is closed first.
  Failure connect(const std::string& url, Milliseconds timeout,
                  const tools::Cancellation& cancellation);

  /// Statements of our own, in one round trip (simple protocol): never text from a model.
  Failure script(const std::string& sql, const SqlWait& until);

  /// One statement (extended protocol: a second one is an error of the server) in a transaction of
  /// its own that `begin`, statements of our own, open and that is rolled back; all in one round
  /// trip. After a failure of the server the transaction is still to be ended by script(). When
  /// this ends with Deadline or Cancelled, or the sink stopped it, abandon() comes next.
  Failure query(const std::vector<std::string>& begin, const std::string& sql,
                const std::vector<std::string>& parameters, const SqlWait& until, RowSink& sink);

  /// One statement (extended protocol) in the transaction that a script() opened; it stays open.
  /// Where the sink stopped it (stopped()), or after anything but a failure of the server,
  /// abandon() or close() comes next: the server rolls back.
  Failure statement(const std::string& sql, const std::vector<std::string>& parameters,
                    const SqlWait& until, RowSink& sink);

  /// A message of the extended protocol.
  struct Message {
    enum class Kind {
      Query,     ///< `text` is parsed, and run
      Prepare,   ///< `text` is parsed and analysed, as `name`; nothing of it runs
      Describe,  ///< of `name`: the server looks whether its analysis still holds
      Execute,   ///< `name` is run, with `parameters`
    };
    Kind kind = Kind::Query;
    std::string name;
    std::string text;
    std::vector<std::string> parameters;
    std::vector<unsigned> types = {};  ///< of Prepare: oids of the types of its parameters
    bool rows = false;                 ///< what it answers goes to the sink
    std::string setting = {};          ///< of the configuration, that this sets; for SqlFailure
    std::string role = {};             ///< that this takes
  };

  /// Messages in one round trip; after an error of the server the rest is passed over. Where the
  /// sink stopped it, or after anything but a failure of the server, abandon() or close() comes
  /// next. A transaction that is open stays so.
  Failure batch(const std::vector<Message>& messages, const SqlWait& until, RowSink* sink);

  /// What statements became when the server analysed and rewrote them, as far as it was asked to
  /// print that (debug_print_rewritten), since the last call.
  std::vector<std::string> take_trees();
  /// A tree that was longer than this is given as an empty text.
  static constexpr std::size_t kTreeBytesMax = 32U << 20;

  /// Whether what answers is a pool of connections: another session may answer the next time.
  /// Compares the process that libpq was told of at login with `pid`, pg_backend_pid() now.
  bool pooled(int pid) const;

  /// Rows that the last statement() inserted, updated, deleted or returned.
  std::int64_t affected() const { return affected_; }
  bool stopped() const { return stopped_; }

  /// A row whose bytes have not all arrived is given up at this size.
  void set_unread_bytes_max(std::int64_t bytes) { unread_bytes_max_ = bytes; }

  /// Cancels on the server what is running there, and closes. May block on a server that hangs.
  void abandon();
  void close();

  bool open() const;
  bool in_transaction() const;
  int server_major() const;
  bool superuser() const;
  bool encrypted() const;

 private:
  struct Libpq;
  enum class Wait { Ready, Deadline, Cancelled };

  bool running() const;
  bool ended_within(Milliseconds time);
  bool send(const std::string& sql, const std::vector<std::string>& parameters);
  bool send(const Message& message);
  Wait wait(bool for_writing, const SqlWait& until) const;
  Failure failure_of(Wait outcome) const;
  Failure flush(const SqlWait& until);
  Failure arrive(const SqlWait& until, RowSink* sink);
  Failure receive(const SqlWait& until, RowSink* sink);
  Failure receive_all(const std::vector<Message>& messages, const SqlWait& until, RowSink* sink);

  std::unique_ptr<Libpq> libpq_;
  std::int64_t unread_bytes_max_ = 0;  ///< 0: no limit
  std::int64_t unread_bytes_ = 0;
  std::int64_t affected_ = 0;
  bool stopped_ = false;   ///< by the sink
  bool oversize_ = false;  ///< what is arriving is too large to be read to its end
};

/// A message that runs a statement of our own.
PgConnection::Message query_message(std::string text, std::vector<std::string> parameters = {});

/// One that prepares a statement without parameters, and one that runs it.
PgConnection::Message prepare_message(std::string name, std::string text);
PgConnection::Message execute_message(std::string name);

/// The first column of each row as a line, in order.
class RowLines final : public RowSink {
 public:
  /// `lines` outlives it.
  explicit RowLines(std::vector<std::string>& lines) : lines_(lines) {}
  bool row(const Row& row) override {
    lines_.push_back(std::string(row.at(0).value_or("")));
    return true;
  }

 private:
  std::vector<std::string>& lines_;
};

}  // namespace ba::sql
