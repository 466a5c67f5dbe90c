#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs guarded writes at one data source, each in one transaction with its idempotency key:
//
//   INSERT the key (who comes second waits here) → a lock of its table against triggers, rules and
//   keys → how many rows it would write → the verdict on the write, from the server's own
//   resolution of it → the write → the answer beside the key → COMMIT
//
// so that a key has an answer exactly when its write is durable. A repeat finds the key and gives
// the stored answer. Nothing but the COMMIT makes anything durable: before it was sent, a run that
// failed has had no effect; when its answer is lost, only another run with the same key can tell.
// Connects when first needed and again when the connection broke. Owned and used by one thread.

#include <chrono>
#include <optional>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/resolved/statement_judge.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"

namespace ba::sql {

/// One call: what is written, and who it is.
struct WriteOrder {
  GuardedWrite write;
  std::string key;  ///< the same for each run of the call
  std::string tenant;
  Milliseconds timeout{0};  ///< of the whole call
};

class WriteSession {
 public:
  /// `source` outlives the session.
  explicit WriteSession(const WriteSourceConfig& source)
      : source_(source), judge_(connection_, {source.functions}) {}

  /// The answer as JSON, or why there is none. clean_up() comes next.
  RawToolResult run(const WriteOrder& order, const tools::Cancellation& cancellation);

  /// Ends what is left of the last run, and now and then removes keys that are older than
  /// keep_days.
  void clean_up();

 private:
  using Failure = PgConnection::Failure;
  using Clock = PgConnection::Clock;

  /// How far a run came: what its failure means depends on it.
  enum class Stage { Connecting, Claiming, Writing, Committing };

  struct Run {
    const WriteOrder& order;
    SqlWait until;
    Stage stage = Stage::Connecting;
    RawToolResult result;
    std::string prepared;  ///< name of the statement, once it was judged
  };

  Failure attempt(Run& run);
  Failure connect(const Run& run);
  /// What a session of our own sets once.
  Failure make_own(const SqlWait& until);
  Failure begin(const Run& run);
  Failure claim(Run& run, bool& ours);
  Failure stored_answer(Run& run);
  Failure lock_target(const Run& run);
  Failure within_limit(Run& run, bool& within);
  Failure server_allows(Run& run, bool& allowed);
  Failure write(Run& run);
  Failure store(Run& run);
  Failure statement(const Run& run, const std::string& sql,
                    const std::vector<std::string>& parameters, RowSink& sink);
  void refuse(Run& run, ToolError error) const;
  RawToolResult failed(const Run& run, const SqlFailure& failure) const;
  ToolError error_at(const Run& run, const SqlFailure& failure) const;
  void remove_old_keys();

  const WriteSourceConfig& source_;
  PgConnection connection_;
  StatementJudge judge_;
  SessionFacts facts_;
  SessionSettings settings_;
  bool reusable_ = false;
  std::optional<Clock::time_point> next_removal_;  ///< none: with the next clean_up()
};

}  // namespace ba::sql
