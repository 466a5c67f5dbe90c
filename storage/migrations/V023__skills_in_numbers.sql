-- SPDX-License-Identifier: Apache-2.0
-- What the views of single steps, rounds and conversations lacked: skills, messages, compressions, what was cached.
-- A skill that the job itself activates belongs to no step (its uses have step 0), but to its round.

CREATE OR REPLACE VIEW conversation_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, c.conversation_id, count(*) AS jobs, min((m.report->>'start_time')::timestamptz) AS start_time,
         max((m.report->>'end_time')::timestamptz) AS end_time,
         sum((m.report->>'total_duration_ms')::bigint)::bigint AS total_duration_ms,
         sum((m.report->>'total_input_tokens')::bigint)::bigint AS total_input_tokens,
         sum((m.report->>'total_output_tokens')::bigint)::bigint AS total_output_tokens,
         sum((m.report->>'total_tokens')::bigint)::bigint AS total_tokens,
         sum(j.cost_micro_usd)::bigint AS cost_micro_usd,
         coalesce(sum((m.report->>'successful_calls')::bigint), 0)::bigint AS successful_calls,
         coalesce(sum((m.report->>'failed_calls')::bigint), 0)::bigint AS failed_calls,
         coalesce(sum((m.report->>'retried_calls')::bigint), 0)::bigint AS retried_calls,
         coalesce(sum((m.report->>'skill_activations')::bigint), 0)::bigint AS skill_activations,
         (SELECT coalesce(array_agg(DISTINCT skill ORDER BY skill), '{}')
          FROM jobs o JOIN metrics n ON n.job = o.id
          CROSS JOIN json_array_elements_text(coalesce(n.report->'unique_skills', '[]')) AS skill
          WHERE o.conversation = c.id) AS unique_skills,
         coalesce(sum((m.report->>'messages_count')::bigint), 0)::bigint AS messages_count,
         coalesce(sum((m.report->>'compression_events')::bigint), 0)::bigint AS compression_events,
         sum(j.cache_read_tokens)::bigint AS cached_tokens,
         (SELECT count(*) FROM jobs o JOIN tool_calls t ON t.job = o.id
          WHERE o.conversation = c.id AND t.cache_hit AND t.finished_at IS NOT NULL AND NOT t.copied) AS cache_hits
  FROM jobs j JOIN conversations c ON c.id = j.conversation JOIN metrics m ON m.job = j.id
  WHERE j.parent IS NULL
  GROUP BY j.tenant, c.id;

CREATE OR REPLACE VIEW step_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, s.round, s.step, s.provider, s.model,
         s.input_tokens + s.cache_read_tokens + s.cache_write_tokens AS total_input_tokens,
         s.output_tokens AS total_output_tokens, s.cache_read_tokens AS cached_tokens, s.cost_micro_usd,
         s.latency_ms AS duration_ms, s.tries, s.replied_at, t.calls AS total_calls, t.successes AS successful_calls,
         t.calls - t.successes AS failed_calls, t.retried AS retried_calls, t.cache_hits,
         k.activations AS skill_activations, k.skills AS unique_skills, h.messages AS messages_count,
         x.events AS compression_events
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
  WHERE NOT s.copied;

CREATE OR REPLACE VIEW round_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, r.round_id, r.round, r.status, r.opened_at AS start_time, r.closed_at AS end_time,
         r.latency_ms AS duration_ms, s.steps, s.total_input_tokens, s.total_output_tokens, s.cached_tokens, s.cost_micro_usd,
         t.calls AS total_calls, t.successes AS successful_calls, t.calls - t.successes AS failed_calls,
         t.retried AS retried_calls, t.cache_hits,
         k.activations AS skill_activations, k.skills AS unique_skills, h.messages AS messages_count,
         x.events AS compression_events
  FROM rounds r JOIN jobs j ON j.id = r.job
  CROSS JOIN LATERAL (
    SELECT count(*) AS steps,
           coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0)::bigint AS total_input_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS total_output_tokens,
           coalesce(sum(cache_read_tokens), 0)::bigint AS cached_tokens,
           coalesce(sum(cost_micro_usd), 0)::bigint AS cost_micro_usd
    FROM steps x WHERE x.job = r.job AND x.round = r.round AND NOT x.copied) AS s
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'succeeded') AS successes,
           count(*) FILTER (WHERE retry_count > 0) AS retried, count(*) FILTER (WHERE cache_hit) AS cache_hits
    FROM tool_calls c WHERE c.job = r.job AND c.round = r.round AND c.finished_at IS NOT NULL AND NOT c.copied) AS t
  CROSS JOIN LATERAL (
    SELECT count(*) AS activations, coalesce(array_agg(DISTINCT skill ORDER BY skill), '{}') AS skills
    FROM skill_uses u WHERE u.job = r.job AND u.round = r.round AND u.depth > 0) AS k
  CROSS JOIN LATERAL (
    SELECT count(*) AS messages FROM messages m WHERE m.job = r.job AND m.round = r.round) AS h
  CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM compressions x WHERE x.job = r.job AND x.round = r.round) AS x;
