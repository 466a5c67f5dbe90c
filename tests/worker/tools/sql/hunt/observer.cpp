// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/observer.hpp"

#include <chrono>
#include <stdexcept>

namespace ba::hunt {
namespace {

/// Where there is something to learn: another session's statement, a setting, a file, a role's
/// comment and the digest of its password, a table that only its owner reads.
const std::vector<std::string>& canaries() {
  static const std::vector<std::string> kCanaries{"canary-of-a-query",   "canary-of-a-setting",
                                                  "canary-of-a-file",    "canary-of-a-comment",
                                                  "canary-of-a-program", "c0ffeec0ffee"};
  return kCanaries;
}
const std::string kOfATable = "canary-of-a-table";
const std::string kSecretQuery = "SELECT 1 AS \"canary-of-a-query\"";

const std::string kLimits =
    "SET statement_timeout = 3000; SET lock_timeout = 200; SET temp_file_limit = '20MB';";
/// Its settings come with its first use.
const std::string kLoadLanguage = "DO 'BEGIN END'";
const std::string kLimitsOfOthers = "SET statement_timeout = 3000; SET lock_timeout = 200;";

/// Each is one row: what is looked at, and how it is.
constexpr const char* kLook = R"sql(
SELECT 'calls', coalesce(string_agg(s.funcid::regprocedure || ' ' || s.calls, ', ' ORDER BY s.funcid), '')
  FROM pg_stat_user_functions AS s JOIN pg_proc AS p ON p.oid = s.funcid WHERE p.provolatile = 'v'
UNION ALL SELECT 'sequences', string_agg(sequencename || ' ' || coalesce(last_value, -1), ', '
  ORDER BY sequencename) FROM pg_sequences WHERE format('%I.%I', schemaname, sequencename)::regclass
  NOT IN (SELECT objid FROM pg_depend WHERE classid = 'pg_class'::regclass AND deptype IN ('a', 'i'))
UNION ALL SELECT 'large objects', count(*) || ' ' || coalesce(max(oid), 0) FROM pg_largeobject_metadata
UNION ALL SELECT 'files', string_agg(f, ' ' ORDER BY f) FROM pg_ls_dir('.') AS f
UNION ALL SELECT 'the file', (pg_stat_file('canary.txt'))::text
UNION ALL SELECT 'slots', count(*)::text FROM pg_replication_slots
UNION ALL SELECT 'origins', count(*)::text FROM pg_replication_origin
UNION ALL SELECT 'prepared transactions', count(*)::text FROM pg_prepared_xacts
UNION ALL SELECT 'temporary tables', count(*)::text FROM pg_class WHERE relpersistence = 't'
UNION ALL SELECT 'resets', (SELECT string_agg(datname || coalesce(stats_reset, '-infinity'), ' ' ORDER BY datname)
  FROM pg_stat_database) || (SELECT stats_reset FROM pg_stat_bgwriter) || (SELECT stats_reset FROM pg_stat_wal)
UNION ALL SELECT 'configuration', pg_conf_load_time()::text
UNION ALL SELECT 'sessions', string_agg(pid || ' ' || state || ' ' || query, ', ' ORDER BY pid)
  FROM pg_stat_activity WHERE application_name = 'victim'
UNION ALL SELECT 'locks', count(*)::text FROM pg_locks WHERE locktype = 'advisory')sql";

/// Of a session: what the next statement would find.
constexpr const char* kKept = R"sql(
SELECT md5(string_agg(name || '=' || setting, ',' ORDER BY name)) FROM pg_settings
UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements WHERE name <> ''
UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
UNION ALL SELECT 'listens ' || c FROM pg_listening_channels() AS c
UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())sql";

/// In a transaction: whether a statement has changed what holds for those after it. Names are kept
/// in a table, since the view of all settings takes ten times as long.
constexpr const char* kSettingNames = R"sql(
CREATE TABLE IF NOT EXISTS hunt_settings AS
  SELECT name FROM pg_settings UNION ALL VALUES ('hunt.secret'), ('canary.txt'))sql";
constexpr const char* kSettings =
    "SELECT md5(string_agg(name || '=' || coalesce(current_setting(name, true), ''), ','))"
    " FROM hunt_settings";

