-- SPDX-License-Identifier: Apache-2.0
-- $1 tenant or '', $2 job id or '', $3 state or '', $4 outcome or '', $5 and $6 the least and the
-- greatest age in milliseconds or null, $7 rows. What an unfinished job used so far is
-- counted from its rows and its sub-agents'; a finished one carries its totals. A sub-agent's job
-- is shown where it is named.
SELECT j.id, j.tenant, j.job_id, c.conversation_id, j.lane, j.state, j.request,
       j.requested_by, j.outcome, j.error_code, j.error_message, j.attempt,
       CASE WHEN j.state = 'finished' THEN j.rounds
            ELSE (SELECT count(*) FROM rounds r WHERE r.job = j.id) END AS rounds,
       CASE WHEN j.state = 'finished' THEN j.steps ELSE s.steps END AS steps,
       CASE WHEN j.state = 'finished' THEN j.tool_calls ELSE t.calls END AS tool_calls,
       CASE WHEN j.state = 'finished' THEN j.tool_calls_failed ELSE t.failed END
         AS tool_calls_failed,
       CASE WHEN j.state = 'finished' THEN j.wasted_model_calls
            ELSE (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w
                  WHERE w.job = j.id
                     OR w.job IN (SELECT a.id FROM jobs a WHERE a.parent = j.id)) END
         AS wasted_model_calls,
       j.input_tokens + s.input_tokens AS input_tokens,
       j.cache_read_tokens + s.cache_read_tokens AS cache_read_tokens,
       j.cache_write_tokens + s.cache_write_tokens AS cache_write_tokens,
       j.output_tokens + s.output_tokens AS output_tokens,
       j.thinking_tokens + s.thinking_tokens AS thinking_tokens,
       j.cost_micro_usd + s.cost_micro_usd AS cost_micro_usd,
       j.cost_known AND s.cost_known AS cost_known, j.model, i.worker, j.created_at, j.received_at,
       j.first_claimed_at, j.finished_at,
       CASE WHEN j.state = 'waiting'
            THEN (SELECT string_agg(u.tool_name || ' (' || u.tool_call_id || ')', ', '
                                    ORDER BY u.round, u.step, u.idx)
                  FROM tool_calls u WHERE u.job = j.id AND u.state = 'running') END AS waits_for,
       (SELECT p.job_id FROM jobs p WHERE p.id = j.parent) AS asked_by
FROM jobs j
JOIN conversations c ON c.id = j.conversation
LEFT JOIN incarnations i ON i.id = j.incarnation
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE job = j.id AND step) AS steps,
         coalesce(sum(input_tokens), 0) AS input_tokens,
         coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
         coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
         coalesce(sum(output_tokens), 0) AS output_tokens,
         coalesce(sum(thinking_tokens), 0) AS thinking_tokens,
         coalesce(sum(cost_micro_usd), 0) AS cost_micro_usd,
         count(cost_micro_usd) = count(*) AS cost_known
  FROM (
    SELECT job, true AS step, input_tokens, cache_read_tokens, cache_write_tokens,
           output_tokens, thinking_tokens, cost_micro_usd
    FROM steps
    WHERE j.state <> 'finished'
      AND job = ANY (ARRAY (SELECT j.id UNION ALL SELECT a.id FROM jobs a WHERE a.parent = j.id))
    UNION ALL
    SELECT job, false, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
           thinking_tokens, cost_micro_usd
    FROM summaries WHERE j.state <> 'finished' AND job = j.id AND model <> ''
  ) AS paid
) AS s
CROSS JOIN LATERAL (
  SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'failed') AS failed
  FROM tool_calls WHERE job = j.id AND j.state <> 'finished') AS t
WHERE ($2 <> '' OR j.parent IS NULL) AND ($1 = '' OR j.tenant = $1)
  AND ($2 = '' OR j.job_id = $2) AND ($3 = '' OR j.state = $3)
  AND ($4 = '' OR j.outcome = $4)
  AND ($5::bigint IS NULL OR j.received_at <= now() - $5 * interval '1 millisecond')
  AND ($6::bigint IS NULL OR j.received_at >= now() - $6 * interval '1 millisecond')
ORDER BY j.id DESC LIMIT $7::integer
