-- SPDX-License-Identifier: Apache-2.0
-- $1 incarnation, $2 how many, $3 seconds. Jobs that were never begun and have waited for an
-- earlier one for so long. That stays with them: who goes on with one ends it, too. One of a
-- conversation at a time, since each runs, if only to its end. Answers with those that it claims.
-- Conversations are looked up one by one (claim.sql), whatever statistics say.
WITH chosen AS MATERIALIZED (
  SELECT DISTINCT ON (j.conversation) j.id, head.job_id AS behind
  FROM (SELECT * FROM jobs old
        WHERE old.state = 'ready' AND old.first_claimed_at IS NULL AND old.request IS NULL
          AND old.received_at <= now() - $3::bigint * interval '1 second'
        ORDER BY old.received_at LIMIT 10000) j CROSS JOIN LATERAL (
    SELECT h.job_id FROM jobs h
    WHERE h.conversation BETWEEN j.conversation AND j.conversation AND h.state <> 'finished'
      AND h.id < j.id
    ORDER BY h.conversation, h.id LIMIT 1) AS head
  WHERE j.received_at + j.idle_ms * interval '1 millisecond'
        <= now() - $3::bigint * interval '1 second'
    AND (SELECT other.id FROM jobs other
         WHERE other.state = 'running'
           AND other.conversation BETWEEN j.conversation AND j.conversation
         ORDER BY other.conversation LIMIT 1) IS NULL
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
  FROM chosen WHERE j.id = chosen.id AND j.id = ANY (ARRAY (SELECT id FROM locked))
  RETURNING j.id, j.claims, j.conversation, j.attempt, j.after_crash, j.first_claimed_at, j.idle_ms,
            j.payload, j.waited_for, j.wait_max_s, j.created_at
), begun AS (
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $1 FROM claimed
)
SELECT id, conversation, attempt, after_crash,
       (extract(epoch FROM first_claimed_at) * 1000000)::bigint AS claimed_us, idle_ms, payload,
       waited_for, wait_max_s, (extract(epoch FROM created_at) * 1000000)::bigint AS created_us
FROM claimed