/// Rows that the tool's role may not see: with and without them, nothing it is told differs.
struct HiddenRows {
  std::string named;   ///< statements that read them hold this word
  std::string unless;  ///< and not this one, by which they may be seen
  std::string add;
  std::string remove;
};
const std::vector<HiddenRows>& hidden_rows() {
  static const std::vector<HiddenRows> kHidden{
      {"kept_apart", "", "INSERT INTO kept_apart VALUES (100, 'other')",
       "DELETE FROM kept_apart WHERE id = 100"},
      {"behind_barrier", "airlines", "INSERT INTO airlines (carrier, name) VALUES ('Z9', 'hidden')",
       "DELETE FROM airlines WHERE carrier = 'Z9'"}};
  return kHidden;
}

/// Before the end of a transaction: what it has written to or locked beyond reading.
constexpr const char* kReach = R"sql(
SELECT coalesce('wrote as ' || pg_current_xact_id_if_assigned()::text, '')
UNION ALL SELECT mode || ' of ' || coalesce(relation::regclass::text, locktype) FROM pg_locks
 WHERE pid = pg_backend_pid() AND mode <> 'AccessShareLock'
   AND locktype NOT IN ('virtualxid', 'transactionid'))sql";

/// The same of a statement that may write: targets, their partitions, indexes and sequences apart.
constexpr const char* kReachOfWrites = R"sql(
SELECT mode || ' of ' || coalesce(relation::regclass::text, locktype) FROM pg_locks
 WHERE pid = pg_backend_pid() AND mode NOT IN ('AccessShareLock', 'RowShareLock')
   AND locktype NOT IN ('virtualxid', 'transactionid')
   AND (relation IS NULL OR relation NOT IN (SELECT oid FROM hunt_targets)))sql";

/// Views among the targets are none: what they stand for is.
constexpr const char* kTargets = R"sql(
CREATE TABLE IF NOT EXISTS hunt_targets (oid oid);
REVOKE ALL ON hunt_targets FROM PUBLIC;
INSERT INTO hunt_targets WITH RECURSIVE t AS (
    SELECT c.oid, c.reltoastrelid FROM pg_class AS c WHERE c.oid = '%'::regclass AND c.relkind <> 'v'
    UNION SELECT c.oid, c.reltoastrelid FROM t JOIN pg_inherits AS i ON i.inhparent = t.oid
      JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition),
  s AS (SELECT d.objid FROM t JOIN pg_depend AS d ON d.refobjid = t.oid
         AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
         JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S')
  SELECT oid FROM t UNION SELECT reltoastrelid FROM t UNION SELECT objid FROM s
  UNION SELECT i.indexrelid FROM t JOIN pg_index AS i ON i.indrelid = t.oid)sql";

}  // namespace

Observer::Observer(const Stage& stage, const std::string& database)
    : watcher_(stage.admin(database)),
      victim_(stage.reader(database) + " application_name=victim"),
      reader_(stage.reader(database)),
      writer_(stage.writer(database)),
      doer_(stage.admin(database)) {
  for (const std::string& table : stage.rules(database).tables) {
    std::string sql = kTargets;
    sql.replace(sql.find('%'), 1, table);
    watcher_.need(sql);
  }
  watcher_.need(kSettingNames);
  victim_.need(kSecretQuery);
  renew();
}

Observer::Traces Observer::look() {
  Traces traces;
  for (const auto& row : watcher_.need(kLook).rows)
    if (row.size() == 2) traces[row[0]] = row[1];
  const Answer rows = watcher_.script("SELECT count(*) FROM touched");  // where there is one
  if (rows.ok()) traces["rows"] = rows.rows.at(0).at(0);
  return traces;
}

std::string Observer::difference(const Traces& before, const Traces& after) {
  std::string text;
  for (const auto& [what, how] : after) {
    const auto was = before.find(what);
    if (was != before.end() && was->second == how) continue;
    text += (text.empty() ? "" : "; ") + what + ": " + (was == before.end() ? "" : was->second) +
            " → " + how;
  }
  return text;
}

std::optional<std::string> Observer::run(const std::string& sql, bool writes) {
  const auto told = learnt(sql, writes);
  const auto did = done(sql, writes);
  return told ? told : did;
}

