-- SPDX-License-Identifier: Apache-2.0
-- $1 milliseconds or null, $2 tenants with rules of their own, $3 theirs (-1: for ever), $4 rows.
--
-- Tenant by tenant from the index (a loose scan), oldest first, so that a tenant that keeps
-- everything costs nothing. A conversation's updated_at is when its last job ended. Its lock keeps
-- new jobs out of it: their insertion wants to share it. Its rounds go together, so that no job
-- finds half a history: one that the batch holds only a part of waits, unless it is the oldest.
-- OFFSET 0 has each row's others looked up: a join may go through all that waits or is pending.
WITH RECURSIVE tenants (tenant) AS (
  (SELECT tenant FROM jobs WHERE state = 'finished' ORDER BY tenant LIMIT 1)
  UNION ALL
  SELECT next.tenant
  FROM tenants AS t CROSS JOIN LATERAL (
    SELECT j.tenant FROM jobs j WHERE j.state = 'finished' AND j.tenant > t.tenant
    ORDER BY j.tenant LIMIT 1) AS next
), rules AS MATERIALIZED (
  SELECT t.tenant, now() - coalesce(own.age, $1::bigint) * interval '1 millisecond' AS until
  FROM tenants t
  LEFT JOIN unnest($2::text[], $3::bigint[]) AS own (tenant, age) ON own.tenant = t.tenant
  WHERE coalesce(own.age, $1::bigint) >= 0
), old AS MATERIALIZED (
  SELECT o.id, o.conversation, o.finished_at
  FROM rules r CROSS JOIN LATERAL (
    SELECT j.id, j.conversation, j.finished_at
    FROM jobs j JOIN conversations c ON c.id = j.conversation
    WHERE j.state = 'finished' AND j.tenant = r.tenant AND j.finished_at < r.until
      AND c.updated_at < r.until
      AND NOT EXISTS (SELECT 1 FROM jobs other
                      WHERE other.conversation = j.conversation AND other.state <> 'finished'
                      OFFSET 0)
      AND NOT EXISTS (SELECT 1 FROM jobs asking
                      WHERE asking.id = j.parent AND asking.state || '' <> 'finished' OFFSET 0)
      AND NOT EXISTS (SELECT 1 FROM outbox o
                      WHERE o.result_id = j.result_id AND o.published_at IS NULL OFFSET 0)
      AND NOT EXISTS (SELECT 1 FROM rounds JOIN jobs other ON other.id = rounds.job
                      JOIN outbox o ON o.result_id = other.result_id
                      WHERE rounds.conversation = j.conversation AND o.published_at IS NULL
                      OFFSET 0)
    ORDER BY j.finished_at LIMIT $4::integer) AS o
  LIMIT $4::integer
), going AS MATERIALIZED (
  SELECT o.conversation FROM old o
  WHERE NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.conversation = o.conversation
                    AND rounds.job NOT IN (SELECT id FROM old))
  UNION (SELECT conversation FROM old ORDER BY finished_at LIMIT 1)
), locked AS MATERIALIZED (
  SELECT id FROM conversations WHERE id = ANY (ARRAY (SELECT conversation FROM going))
  FOR UPDATE SKIP LOCKED
)
SELECT id, (SELECT count(*) FROM old) AS looked_at
FROM old WHERE conversation IN (SELECT id FROM locked)
UNION SELECT job, (SELECT count(*) FROM old) FROM rounds
WHERE conversation = ANY (ARRAY (SELECT id FROM locked))
