-- SPDX-License-Identifier: Apache-2.0
-- $1 incarnation, $2 how many, $3 share of each lane in percent, $4 how many second attempts at
-- once.
--
-- Jobs on a further attempt have quotas: some second attempts, one later one. They come from an
-- index of their own, so that neither they nor the others are looked for in vain.
--
-- A job's turn is its number among its tenant's running and claimable ones; its lane_turn its
-- number, by turns, among its lane's. Both count what this incarnation runs already, so that shares
-- hold also when slots come free one by one. Candidates are read tenant by tenant from the index
-- (a loose scan), so a tenant with a long queue costs no more than one with a short one.
-- What a job was paused before it was ever claimed is no time that its deadline would have counted.
-- `state || ''` keeps the planner from reading all ready jobs to find the chosen ones.
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
SELECT id, claims, attempt, $1 FROM claimed
