// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/claim_rows.hpp"

#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/bytea.hpp"

namespace ba {
namespace {

// $1 incarnation, $2 how many, $3 share of each lane in percent, $4 how many second attempts at
// once.
//
// Jobs on a further attempt have quotas: some second attempts, one later one. They come from an
// index of their own, so that neither they nor the others are looked for in vain.
//
// A job's turn is its number among its tenant's running and claimable ones; its lane_turn its
// number, by turns, among its lane's. Both count what this incarnation runs already, so that shares
// hold also when slots come free one by one. Candidates are read tenant by tenant from the index
// (a loose scan), so a tenant with a long queue costs no more than one with a short one.
// What a job was paused before it was ever claimed is no time that its deadline would have counted.
// `state || ''` keeps the planner from reading all ready jobs to find the chosen ones.
constexpr Statement kClaim{"claim", R"sql(
  WITH RECURSIVE tenants (lane, tenant) AS (
    (SELECT lane, tenant FROM jobs WHERE state = 'ready' ORDER BY lane, tenant LIMIT 1)
    UNION ALL
    SELECT next.lane, next.tenant
    FROM tenants AS t CROSS JOIN LATERAL (
      SELECT j.lane, j.tenant FROM jobs j
      WHERE j.state = 'ready' AND (j.lane, j.tenant) > (t.lane, t.tenant)
      ORDER BY j.lane, j.tenant LIMIT 1) AS next
  ), running AS MATERIALIZED (
    SELECT tenant, lane, least(attempt, 3) AS attempt, count(*) AS jobs FROM jobs
    WHERE incarnation = $1 AND state = 'running' AND parent IS NULL GROUP BY 1, 2, 3
  ), quotas AS MATERIALIZED (
    SELECT q.attempt, q.most - coalesce((SELECT sum(r.jobs) FROM running r
                                         WHERE r.attempt = q.attempt), 0) AS jobs
    FROM (VALUES (2, $4::integer), (3, 1)) AS q (attempt, most)
  ), queues AS MATERIALIZED (
    SELECT t.lane, t.tenant,
           (SELECT coalesce(sum(r.jobs), 0) FROM running r WHERE r.tenant = t.tenant) AS running
    FROM tenants AS t
  ), lanes AS MATERIALIZED (
    SELECT (n - 1)::smallint AS lane,
           (SELECT coalesce(sum(r.jobs), 0) FROM running r WHERE r.lane = n - 1) AS running,
           CASE WHEN percent > 0
                THEN greatest(1, floor(($2::integer + coalesce((SELECT sum(jobs) FROM running), 0))
                                       * percent / 100))
                ELSE 0 END AS slots
    FROM unnest($3::integer[]) WITH ORDINALITY AS s (percent, n)
  ), candidates AS (
    SELECT c.id, q.lane, q.tenant, q.running, least(c.attempt + 1, 3) AS attempt
    FROM queues AS q CROSS JOIN LATERAL (
      (SELECT j.id, j.attempt FROM jobs j
       WHERE j.state = 'ready' AND j.lane = q.lane AND j.tenant = q.tenant AND j.attempt = 0
         AND NOT EXISTS (SELECT 1 FROM jobs other
                         WHERE other.conversation = j.conversation AND other.state <> 'finished'
                           AND (other.id < j.id OR other.state = 'running'))
       ORDER BY j.id LIMIT $2::integer)
      UNION ALL
      (SELECT j.id, j.attempt FROM jobs j
       WHERE j.state = 'ready' AND j.lane = q.lane AND j.tenant = q.tenant AND j.attempt > 0
         AND NOT EXISTS (SELECT 1 FROM jobs other
                         WHERE other.conversation = j.conversation AND other.state <> 'finished'
                           AND (other.id < j.id OR other.state = 'running'))
       ORDER BY j.id LIMIT $2::integer)) AS c
  ), admitted AS (
    SELECT c.id, c.lane,
           c.running + row_number() OVER (PARTITION BY c.lane, c.tenant ORDER BY c.id) AS turn
    FROM (SELECT *, row_number() OVER (PARTITION BY attempt ORDER BY id) AS n
          FROM candidates) AS c
    LEFT JOIN quotas q ON q.attempt = c.attempt
    WHERE q.jobs IS NULL OR c.n <= q.jobs
  ), ranked AS (
    SELECT c.id, c.lane, l.slots,
           l.running + row_number() OVER (PARTITION BY c.lane ORDER BY c.turn, c.id) AS lane_turn
    FROM admitted c JOIN lanes l ON l.lane = c.lane
  ), chosen AS (
    SELECT id FROM ranked
    ORDER BY (lane_turn <= slots) DESC, lane, lane_turn
    LIMIT $2::integer
  ), locked AS MATERIALIZED (
    SELECT j.id FROM jobs j
    WHERE j.id = ANY (ARRAY (SELECT id FROM chosen)) AND j.state || '' = 'ready'
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE jobs j
    SET state = 'running', incarnation = $1, attempt = j.attempt + 1, claims = j.claims + 1,
        claimed_at = now(), first_claimed_at = coalesce(j.first_claimed_at, now()),
        idle_ms = CASE WHEN j.first_claimed_at IS NULL THEN 0 ELSE j.idle_ms END
    FROM locked WHERE j.id = locked.id
    RETURNING j.id, j.claims, j.attempt
  )
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $1 FROM claimed)sql"};

// $1 incarnation, $2 how many, $3 seconds. Jobs that were never begun and have waited for an
// earlier one for so long. That stays with them: who goes on with one ends it, too. One of a
// conversation at a time, since each runs, if only to its end.
constexpr Statement kClaimOverdue{"claim_overdue", R"sql(
  WITH chosen AS MATERIALIZED (
    SELECT DISTINCT ON (j.conversation) j.id, head.job_id AS behind
    FROM (SELECT * FROM jobs old
          WHERE old.state = 'ready' AND old.first_claimed_at IS NULL AND old.request IS NULL
            AND old.received_at <= now() - $3::bigint * interval '1 second'
          ORDER BY old.received_at LIMIT 10000) j CROSS JOIN LATERAL (
      SELECT h.job_id FROM jobs h
      WHERE h.conversation = j.conversation AND h.state <> 'finished' AND h.id < j.id
      ORDER BY h.id LIMIT 1) AS head
    WHERE j.received_at + j.idle_ms * interval '1 millisecond'
          <= now() - $3::bigint * interval '1 second'
      AND NOT EXISTS (SELECT 1 FROM jobs other
                      WHERE other.conversation = j.conversation AND other.state = 'running')
    ORDER BY j.conversation, j.id
  ), locked AS MATERIALIZED (
    SELECT j.id FROM jobs j
    WHERE j.id = ANY (ARRAY (SELECT id FROM chosen LIMIT $2::integer)) AND j.state || '' = 'ready'
      AND j.first_claimed_at IS NULL AND j.request IS NULL
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE jobs j
    SET state = 'running', incarnation = $1, attempt = j.attempt + 1, claims = j.claims + 1,
        claimed_at = now(), first_claimed_at = now(), waited_for = chosen.behind,
        wait_max_s = $3::bigint
    FROM locked JOIN chosen ON chosen.id = locked.id WHERE j.id = locked.id
    RETURNING j.id, j.claims, j.attempt
  )
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $1 FROM claimed)sql"};

// $1 incarnation, $2 how many. Jobs that are cancelled, or were found to have waited too long by
// who didn't come to end them. One of a conversation at a time, as above.
constexpr Statement kClaimEnding{"claim_ending", R"sql(
  WITH chosen AS MATERIALIZED (
    SELECT DISTINCT ON (j.conversation) j.id FROM jobs j
    WHERE (j.request = 'cancel' OR j.waited_for IS NOT NULL)
      AND j.state IN ('ready', 'paused', 'waiting')
      AND NOT EXISTS (SELECT 1 FROM jobs other
                      WHERE other.conversation = j.conversation AND other.state = 'running')
    ORDER BY j.conversation, j.id
  ), locked AS MATERIALIZED (
    SELECT j.id FROM jobs j
    WHERE j.id = ANY (ARRAY (SELECT id FROM chosen LIMIT $2::integer))
      AND j.state || '' IN ('ready', 'paused', 'waiting')
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE jobs j
    SET state = 'running', incarnation = $1, attempt = j.attempt + 1, claims = j.claims + 1,
        claimed_at = now(), first_claimed_at = coalesce(j.first_claimed_at, now()),
        idle_ms = CASE WHEN j.first_claimed_at IS NULL THEN 0
                       ELSE j.idle_ms + coalesce(extract(epoch FROM now() - j.idle_since) * 1000, 0)
                  END,
        idle_since = NULL
    FROM locked WHERE j.id = locked.id
    RETURNING j.id, j.claims, j.attempt
  )
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $1 FROM claimed)sql"};

// Payloads only of jobs that the caller doesn't know.
constexpr Statement kOwned{"owned", R"sql(
  SELECT id, coalesce(request, ''), id = ANY ($2::bigint[]), conversation, attempt, after_crash,
         (extract(epoch FROM first_claimed_at) * 1000000)::bigint, idle_ms,
         CASE WHEN id <> ALL ($2::bigint[]) THEN payload END, waited_for, wait_max_s,
         (extract(epoch FROM created_at) * 1000000)::bigint
  FROM jobs
  WHERE incarnation = $1 AND state = 'running' AND parent IS NULL
    AND (id <> ALL ($2::bigint[]) OR request IS NOT NULL)
  ORDER BY id)sql"};

constexpr Statement kWaiting{"waiting", R"sql(
  SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'ready' LIMIT $1::integer) AS r),
         EXISTS (SELECT 1 FROM jobs
                 WHERE (request = 'cancel' OR waited_for IS NOT NULL)
                   AND state IN ('ready', 'paused', 'waiting')))sql"};

