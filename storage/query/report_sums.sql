-- SPDX-License-Identifier: Apache-2.0
-- c.jobs counts those that ended, also those that are gone. A sub-agent's that ended with its job
-- has no report.
SELECT c.id, min((m.report->>'start_time')::timestamptz) AS start_time,
       max((m.report->>'end_time')::timestamptz) AS end_time,
       coalesce(sum((m.report->>'total_duration_ms')::bigint), 0) AS duration_ms,
       coalesce(sum(j.input_tokens) FILTER (WHERE m.job IS NOT NULL), 0) AS input_tokens,
       coalesce(sum(j.cache_read_tokens) FILTER (WHERE m.job IS NOT NULL), 0) AS cache_read_tokens,
       coalesce(sum(j.cache_write_tokens) FILTER (WHERE m.job IS NOT NULL), 0)
         AS cache_write_tokens,
       coalesce(sum(j.output_tokens) FILTER (WHERE m.job IS NOT NULL), 0) AS output_tokens,
       coalesce(sum(j.thinking_tokens) FILTER (WHERE m.job IS NOT NULL), 0) AS thinking_tokens,
       coalesce(sum(j.cost_micro_usd) FILTER (WHERE m.job IS NOT NULL), 0) AS cost_micro_usd,
       coalesce(bool_and(j.cost_known) FILTER (WHERE m.job IS NOT NULL), true) AS cost_known,
       coalesce(sum(j.rounds) FILTER (WHERE m.job IS NOT NULL), 0) AS rounds,
       coalesce(sum(j.steps) FILTER (WHERE m.job IS NOT NULL), 0) AS steps,
       coalesce(sum(j.wasted_model_calls) FILTER (WHERE m.job IS NOT NULL), 0)
         AS wasted_model_calls,
       coalesce(sum((m.report->>'skill_activations')::bigint), 0) AS skill_activations,
       coalesce(sum((m.report->>'messages_count')::bigint), 0) AS messages_count,
       coalesce(sum((m.report->>'compression_events')::bigint), 0) AS compression_events,
       coalesce(sum((m.report->'savings'->'cache'->>'tokens')::bigint), 0)
         AS saved_cache_tokens,
       coalesce(sum((m.report->'savings'->'cache'->>'micro_usd')::bigint), 0)
         AS saved_cache_micro_usd,
       coalesce(sum((m.report->'savings'->'encoding'->>'tokens')::bigint), 0)
         AS saved_encoding_tokens,
       coalesce(sum((m.report->'savings'->'encoding'->>'micro_usd')::bigint), 0)
         AS saved_encoding_micro_usd,
       coalesce(sum((m.report->'savings'->'shared_results'->>'tokens')::bigint), 0)
         AS saved_shared_results_tokens,
       coalesce(sum((m.report->'savings'->'shared_results'->>'micro_usd')::bigint), 0)
         AS saved_shared_results_micro_usd,
       coalesce(sum((m.report->'savings'->'compression'->>'tokens')::bigint), 0)
         AS saved_compression_tokens,
       coalesce(sum((m.report->'savings'->'compression'->>'micro_usd')::bigint), 0)
         AS saved_compression_micro_usd,
       count(m.job) AS jobs, count(j.id) FILTER (WHERE j.state <> 'finished') AS unfinished_jobs,
       greatest(0, c.jobs - count(j.id) FILTER (WHERE j.state = 'finished')) AS removed_jobs,
       count(j.id) FILTER (WHERE j.state = 'finished' AND m.job IS NULL) AS unreported_jobs
FROM conversations c
LEFT JOIN jobs j ON j.conversation = c.id
LEFT JOIN metrics m ON m.job = j.id
WHERE c.tenant = $1 AND c.conversation_id = $2
GROUP BY c.id
