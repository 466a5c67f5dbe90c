-- SPDX-License-Identifier: Apache-2.0
-- What jobs save against a plain ReAct loop (pipeline/job/README.md). Null: written before this version, or, of money, no
-- price was known.

ALTER TABLE steps
  ADD COLUMN saved_cache_tokens          bigint,
  ADD COLUMN saved_cache_micro_usd       bigint,
  ADD COLUMN saved_encoding_tokens       bigint,
  ADD COLUMN saved_encoding_micro_usd    bigint,
  ADD COLUMN saved_compression_tokens    bigint,
  ADD COLUMN saved_compression_micro_usd bigint;

-- By how many tokens the observation is shorter than indented JSON; each later call of the conversation's model saves them.
ALTER TABLE tool_calls ADD COLUMN saved_tokens bigint;
ALTER TABLE conversations ADD COLUMN inherited_saved_tokens bigint NOT NULL DEFAULT 0;  -- of calls in inherited messages

-- Of finished jobs in the ledger, as their reports have it; a sub-agent's is part of what its job saved, too.
CREATE VIEW job_savings WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, c.conversation_id, j.finished_at, j.parent IS NOT NULL AS of_sub_agent,
         coalesce((m.report->>'saved_tokens')::bigint, 0) AS saved_tokens,
         coalesce((m.report->>'saved_micro_usd')::bigint, 0) AS saved_micro_usd,
         NOT j.cost_known AS cost_incomplete,
         coalesce((s.by->'cache'->>'tokens')::bigint, 0) AS cache_tokens,
         coalesce((s.by->'cache'->>'micro_usd')::bigint, 0) AS cache_micro_usd,
         coalesce((s.by->'encoding'->>'tokens')::bigint, 0) AS encoding_tokens,
         coalesce((s.by->'encoding'->>'micro_usd')::bigint, 0) AS encoding_micro_usd,
         coalesce((s.by->'shared_results'->>'tokens')::bigint, 0) AS shared_results_tokens,
         coalesce((s.by->'shared_results'->>'micro_usd')::bigint, 0) AS shared_results_micro_usd,
         coalesce((s.by->'compression'->>'tokens')::bigint, 0) AS compression_tokens,
         coalesce((s.by->'compression'->>'micro_usd')::bigint, 0) AS compression_micro_usd
  FROM metrics m JOIN jobs j ON j.id = m.job JOIN conversations c ON c.id = j.conversation
  CROSS JOIN LATERAL (SELECT m.report->'savings') AS s (by);

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
          WHERE o.conversation = c.id AND t.cache_hit AND t.finished_at IS NOT NULL AND NOT t.copied) AS cache_hits,
         coalesce(sum((m.report->>'saved_tokens')::bigint), 0)::bigint AS saved_tokens,
         coalesce(sum((m.report->>'saved_micro_usd')::bigint), 0)::bigint AS saved_micro_usd
  FROM jobs j JOIN conversations c ON c.id = j.conversation JOIN metrics m ON m.job = j.id
  WHERE j.parent IS NULL
  GROUP BY j.tenant, c.id;
