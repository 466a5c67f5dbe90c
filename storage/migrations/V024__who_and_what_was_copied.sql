-- SPDX-License-Identifier: Apache-2.0
-- Up to where a forked job is a copy, so that nothing of it is counted twice: its rows before that place were made in the
-- job that it was copied from. And whom a conversation belongs to, as its first job said; one that was
-- imported, as the first job that names a user.

ALTER TABLE conversations ADD COLUMN user_id text NOT NULL DEFAULT '';
UPDATE conversations c SET user_id = j.user_id
FROM (SELECT DISTINCT ON (o.conversation) o.conversation, o.user_id
      FROM jobs o JOIN conversations t ON t.id = o.conversation
      WHERE o.user_id <> '' OR t.imported_by IS NULL ORDER BY o.conversation, o.id) AS j
WHERE j.conversation = c.id AND j.user_id <> '';

ALTER TABLE jobs
  ADD COLUMN copied_rounds integer NOT NULL DEFAULT 0,   -- whole ones
  ADD COLUMN copied_step   integer NOT NULL DEFAULT -1;  -- of the next one, the last; 0: its question alone, -1: not even that
UPDATE jobs j SET copied_rounds = k.rounds, copied_step = k.step
FROM redrives d CROSS JOIN LATERAL (
  SELECT count(*) AS rounds FROM jobs o JOIN rounds r ON r.job = o.id
  WHERE o.tenant = d.new_tenant AND o.job_id = d.new_job_id AND r.closed_at <= o.received_at) AS w
CROSS JOIN LATERAL (
  SELECT w.rounds, coalesce(max(s.step), max(0) FILTER (WHERE r.opened_at <= o.received_at), -1) AS step
  FROM jobs o LEFT JOIN rounds r ON r.job = o.id AND r.round = w.rounds
    LEFT JOIN steps s ON s.job = o.id AND s.round = w.rounds AND s.copied
  WHERE o.tenant = d.new_tenant AND o.job_id = d.new_job_id) AS k
WHERE j.tenant = d.new_tenant AND j.job_id = d.new_job_id;

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
    FROM skill_uses u WHERE u.job = r.job AND u.round = r.round AND u.depth > 0
      AND (u.round, u.step) > (j.copied_rounds, j.copied_step)) AS k
  CROSS JOIN LATERAL (
    SELECT count(*) AS messages FROM messages m WHERE m.job = r.job AND m.round = r.round
      AND (m.round, m.step) > (j.copied_rounds, j.copied_step)) AS h
  CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM compressions x WHERE x.job = r.job AND x.round = r.round
      AND (x.round, x.step) > (j.copied_rounds, j.copied_step)) AS x;
