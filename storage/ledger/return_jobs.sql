-- SPDX-License-Identifier: Apache-2.0
-- Given back before anything is written after a crash, a job still comes after that crash. Nobody
-- may run a sub-agent again: what it may have lost is recorded here, unless it was in tool calls.
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
FROM returned WHERE job = returned.id AND claim = returned.claims
