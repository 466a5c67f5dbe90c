// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_membership.hpp"

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/return_jobs.sql.hpp"

namespace ba::storage {
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
             WHERE incarnation = $1) AS marks)sql"};

constexpr Statement kExpired{"expired", R"sql(
  SELECT id FROM incarnations
  WHERE state = 'alive' AND lease_until <= clock_timestamp() ORDER BY id)sql"};

// Waits for the transactions that hold the incarnation's fence.
constexpr Statement kLockExpired{"lock_expired", R"sql(
  SELECT lease_until <= clock_timestamp() AS expired FROM incarnations
  WHERE id = $1 AND state = 'alive' FOR UPDATE)sql"};

constexpr Statement kLockOwn{"lock_own", R"sql(
  SELECT state FROM incarnations WHERE id = $1 FOR UPDATE)sql"};

constexpr Statement kEnd{"end", R"sql(
  UPDATE incarnations SET state = $2, ended_at = clock_timestamp() WHERE id = $1)sql"};

constexpr Statement kRemoveMarks{"remove_marks", R"sql(
  DELETE FROM incarnation_marks WHERE incarnation = $1)sql"};

constexpr Statement kReturnShards{"return_shards", R"sql(
  UPDATE outbox_shards SET incarnation = NULL WHERE incarnation = $1)sql"};

void end_incarnation(Transaction& transaction, std::int64_t id, bool crashed) {
  transaction.send(kEnd, id, crashed ? "dead" : "left");
  transaction.send(sql::kReturnJobs, id, crashed);
  transaction.send(kReturnShards, id);
  transaction.send(kRemoveMarks, id);
}

/// One expired incarnation; false when it had died or left already.
Result<bool> bury(Transaction& transaction, IncarnationId self, std::int64_t id) {
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  const auto expired = transaction.run(kLockExpired, id);
  if (expired.empty() || !expired[0].flag("expired")) return false;
  end_incarnation(transaction, id, true);
  return true;
}

Result<int> reap_all(Session& session, IncarnationId self) {
  const auto expired =
      session.run([self](Transaction& transaction) -> Result<std::vector<std::int64_t>> {
        if (auto alive = fence(transaction, self); !alive) return alive.error();
        std::vector<std::int64_t> ids;
        for (const Row& row : transaction.run(kExpired)) ids.push_back(row.big("id"));
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
                const Rows entered = tx.run(kEnter, identity.worker, identity.host, identity.pid,
                                            identity.version, lease.count());
                const IncarnationId self(entered.first().big("id"));
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
                return proof.compare(renewed[0].text_or_empty("marks"));
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
    if (!own.empty() && own[0].view("state") == "left") return {};
    if (auto alive = fence_alone(tx, incarnation); !alive) return alive;
    end_incarnation(tx, incarnation.value, false);
    return {};
  });
}

}  // namespace ba::storage
