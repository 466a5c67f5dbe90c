-- SPDX-License-Identifier: Apache-2.0
-- What numbers by model, round and step lacked: summaries, which are paid for like replies. And a tool's tokens are those
-- of its arguments and of its result; sums that retention left from before this version have the results' only.

-- A summary's model stands as "provider/model". Those that were reused, or that no model answered, cost nothing.
CREATE OR REPLACE VIEW ended_replies WITH (security_invoker = true) AS
  SELECT j.id AS job, j.tenant, (j.finished_at AT TIME ZONE 'UTC')::date AS day, s.provider, s.model, 1::bigint AS replies,
         (s.cost_micro_usd IS NULL)::integer::bigint AS replies_without_price, s.latency_ms, s.input_tokens,
         s.cache_read_tokens, s.cache_write_tokens, s.output_tokens, s.thinking_tokens,
         coalesce(s.cost_micro_usd, 0) AS cost_micro_usd
  FROM jobs j JOIN steps s ON s.job = j.id WHERE j.state = 'finished' AND NOT s.copied
  UNION ALL
  SELECT j.id, j.tenant, (j.finished_at AT TIME ZONE 'UTC')::date, split_part(s.model, '/', 1),
         substr(s.model, strpos(s.model, '/') + 1), 1::bigint, (s.cost_micro_usd IS NULL)::integer::bigint,
         greatest(0, extract(epoch FROM s.ended_at - s.began_at) * 1000)::bigint, s.input_tokens, s.cache_read_tokens,
         s.cache_write_tokens, s.output_tokens, s.thinking_tokens, coalesce(s.cost_micro_usd, 0)
  FROM jobs j JOIN summaries s ON s.job = j.id
  WHERE j.state = 'finished' AND s.model <> '' AND NOT s.reused AND s.ended_at IS NOT NULL;

CREATE OR REPLACE VIEW ended_calls WITH (security_invoker = true) AS
  SELECT j.id AS job, j.tenant, (j.finished_at AT TIME ZONE 'UTC')::date AS day, t.tool_name, t.duration_ms AS rank_ms,
         1::bigint AS calls, (t.state = 'succeeded')::integer::bigint AS successes,
         (t.retry_count > 0)::integer::bigint AS retried, t.cache_hit::integer::bigint AS cache_hits, t.duration_ms,
         coalesce((t.telemetry->>'input_tokens')::bigint, 0) + coalesce((t.telemetry->>'output_tokens')::bigint, 0) AS tokens
  FROM jobs j JOIN tool_calls t ON t.job = j.id
  WHERE j.state = 'finished' AND t.finished_at IS NOT NULL AND NOT t.copied;

-- kind: 'reply', or 'summary': one that was written while this step's reply was asked for, with what it cost.
CREATE OR REPLACE VIEW step_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, s.round, s.step, s.provider, s.model,
         s.input_tokens + s.cache_read_tokens + s.cache_write_tokens AS total_input_tokens,
         s.output_tokens AS total_output_tokens, s.cache_read_tokens AS cached_tokens, s.cost_micro_usd,
         s.latency_ms AS duration_ms, s.tries, s.replied_at, t.calls AS total_calls, t.successes AS successful_calls,
         t.calls - t.successes AS failed_calls, t.retried AS retried_calls, t.cache_hits,
         k.activations AS skill_activations, k.skills AS unique_skills, h.messages AS messages_count,
         x.events AS compression_events, 'reply' AS kind
  FROM steps s JOIN jobs j ON j.id = s.job
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'succeeded') AS successes,
           count(*) FILTER (WHERE retry_count > 0) AS retried, count(*) FILTER (WHERE cache_hit) AS cache_hits
    FROM tool_calls c
    WHERE c.job = s.job AND c.round = s.round AND c.step = s.step AND c.finished_at IS NOT NULL) AS t
  CROSS JOIN LATERAL (
    SELECT count(*) AS activations, coalesce(array_agg(DISTINCT skill ORDER BY skill), '{}') AS skills
    FROM skill_uses u WHERE u.job = s.job AND u.round = s.round AND u.step = s.step AND u.depth > 0) AS k
  CROSS JOIN LATERAL (
    SELECT count(*) AS messages FROM messages m WHERE m.job = s.job AND m.round = s.round AND m.step = s.step) AS h
  CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM compressions x WHERE x.job = s.job AND x.round = s.round AND x.step = s.step) AS x
  WHERE NOT s.copied
  UNION ALL
  SELECT j.tenant, j.job_id, s.round, s.step, split_part(s.model, '/', 1), substr(s.model, strpos(s.model, '/') + 1),
         s.input_tokens + s.cache_read_tokens + s.cache_write_tokens, s.output_tokens, s.cache_read_tokens,
         s.cost_micro_usd, greatest(0, extract(epoch FROM s.ended_at - s.began_at) * 1000)::bigint, 1, s.ended_at,
         0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, '{}', 0::bigint, 0::bigint, 'summary'
  FROM summaries s JOIN jobs j ON j.id = s.job
  WHERE s.model <> '' AND NOT s.reused AND s.ended_at IS NOT NULL;

CREATE OR REPLACE VIEW round_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, r.round_id, r.round, r.status, r.opened_at AS start_time, r.closed_at AS end_time,
         r.latency_ms AS duration_ms, s.steps, s.total_input_tokens, s.total_output_tokens, s.cached_tokens, s.cost_micro_usd,
         t.calls AS total_calls, t.successes AS successful_calls, t.calls - t.successes AS failed_calls,
         t.retried AS retried_calls, t.cache_hits,
         k.activations AS skill_activations, k.skills AS unique_skills, h.messages AS messages_count,
         x.events AS compression_events
  FROM rounds r JOIN jobs j ON j.id = r.job
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE reply) AS steps,
           coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0)::bigint AS total_input_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS total_output_tokens,
           coalesce(sum(cache_read_tokens), 0)::bigint AS cached_tokens,
           coalesce(sum(cost_micro_usd), 0)::bigint AS cost_micro_usd
    FROM (SELECT true AS reply, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd
          FROM steps x WHERE x.job = r.job AND x.round = r.round AND NOT x.copied
          UNION ALL
          SELECT false, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd
          FROM summaries y WHERE y.job = r.job AND y.round = r.round AND y.model <> '' AND NOT y.reused) AS paid) AS s
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'succeeded') AS successes,
           count(*) FILTER (WHERE retry_count > 0) AS retried, count(*) FILTER (WHERE cache_hit) AS cache_hits
    FROM tool_calls c WHERE c.job = r.job AND c.round = r.round AND c.finished_at IS NOT NULL AND NOT c.copied) AS t
  CROSS JOIN LATERAL (
    SELECT count(*) AS activations, coalesce(array_agg(DISTINCT skill ORDER BY skill), '{}') AS skills
    FROM skill_uses u WHERE u.job = r.job AND u.round = r.round AND u.depth > 0
      AND (u.round, u.step) > (j.copied_rounds, j.copied_step)) AS k
  CROSS JOIN LATERAL (
    SELECT count(*) AS messages FROM messages m WHERE m.job = r.job AND m.round = r.round
      AND (m.round, m.step) > (j.copied_rounds, j.copied_step)) AS h
  CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM compressions x WHERE x.job = r.job AND x.round = r.round
      AND (x.round, x.step) > (j.copied_rounds, j.copied_step)) AS x;
