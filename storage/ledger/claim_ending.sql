-- SPDX-License-Identifier: Apache-2.0
-- $1 incarnation, $2 how many. Jobs that are cancelled, or were found to have waited too long by
-- who didn't come to end them. One of a conversation at a time. Answers with those that it claims.
WITH chosen AS MATERIALIZED (
  SELECT DISTINCT ON (j.conversation) j.id FROM jobs j
  WHERE (j.request = 'cancel' OR j.waited_for IS NOT NULL)
    AND j.state IN ('ready', 'paused', 'waiting')
    AND (SELECT other.id FROM jobs other
         WHERE other.state = 'running'
           AND other.conversation BETWEEN j.conversation AND j.conversation
         ORDER BY other.conversation LIMIT 1) IS NULL
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
  WHERE j.id = ANY (ARRAY (SELECT id FROM locked))
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