Answer Observer::answer_of(Session& session, const std::string& sql, bool writes) {
  session.script(writes ? "BEGIN" : "BEGIN READ ONLY");
  Answer answer = session.statement(sql);
  session.script("ROLLBACK");
  return answer;
}

/// What changes by itself from one run to the next proves nothing.
std::optional<std::string> Observer::told_of_hidden_rows(Session& session, const std::string& sql) {
  for (const HiddenRows& hidden : hidden_rows()) {
    const auto has = [&sql](const std::string& word) {
      return sql.find(word) != std::string::npos;
    };
    if (!has(hidden.named) || (!hidden.unless.empty() && has(hidden.unless))) continue;
    const Answer first = answer_of(session, sql, false);
    const Answer again = answer_of(session, sql, false);
    if (!again.same_as(first)) continue;
    watcher_.need(hidden.add);
    const Answer with_them = answer_of(session, sql, false);
    watcher_.need(hidden.remove);
    if (!with_them.same_as(again)) return "told of rows of " + hidden.named + " that are held back";
  }
  return std::nullopt;
}

std::optional<std::string> Observer::learnt(const std::string& sql, bool writes) {
  Session& session = writes ? writer_ : reader_;
  const Answer answer = answer_of(session, sql, writes);
  if (!session.alive()) {
    session.reconnect();
    return "the session was lost";
  }
  for (const std::string& canary : canaries())
    if (answer.tells(canary)) return "told " + canary;
  if (answer.tells(kOfATable)) return "told " + kOfATable;
  return writes ? std::nullopt : told_of_hidden_rows(session, sql);
}

std::optional<std::string> Observer::done(const std::string& sql, bool writes) {
  doer_.script("BEGIN");
  const Answer answer = doer_.statement(sql);
  if (!doer_.alive()) {
    doer_.reconnect();
    return "the superuser's session was lost";
  }
  if (writes && answer.ok()) doer_.script("SET CONSTRAINTS ALL IMMEDIATE");
  std::string reach = answer.ok() ? reached(writes) : "";
  doer_.script("ROLLBACK");
  if (!answer.ok()) reach = reached(writes);  // locks of the session
  if (!reach.empty()) {
    doer_.script("DISCARD ALL");
    doer_.need(kLimits);
    return reach;
  }
  for (const std::string& canary : canaries())
    if (answer.tells(canary)) return "told a superuser " + canary;
  return std::nullopt;
}

std::string Observer::reached(bool writes) {
  std::string reach;
  const auto note = [&reach](const std::string& what) {
    reach += (reach.empty() ? "" : ", ") + what;
  };
  for (const auto& row : doer_.script(writes ? kReachOfWrites : kReach).rows)
    if (!row.at(0).empty()) note(row[0]);
  const Answer settings = doer_.script(kSettings);
  if (settings.ok() && !settings.tells(settings_in_use_)) note("changed settings");
  return reach;
}

std::string Observer::kept(Session& session) {
  std::string text;
  for (const auto& row : session.script(kKept).rows) text += row.at(0) + ";";
  return text;
}

void Observer::open_victim() {
  const std::string there =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'victim'";
  if (watcher_.need(there).rows.at(0).at(0) == "1") return;
  victim_.reconnect();
  victim_.need(kSecretQuery);
}

void Observer::wait_until_alone() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  const std::string others =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
      " AND usename IN ('reader', 'writer') AND application_name <> 'victim'";
  while (watcher_.need(others).rows.at(0).at(0) != "0")
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("sessions don't end");
}

std::string Observer::renew() {
  std::string changed;
  const std::string now = kept(reader_) + kept(writer_) + kept(doer_);
  if (!settings_.empty() && now != settings_) changed = "sessions keep: " + now;
  doer_.script("SELECT pg_stat_force_next_flush()");
  reader_.reset();
  writer_.reset();
  wait_until_alone();
  doer_.reconnect();
  reader_.reconnect();
  writer_.reconnect();
  doer_.need(kLimits + kLoadLanguage);
  reader_.need(kLimitsOfOthers + kLoadLanguage);
  writer_.need(kLimitsOfOthers + kLoadLanguage);
  settings_ = kept(reader_) + kept(writer_) + kept(doer_);
  settings_in_use_ = doer_.need(kSettings).rows.at(0).at(0);
  open_victim();
  return changed;
}

}  // namespace ba::hunt
