-- SPDX-License-Identifier: Apache-2.0
-- $1 incarnation, $2 how many, $3 share of each lane in percent, $4 how many second attempts at
-- once, $5 to $7 where each lane goes on: after which tenant, whose queue is dug through, and up to
-- which job (0: it is through). Answers with where it goes on next and, beside that of their lane,
-- with the jobs that are claimed.
--
-- What is read grows with $2 and with nothing else: in each lane $2 + 32 tenants are looked at, in
-- a ring by their names (a loose scan), and as many jobs are found, turn by turn: each tenant's
-- first, then each one's second. For a tenant's next one 32 jobs are looked at. One whose first 32
-- are all held up by their conversations is dug through, a piece with each claim and one tenant at
-- a time, so that what stands behind them is found as well. What a piece has that can run has its
-- tenant's turn, behind all others' where the tenant isn't looked at. The next piece is looked at
-- when all of that is claimed, but for second attempts over their quota. Once something of a queue
-- is claimed it is another such tenant's turn, if there is one.
--
-- The ring goes on at the first tenant that has nothing running here and got nothing, so that it is
-- the next one's turn; else behind those that were looked at, or, where these are all, behind the
-- last that got something.
--
-- Jobs on a further attempt have quotas: some second attempts, one later one. They come from an
-- index of their own, so that neither they nor the others are looked for in vain.
--
-- A job's turn is its number among its tenant's running and claimable ones; its lane_turn its
-- number, by turns, among its lane's. Both count what this incarnation runs already, so that shares
-- hold also when slots come free one by one.
-- What a job was paused before it was ever claimed is no time that its deadline would have counted.
-- The plan is made once, maybe when little waits and nothing runs, and must serve later as well.
-- Queues are asked for between two rows of (lane, tenant, id), in that order, so that no index but
-- theirs is of use: that of ids, which goes through all that has ended, isn't.
-- Chosen and locked jobs are asked for as an array: a join may go through all jobs instead.
-- `state || ''` keeps it from reading all ready jobs to find the chosen ones. OFFSET 0 keeps it
-- from computing the next tenant once for each use, and has it look up conversations one by one.
-- What runs of each tenant is an object to look into, as these sessions join by loops only.
WITH RECURSIVE places AS MATERIALIZED (
  SELECT (n - 1)::smallint AS lane, percent, after, deep, deep_after
  FROM unnest($3::integer[], $5::text[], $6::text[], $7::bigint[])
    WITH ORDINALITY AS p (percent, after, deep, deep_after, n)
), ring (lane, tenant, place, start, wrapped) AS (
  SELECT lane, after, 0, after, false FROM places
  UNION ALL
  SELECT r.lane, next.tenant, r.place + 1, r.start, r.wrapped OR next.tenant <= r.tenant
  FROM ring r CROSS JOIN LATERAL (
    SELECT coalesce(
      (SELECT j.tenant FROM jobs j
       WHERE j.state = 'ready' AND (j.lane, j.tenant) > (r.lane, r.tenant) AND j.lane <= r.lane
       ORDER BY j.lane, j.tenant LIMIT 1),
      CASE WHEN NOT r.wrapped THEN
        (SELECT j.tenant FROM jobs j
         WHERE j.state = 'ready' AND j.lane >= r.lane AND j.lane <= r.lane
         ORDER BY j.lane, j.tenant LIMIT 1) END) AS tenant
    OFFSET 0) AS next
  WHERE r.place < $2::integer + 32
    AND (next.tenant <= r.start OR NOT r.wrapped AND next.tenant > r.tenant)
), running AS MATERIALIZED (
  SELECT tenant, lane, least(attempt, 3) AS attempt, count(*) AS jobs FROM jobs
  WHERE incarnation = $1 AND state = 'running' AND parent IS NULL GROUP BY 1, 2, 3
), running_of AS MATERIALIZED (
  SELECT coalesce(jsonb_object_agg(tenant, jobs), '{}') AS jobs
  FROM (SELECT tenant, sum(jobs) AS jobs FROM running GROUP BY tenant) AS of_tenants
), tenants AS MATERIALIZED (
  SELECT lane, tenant, place,
         coalesce(((SELECT jobs FROM running_of) ->> tenant)::bigint, 0) AS running
  FROM ring WHERE place > 0
), quotas AS MATERIALIZED (
  SELECT q.attempt, q.most - coalesce((SELECT sum(r.jobs) FROM running r
                                       WHERE r.attempt = q.attempt), 0) AS jobs
  FROM (VALUES (2, $4::integer), (3, 1)) AS q (attempt, most)
), lanes AS MATERIALIZED (
  SELECT p.lane,
         (SELECT coalesce(sum(r.jobs), 0) FROM running r WHERE r.lane = p.lane) AS running,
         CASE WHEN percent > 0
              THEN greatest(1, floor(($2::integer + coalesce((SELECT sum(jobs) FROM running), 0))
                                     * percent / 100))
              ELSE 0 END AS slots
  FROM places p
), found AS MATERIALIZED (
  SELECT p.lane, f.tenant, f.place, f.running, f.id
  FROM places p CROSS JOIN LATERAL (
    WITH RECURSIVE queue (tenant, place, running, id) AS (
      SELECT t.tenant, t.place, t.running, 0::bigint FROM tenants t WHERE t.lane = p.lane
      UNION ALL
      SELECT q.tenant, q.place, q.running, next.id
      FROM queue q CROSS JOIN LATERAL (
        SELECT l.id FROM (
          SELECT j.id, j.conversation FROM jobs j
          WHERE j.state = 'ready' AND j.attempt = 0
            AND (j.lane, j.tenant, j.id) > (p.lane, q.tenant, q.id)
            AND (j.lane, j.tenant) <= (p.lane, q.tenant)
          ORDER BY j.lane, j.tenant, j.id LIMIT 32) AS l
        WHERE l.id = (SELECT e.id FROM jobs e
            WHERE e.state <> 'finished' AND e.conversation BETWEEN l.conversation AND l.conversation
            ORDER BY e.conversation, e.id LIMIT 1)
          AND (SELECT e.id FROM jobs e
            WHERE e.state = 'running' AND e.conversation BETWEEN l.conversation AND l.conversation
            ORDER BY e.conversation LIMIT 1) IS NULL
        LIMIT 1) AS next
    )
    SELECT tenant, place, running, id FROM queue WHERE id > 0 LIMIT $2::integer + 32) AS f
), retried AS MATERIALIZED (
  SELECT t.lane, t.tenant, t.place, t.running, l.id, l.attempt
  FROM tenants t CROSS JOIN LATERAL (
    SELECT j.id, j.conversation, j.attempt FROM jobs j
    WHERE j.state = 'ready' AND j.attempt > 0
      AND (j.lane, j.tenant) >= (t.lane, t.tenant) AND (j.lane, j.tenant) <= (t.lane, t.tenant)
    ORDER BY j.lane, j.tenant, j.id LIMIT 32) AS l
  WHERE EXISTS (SELECT 1 FROM quotas WHERE jobs > 0)
    AND EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND attempt > 0)
    AND l.id = (SELECT e.id FROM jobs e
      WHERE e.state <> 'finished' AND e.conversation BETWEEN l.conversation AND l.conversation
      ORDER BY e.conversation, e.id LIMIT 1)
    AND (SELECT e.id FROM jobs e
      WHERE e.state = 'running' AND e.conversation BETWEEN l.conversation AND l.conversation
      ORDER BY e.conversation LIMIT 1) IS NULL
  LIMIT $4::integer + 64
), held_up AS MATERIALIZED (
  SELECT p.lane, d.tenant, d.after, d.n
  FROM places p CROSS JOIN LATERAL (
    SELECT t.tenant, l.id AS after, row_number() OVER (ORDER BY t.tenant <= p.deep, t.tenant) AS n
    FROM tenants t CROSS JOIN LATERAL (
      SELECT j.id FROM jobs j
      WHERE j.state = 'ready'
        AND (j.lane, j.tenant) >= (p.lane, t.tenant) AND (j.lane, j.tenant) <= (p.lane, t.tenant)
      ORDER BY j.lane, j.tenant, j.id OFFSET 31 LIMIT 1) AS l
    WHERE t.lane = p.lane AND (t.lane, t.place) NOT IN (SELECT lane, place FROM found)) AS d
), digs AS MATERIALIZED (
  SELECT lane, deep AS tenant, deep_after AS after FROM places WHERE deep_after > 0
  UNION ALL
  SELECT h.lane, h.tenant, h.after FROM held_up h JOIN places p ON p.lane = h.lane
  WHERE h.n = 1 AND p.deep_after = 0
), dug AS MATERIALIZED (
  SELECT d.lane, d.tenant, l.id, l.attempt, l.conversation
  FROM digs d CROSS JOIN LATERAL (
    SELECT j.id, j.attempt, j.conversation FROM jobs j
    WHERE j.state = 'ready' AND (j.lane, j.tenant, j.id) > (d.lane, d.tenant, d.after)
      AND (j.lane, j.tenant) <= (d.lane, d.tenant)
    ORDER BY j.lane, j.tenant, j.id LIMIT $2::integer + 256) AS l
), candidates AS (
  SELECT DISTINCT ON (id) * FROM (
    SELECT lane, tenant, place, running, id, 1 AS attempt, false AS deep FROM found
    UNION ALL
    SELECT lane, tenant, place, running, id, least(attempt + 1, 3), false FROM retried
    UNION ALL
    SELECT d.lane, d.tenant,
           coalesce((SELECT t.place FROM tenants t WHERE t.lane = d.lane AND t.tenant = d.tenant),
                    $2::integer + 33),
           coalesce(((SELECT jobs FROM running_of) ->> d.tenant)::bigint, 0), d.id,
           least(d.attempt + 1, 3), true
    FROM dug d
    WHERE d.id = (SELECT e.id FROM jobs e
        WHERE e.state <> 'finished' AND e.conversation BETWEEN d.conversation AND d.conversation
        ORDER BY e.conversation, e.id LIMIT 1)
      AND (SELECT e.id FROM jobs e
        WHERE e.state = 'running' AND e.conversation BETWEEN d.conversation AND d.conversation
        ORDER BY e.conversation LIMIT 1) IS NULL) AS all_found
  ORDER BY id, place, deep
), admitted AS (
  SELECT c.id, c.lane, c.place, c.deep,
         c.running + row_number() OVER (PARTITION BY c.lane, c.tenant ORDER BY c.id) AS turn
  FROM (SELECT *, row_number() OVER (PARTITION BY attempt ORDER BY id) AS n
        FROM candidates) AS c
  LEFT JOIN quotas q ON q.attempt = c.attempt
  WHERE q.jobs IS NULL OR c.n <= q.jobs
), ranked AS (
  SELECT a.id, a.lane, a.place, a.deep, a.turn, l.slots,
         l.running + row_number() OVER (PARTITION BY a.lane ORDER BY a.turn, a.place, a.id)
           AS lane_turn
  FROM admitted a JOIN lanes l ON l.lane = a.lane
), chosen AS MATERIALIZED (
  SELECT id, lane, place, deep, turn,
         row_number() OVER (ORDER BY (lane_turn <= slots) DESC, lane, lane_turn)
           <= $2::integer AS taken
  FROM ranked
), ends AS MATERIALIZED (
  SELECT lane,
         min(place) FILTER (WHERE NOT taken AND turn = 1 AND place <= $2::integer + 32) AS skipped,
         max(place) FILTER (WHERE taken) AS served,
         bool_or(NOT taken AND deep) AS held, bool_or(taken AND deep) AS dug_out
  FROM chosen GROUP BY lane
), stops AS MATERIALIZED (
  SELECT p.lane, e.held, e.dug_out,
         coalesce(e.skipped - 1, CASE WHEN l.looked = $2::integer + 32 THEN l.looked
                                      ELSE e.served END, 0) AS place
  FROM places p LEFT JOIN ends e ON e.lane = p.lane
  LEFT JOIN (SELECT lane, max(place) AS looked FROM tenants GROUP BY lane) AS l
    ON l.lane = p.lane
), next_places AS MATERIALIZED (
  SELECT p.lane, (SELECT r.tenant FROM ring r WHERE r.lane = p.lane AND r.place = s.place) AS after,
         coalesce(d.tenant, p.deep) AS deep,
         CASE WHEN s.dug_out AND EXISTS (SELECT FROM held_up h WHERE h.lane = p.lane
                                         AND h.tenant <> d.tenant) THEN 0
              WHEN s.held THEN d.after
              WHEN g.jobs = $2::integer + 256 THEN g.last
              ELSE 0 END AS deep_after
  FROM places p JOIN stops s ON s.lane = p.lane LEFT JOIN digs d ON d.lane = p.lane
  LEFT JOIN (SELECT lane, count(*) AS jobs, max(id) AS last FROM dug GROUP BY lane) AS g
    ON g.lane = p.lane
), locked AS MATERIALIZED (
  SELECT j.id FROM jobs j
  WHERE j.id = ANY (ARRAY (SELECT id FROM chosen WHERE taken)) AND j.state || '' = 'ready'
  FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE jobs j
  SET state = 'running', incarnation = $1, attempt = j.attempt + 1, claims = j.claims + 1,
      claimed_at = now(), first_claimed_at = coalesce(j.first_claimed_at, now()),
      idle_ms = CASE WHEN j.first_claimed_at IS NULL THEN 0 ELSE j.idle_ms END
  WHERE j.id = ANY (ARRAY (SELECT id FROM locked))
  RETURNING j.id, j.lane, j.claims, j.conversation, j.attempt, j.after_crash, j.first_claimed_at,
            j.idle_ms, j.payload, j.waited_for, j.wait_max_s, j.created_at
), begun AS (
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $1 FROM claimed
)
SELECT n.lane, n.after, n.deep, n.deep_after, c.id, c.claims, c.conversation, c.attempt,
       c.after_crash, (extract(epoch FROM c.first_claimed_at) * 1000000)::bigint AS claimed_us,
       c.idle_ms, c.payload, c.waited_for, c.wait_max_s,
       (extract(epoch FROM c.created_at) * 1000000)::bigint AS created_us
FROM next_places n LEFT JOIN claimed c ON c.lane = n.lane