/// Of one claim, for either reason. They end without a model call, so they need no free slot.
constexpr int kEndingMax = 100;

ClaimedJob claimed_job(LedgerJobId id, const pqxx::row& row) {
  ClaimedJob job;
  job.id = id;
  job.conversation = LedgerConversationId(row[3].as<std::int64_t>());
  job.attempt = row[4].as<int>();
  job.after_crash = row[5].as<bool>();
  job.first_claimed_at = WallTime(Microseconds(row[6].as<std::int64_t>()));
  job.created_at = WallTime(Microseconds(row[11].as<std::int64_t>()));
  job.idle = Milliseconds(row[7].as<std::int64_t>());
  job.payload = bytes_of_hex({row[8].c_str(), row[8].size()});
  if (!row[9].is_null())
    job.overdue = OverdueWait{JobId(row[9].c_str()), std::chrono::seconds(row[10].as<int>())};
  return job;
}

// One step for each conversation (a loose scan), however many jobs wait in it.
constexpr Statement kClaimable{"claimable", R"sql(
  WITH RECURSIVE heads (conversation, state) AS (
    (SELECT conversation, state FROM jobs WHERE state <> 'finished'
     ORDER BY conversation, id LIMIT 1)
    UNION ALL
    SELECT next.conversation, next.state
    FROM heads AS h CROSS JOIN LATERAL (
      SELECT j.conversation, j.state FROM jobs j
      WHERE j.state <> 'finished' AND j.conversation > h.conversation
      ORDER BY j.conversation, j.id LIMIT 1) AS next
  )
  SELECT count(*) FROM (SELECT 1 FROM heads WHERE state = 'ready' LIMIT $1::integer) AS ready)sql"};

