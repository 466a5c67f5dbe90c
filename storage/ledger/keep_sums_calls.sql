-- SPDX-License-Identifier: Apache-2.0
-- Durations from 64 ms on are rounded up to 32 steps for each doubling: at most a 32nd too long.
INSERT INTO removed_calls AS known
SELECT c.tenant, c.day, c.tool_name,
       CASE WHEN c.rank_ms < 64 THEN c.rank_ms
            ELSE (c.rank_ms + s.step - 1) / s.step * s.step END,
       count(*), sum(c.successes), sum(c.retried), sum(c.cache_hits), sum(c.duration_ms),
       sum(c.tokens)
FROM ended_calls c
CROSS JOIN LATERAL (
  SELECT 1::bigint << greatest(0, floor(ln(greatest(1, c.rank_ms)::float8) / ln(2))::integer - 5)
) AS s (step)
WHERE c.job = ANY ($1::bigint[])
GROUP BY 1, 2, 3, 4
ON CONFLICT (tenant, day, tool_name, rank_ms) DO UPDATE
SET calls = known.calls + excluded.calls, successes = known.successes + excluded.successes,
    retried = known.retried + excluded.retried,
    cache_hits = known.cache_hits + excluded.cache_hits,
    duration_ms = known.duration_ms + excluded.duration_ms,
    tokens = known.tokens + excluded.tokens
