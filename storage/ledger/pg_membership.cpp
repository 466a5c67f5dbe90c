// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_membership.hpp"

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/fence.hpp"

namespace ba {
namespace {

constexpr Statement kEnter{"enter", R"sql(
  INSERT INTO incarnations (worker, host, pid, version, lease_until)
  VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')
  RETURNING id)sql"};

constexpr Statement kRenew{"renew", R"sql(
  UPDATE incarnations
  SET lease_until = clock_timestamp() + $2 * interval '1 millisecond',
      renewed_at = clock_timestamp()
  WHERE id = $1 AND state = 'alive' AND lease_until > clock_timestamp()
  RETURNING (SELECT string_agg(slot || ':' || mark, ' ') FROM incarnation_marks
             WHERE incarnation = $1))sql"};

constexpr Statement kExpired{"expired", R"sql(
  SELECT id FROM incarnations
  WHERE state = 'alive' AND lease_until <= clock_timestamp() ORDER BY id)sql"};

// Waits for the transactions that hold the incarnation's fence.
constexpr Statement kLockExpired{"lock_expired", R"sql(
  SELECT lease_until <= clock_timestamp() FROM incarnations
  WHERE id = $1 AND state = 'alive' FOR UPDATE)sql"};

constexpr Statement kLockOwn{"lock_own", R"sql(
  SELECT state FROM incarnations WHERE id = $1 FOR UPDATE)sql"};

constexpr Statement kEnd{"end", R"sql(
  UPDATE incarnations SET state = $2, ended_at = clock_timestamp() WHERE id = $1)sql"};

// Given back before anything is written after a crash, a job still comes after that crash. Nobody
// may run a sub-agent again: what it may have lost is recorded here, unless it was in tool calls.
constexpr Statement kReturnJobs{"return_jobs", R"sql(
  WITH returned AS (
    UPDATE jobs
    SET state = CASE WHEN parent IS NOT NULL THEN 'held'
                     WHEN request = 'pause' THEN 'paused' ELSE 'ready' END,
        idle_since = CASE WHEN parent IS NOT NULL OR request = 'pause' THEN now() END,
        request = nullif(request, 'pause'), incarnation = NULL,
        after_crash = ($2 OR after_crash) AND parent IS NULL,
        attempt = attempt - CASE WHEN $2 THEN 0 ELSE 1 END
    WHERE incarnation = $1 AND state = 'running'
    RETURNING id, claims, parent
  ), lost AS (
    INSERT INTO wasted_model_calls AS known (job, incarnation, calls)
    SELECT id, $1, 1 FROM returned
    WHERE $2 AND parent IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM tool_calls t
                      WHERE t.job = returned.id AND t.state IN ('intended', 'running'))
    ON CONFLICT (job, incarnation) DO UPDATE SET calls = known.calls + 1)
  UPDATE attempts
  SET ended_at = now(), ending = CASE WHEN $2 THEN 'crashed' ELSE 'handed_back' END
  FROM returned WHERE job = returned.id AND claim = returned.claims)sql"};

constexpr Statement kRemoveMarks{"remove_marks", R"sql(
  DELETE FROM incarnation_marks WHERE incarnation = $1)sql"};

constexpr Statement kReturnShards{"return_shards", R"sql(
  UPDATE outbox_shards SET incarnation = NULL WHERE incarnation = $1)sql"};

void end_incarnation(Transaction& transaction, std::int64_t id, bool crashed) {
  transaction.run(kEnd, id, crashed ? "dead" : "left");
  transaction.run(kReturnJobs, id, crashed);
  transaction.run(kReturnShards, id);
  transaction.run(kRemoveMarks, id);
}

/// One expired incarnation; false when it had died or left already.
Result<bool> bury(Transaction& transaction, IncarnationId self, std::int64_t id) {
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  const auto expired = transaction.run(kLockExpired, id);
  if (expired.empty() || !expired[0][0].as<bool>()) return false;
  end_incarnation(transaction, id, true);
  return true;
}

Result<int> reap_all(Session& session, IncarnationId self) {
  const auto expired =
      session.run([self](Transaction& transaction) -> Result<std::vector<std::int64_t>> {
        if (auto alive = fence(transaction, self); !alive) return alive.error();
        std::vector<std::int64_t> ids;
        for (const auto& row : transaction.run(kExpired)) ids.push_back(row[0].as<std::int64_t>());
        return ids;
      });
  if (!expired) return expired.error();
  int died = 0;
  for (const std::int64_t id : *expired) {
    const auto buried =
        session.run([self, id](Transaction& transaction) { return bury(transaction, self, id); });
    if (!buried) return buried.error();
    died += *buried ? 1 : 0;
  }
  return died;
}

}  // namespace

void PgMembership::enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) {
  answer_from(leases_, executor_, std::move(done),
              [identity = std::move(identity), lease](Transaction& tx) -> Result<IncarnationId> {
                const auto row = tx.run(kEnter, identity.worker, identity.host, identity.pid,
                                        identity.version, lease.count());
                const IncarnationId self(row[0][0].as<std::int64_t>());
                tx.after_commit([history = tx.history(), self] { history->entered(self); });
                return self;
              });
}

void PgMembership::renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) {
  answer_from(leases_, executor_, std::move(done),
              [incarnation, lease](Transaction& tx) -> Result<void> {
                const HistoryProof proof(tx, incarnation);
                if (auto known = proof.begin(); !known) return known;
                const auto renewed = tx.run(kRenew, incarnation.value, lease.count());
                if (renewed.empty()) return proof.refused();
                return proof.compare({renewed[0][0].c_str(), renewed[0][0].size()});
              });
}

void PgMembership::reap(IncarnationId self, Completion<int> done) {
  reapers_.submit([this, self, done = std::move(done)](Session& session) {
    const auto died = reap_all(session, self);
    executor_.post([done, died] { done(died); });
  });
}

void PgMembership::leave(IncarnationId incarnation, Completion<void> done) {
  answer_from(reapers_, executor_, std::move(done), [incarnation](Transaction& tx) -> Result<void> {
    const auto own = tx.run(kLockOwn, incarnation.value);
    if (!own.empty() && std::string_view(own[0][0].c_str()) == "left") return {};
    if (auto alive = fence_alone(tx, incarnation); !alive) return alive;
    end_incarnation(tx, incarnation.value, false);
    return {};
  });
}

}  // namespace ba