/// Also sees to the jobs that wait for their end: what is seldom comes with what is counted.
void count_waiting(Transaction& transaction, IncarnationId self, const ClaimRequest& request,
                   ClaimAnswer& answer) {
  const auto counted = transaction.run(kWaiting, request.waiting_count_max);
  answer.waiting = counted[0][0].as<std::int64_t>();
  if (counted[0][1].as<bool>()) transaction.run(kClaimEnding, self.value, kEndingMax);
  if (answer.waiting == 0) return;
  answer.claimable =
      transaction.run(kClaimable, request.claimable_count_max)[0][0].as<std::int64_t>();
}

IntegerArray shares_of(const ClaimRequest& request) {
  IntegerArray shares;
  for (const int percent : request.lane_share_percent) shares.add(percent);
  return shares;
}

}  // namespace

ClaimAnswer claim_jobs(Transaction& transaction, IncarnationId self, const ClaimRequest& request) {
  const std::int64_t wait_max = request.conversation_wait_max.count();
  if (wait_max > 0) transaction.run(kClaimOverdue, self.value, kEndingMax, wait_max);
  if (request.jobs_max > 0)
    transaction.run(kClaim, self.value, request.jobs_max, shares_of(request), request.retried_max);
  ClaimAnswer answer;
  if (request.count) count_waiting(transaction, self, request, answer);
  BigintArray known;
  for (const LedgerJobId id : request.known) known.add(id.value);
  for (const auto& row : transaction.run(kOwned, self.value, known)) {
    const LedgerJobId id(row[0].as<std::int64_t>());
    if (const auto asked = parse_job_request(row[1].c_str()); asked != JobRequest::None)
      answer.requests.push_back({id, asked.value_or(JobRequest::None)});
    if (!row[2].as<bool>()) answer.jobs.push_back(claimed_job(id, row));
  }
  return answer;
}

bool is_claim_race(const Error& error) {
  return error.detail == "23505" && error.message.find("jobs_one_running") != std::string::npos;
}

}  // namespace ba
