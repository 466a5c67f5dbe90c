// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/write_session.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/core/tool/observation.hpp"
#include "worker/tools/sql/connection/source_login.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"
#include "worker/tools/sql/write_answer.hpp"

namespace ba::sql {
namespace {

constexpr Milliseconds kCleanUpTimeout{10000};
constexpr std::chrono::hours kRemovalInterval{1};
constexpr int kRemovalBatch = 1000;

const std::string kTable = "public." + std::string(kEffectsTable);

const std::string kClaim = "INSERT INTO " + kTable +
                           " (key, tenant, statement) VALUES ($1, $2, $3)"
                           " ON CONFLICT (key) DO NOTHING";
const std::string kStored =
    "SELECT (tenant = $2 AND statement = $3)::text, answer FROM " + kTable + " WHERE key = $1";
const std::string kStore = "UPDATE " + kTable + " SET answer = $2 WHERE key = $1";

/// Transactions end when the worker is gone.
constexpr Milliseconds kIdleTimeout{10000};

/// A statement whose worker is gone ends within a second. Refused by servers that can't see that
/// (before PostgreSQL 14, or of a system without it): there it runs on to its time-out.
constexpr const char* kNoticeLostClient = "SET client_connection_check_interval = 1000";

constexpr const char* kCountedWithConflicts =
    ". Rows that ON CONFLICT would leave out are counted, too: leave them out by a condition "
    "(WHERE NOT EXISTS ...)";

/// Whether the server's word at a COMMIT means that nothing was committed: a deferred constraint, a
/// serialization failure. Anything else (a server that shuts down) may come after the fact.
bool refuses_commit(const SqlFailure& failure) {
  if (failure.kind != SqlFailure::Kind::Server) return false;
  const std::string& state = failure.sqlstate;
  return state.starts_with("22") || state.starts_with("23") || state.starts_with("44") ||
         state.starts_with("P0") || state == "40001" || state == "40P01";
}

}  // namespace

PgConnection::Failure WriteSession::connect(const Run& run) {
  connection_.set_unread_bytes_max(row_bytes_max(source_.result_bytes_max));
  const SourceLogin login{source_.url, source_.tenancy, source_.connect_timeout};
  if (Failure failure = log_in(connection_, login, run.until.cancellation, facts_)) return failure;
  const SqlWait until{Clock::now() + source_.connect_timeout, run.until.cancellation};
  settings_ =
      common_settings(facts_, source_.statement_timeout, source_.lock_timeout, kIdleTimeout);
  settings_.set("synchronous_commit", "on");
  // The schema that unqualified names mean to the guard.
  settings_.set("search_path", "public, pg_temp");
  if (!facts_.pooled)
    if (Failure failure = make_own(until)) return failure;
  return judge_.reset(StatementJudge::Purpose::Write, facts_.pooled, until);
}

PgConnection::Failure WriteSession::make_own(const SqlWait& until) {
  if (Failure failure = connection_.script(settings_.script(), until)) return failure;
  Failure failure = connection_.script(kNoticeLostClient, until);
  return failure && failure->kind == SqlFailure::Kind::Server ? std::nullopt : failure;
}

PgConnection::Failure WriteSession::begin(const Run& run) {
  const auto limit = std::min(run.order.timeout, source_.statement_timeout);
  std::string script = "BEGIN ISOLATION LEVEL READ COMMITTED";
  if (facts_.pooled)
    for (const PgConnection::Message& setting : settings_.local()) script += "; " + setting.text;
  script += "; SET LOCAL statement_timeout = " +
            std::to_string(stricter(limit.count(), facts_.statement_timeout_ms));
  return connection_.script(script, run.until);
}

PgConnection::Failure WriteSession::statement(const Run& run, const std::string& sql,
                                              const std::vector<std::string>& parameters,
                                              RowSink& sink) {
  return connection_.statement(sql, parameters, run.until, sink);
}

/// Waits for another run with the same key, until it has committed or is gone.
PgConnection::Failure WriteSession::claim(Run& run, bool& ours) {
  NoRows none;
  const WriteOrder& order = run.order;
  Failure failure = statement(run, kClaim, {order.key, order.tenant, order.write.sql.text}, none);
  ours = !failure && connection_.affected() == 1;
  if (ours) run.stage = Stage::Writing;
  return failure;
}

PgConnection::Failure WriteSession::stored_answer(Run& run) {
  StoredAnswer stored;
  const WriteOrder& order = run.order;
  Failure failure =
      statement(run, kStored, {order.key, order.tenant, order.write.sql.text}, stored);
  if (failure) return failure;
  if (!stored.found) {
    refuse(run, {ToolErrorType::TransientError, "KEY_REMOVED",
                 "The record of this call was removed at the same moment"});
  } else if (!stored.same) {
    refuse(run, {ToolErrorType::ValidationError, "KEY_REUSED",
                 "Another statement was run as this call before. This one was not run"});
    run.result.never_happened = true;  // nor can it, under a key that has its answer
  } else {
    run.result.data = std::move(stored.answer);
  }
  return std::nullopt;
}

/// As the tenant. No trigger, rule, check or key comes to the table from here on: a statement that
/// is prepared holds no lock. A view, or a table of which the role may write some columns only,
/// can't be locked so; the judge's second preparation locks these, but not behind a pool.
PgConnection::Failure WriteSession::lock_target(const Run& run) {
  std::vector<PgConnection::Message> messages = tenant_messages(source_.tenancy, run.order.tenant);
  messages.push_back(query_message("SAVEPOINT ba_lock"));
  if (Failure failure = connection_.batch(messages, run.until, nullptr)) return failure;
  Failure failure = connection_.script(
      "LOCK TABLE " + sql_table(run.order.write.table) + " IN ROW EXCLUSIVE MODE", run.until);
  const bool cannot =
      failure && failure->kind == SqlFailure::Kind::Server && failure->sqlstate.starts_with("42");
  if (!cannot) return failure;
  return connection_.script("ROLLBACK TO SAVEPOINT ba_lock", run.until);
}

/// Whether it changes too many rows, before it changes any.
PgConnection::Failure WriteSession::within_limit(Run& run, bool& within) {
  WriteBound bound{connection_, judge_, tenant_messages(source_.tenancy, run.order.tenant),
                   run.until};
  bool exceeded = false;
  Failure failure = bound.exceeded_by(run.order.write, source_.row_limit, exceeded);
  within = !failure && !exceeded;
  if (exceeded && !failure)
    refuse(run, too_many_rows("more than " + std::to_string(source_.row_limit), source_.row_limit,
                              run.order.write.leaves_rows_out ? kCountedWithConflicts : ""));
  return failure;
}

/// As the tenant, whose role it then has until its statement has run.
PgConnection::Failure WriteSession::server_allows(Run& run, bool& allowed) {
  const WriteOrder& order = run.order;
  const std::vector<PgConnection::Message> opening = tenant_messages(source_.tenancy, order.tenant);
  const StatementJudge::Case asked{order.write.sql.text, opening,
                                   source_.tenancy.scope_of(order.tenant), run.until};
  const ReachRules reach{source_.rules.tables, source_.also_changes, source_.functions};
  StatementVerdict verdict;
  Failure failure = judge_.judge_write(asked, reach, verdict, run.prepared);
  allowed = !failure && !verdict.refused;
  if (!failure && verdict.refused) refuse(run, std::move(*verdict.refused));
  return failure;
}

PgConnection::Failure WriteSession::write(Run& run) {
  const GuardedWrite& write = run.order.write;
  ReturnedRows returned(source_.row_limit, source_.result_bytes_max);
  PgConnection::Message prepared = execute_message(run.prepared);
  prepared.rows = true;
  if (Failure failure = connection_.batch({prepared}, run.until, &returned)) return failure;
  if (connection_.stopped()) {
    refuse(run, {ToolErrorType::InvalidParameters, "RESULT_TOO_LARGE",
                 "A row of RETURNING is too large. Nothing was written. Return fewer columns"});
    return std::nullopt;
  }
  const std::int64_t affected = connection_.affected();
  if (Failure failure = connection_.script("RESET ROLE", run.until)) return failure;
  if (affected > source_.row_limit) {
    refuse(run, too_many_rows(std::to_string(affected), source_.row_limit));
    return std::nullopt;
  }
  run.result.data = returned.answer(done_message(write, affected), affected);
  return store(run);
}

PgConnection::Failure WriteSession::store(Run& run) {
  NoRows none;
  if (Failure failure = statement(run, kStore, {run.order.key, run.result.data}, none))
    return failure;
  run.stage = Stage::Committing;
  return connection_.script("COMMIT", run.until);
}

PgConnection::Failure WriteSession::attempt(Run& run) {
  if (!connection_.open())
    if (Failure failure = connect(run)) return failure;
  if (Failure failure = begin(run)) return failure;
  run.stage = Stage::Claiming;
  bool ours = false;
  if (Failure failure = claim(run, ours)) return failure;
  if (!ours) return stored_answer(run);
  if (Failure failure = lock_target(run)) return failure;
  bool allowed = false;
  if (Failure failure = within_limit(run, allowed); failure || !allowed) return failure;
  if (Failure failure = server_allows(run, allowed)) return failure;
  return allowed ? write(run) : std::nullopt;
}

RawToolResult WriteSession::run(const WriteOrder& order, const tools::Cancellation& cancellation) {
  Run run{order, {Clock::now() + order.timeout, cancellation}, Stage::Connecting, {}, {}};
  const bool kept = connection_.open();
  Failure failure = attempt(run);
  // The server may have ended the connection since the last call; nothing was sent but BEGIN.
  if (failure && kept && run.stage == Stage::Connecting && !cancellation.cancelled()) {
    connection_.close();
    failure = attempt(run);
  }
  reusable_ = !connection_.stopped() && (!failure || failure->kind == SqlFailure::Kind::Server);
  return failure ? failed(run, *failure) : std::move(run.result);
}

/// Of a transaction that will not be committed.
void WriteSession::refuse(Run& run, ToolError error) const {
  run.result.data.clear();
  run.result.error = std::move(error);
  run.result.never_happened = run.stage == Stage::Writing;
}

RawToolResult WriteSession::failed(const Run& run, const SqlFailure& failure) const {
  RawToolResult result;
  result.error = error_at(run, failure);
  if (run.stage == Stage::Committing && !refuses_commit(failure)) {
    result.error.reset();  // whatever it was: another run with the key can tell
    result.outcome_unknown = true;
    return result;
  }
  // The key was ours: no other run had committed, and this one never will.
  result.never_happened = run.stage == Stage::Writing || run.stage == Stage::Committing;
  return result;
}

ToolError WriteSession::error_at(const Run& run, const SqlFailure& failure) const {
  const bool keys = run.stage == Stage::Claiming;
  if (keys && failure.sqlstate == "42P01")
    return {ToolErrorType::DependencyError, "EFFECTS_TABLE_MISSING",
            "The data source '" + source_.name + "' has no table " + kTable +
                ", so nothing can be written there. Its owner creates it with effects_table.sql"};
  if (keys && failure.sqlstate == "42501")
    return {ToolErrorType::DependencyError, "EFFECTS_TABLE_RIGHTS",
            "The login role of the data source '" + source_.name +
                "' needs SELECT, INSERT, UPDATE and DELETE on " + kTable +
                ", so nothing can be written there"};
  if (keys && failure.sqlstate == "25006")
    return {ToolErrorType::DependencyError, "SOURCE_READ_ONLY",
            "Nothing can be written to the data source '" + source_.name +
                "': it is a standby, or default_transaction_read_only is on for its role or "
                "database"};
  if (failure.kind == SqlFailure::Kind::Deadline) return timeout_error(run.order.timeout);
  if (failure.sqlstate == "57014")
    return timeout_error(std::min(run.order.timeout, source_.statement_timeout));
  return error_of(failure, source_.name);
}

void WriteSession::clean_up() {
  if (!leave(connection_, reusable_, kCleanUpTimeout)) return;
  if (!next_removal_ || Clock::now() >= *next_removal_) remove_old_keys();
}

/// A batch at a time; the rest of them comes with the next call.
void WriteSession::remove_old_keys() {
  const tools::Cancellation never;
  NoRows none;
  const std::string sql =
      "DELETE FROM " + kTable + " WHERE key IN (SELECT key FROM " + kTable +
      " WHERE done_at < pg_catalog.now() - pg_catalog.make_interval(days => $1::int)"
      " ORDER BY done_at LIMIT " +
      std::to_string(kRemovalBatch) + " FOR UPDATE SKIP LOCKED)";
  const Failure failure = connection_.statement(sql, {std::to_string(source_.keep_days)},
                                                {Clock::now() + kCleanUpTimeout, never}, none);
  if (failure && failure->kind != SqlFailure::Kind::Server) return connection_.abandon();
  if (failure || connection_.affected() < kRemovalBatch)
    next_removal_ = Clock::now() + kRemovalInterval;
}

}  // namespace ba::sql
