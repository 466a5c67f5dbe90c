-- SPDX-License-Identifier: Apache-2.0
-- With the totals of what its rows have. `state || ''` keeps it from reading all that isn't
-- finished.
UPDATE jobs j
SET state = 'finished', incarnation = coalesce(j.incarnation, p.incarnation, 0),
    idle_since = NULL, finished_at = now(), outcome = 'cancelled', error_type = $2,
    error_code = $3, error_message = $4, result = ''::bytea,
    rounds = (SELECT count(*) FROM rounds r WHERE r.job = j.id),
    tool_calls = (SELECT count(*) FROM tool_calls t WHERE t.job = j.id),
    tool_calls_failed = (SELECT count(*) FROM tool_calls t
                         WHERE t.job = j.id AND t.state <> 'succeeded'),
    wasted_model_calls = (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls w
                          WHERE w.job = j.id),
    (steps, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens,
     cost_micro_usd, cost_known) = (
      SELECT count(*), coalesce(sum(s.input_tokens), 0), coalesce(sum(s.cache_read_tokens), 0),
             coalesce(sum(s.cache_write_tokens), 0), coalesce(sum(s.output_tokens), 0),
             coalesce(sum(s.thinking_tokens), 0), coalesce(sum(s.cost_micro_usd), 0),
             count(s.cost_micro_usd) = count(*)
      FROM steps s WHERE s.job = j.id)
FROM jobs p
WHERE p.id = j.parent AND j.parent = ANY ($1::bigint[]) AND j.state || '' <> 'finished'
RETURNING j.id
