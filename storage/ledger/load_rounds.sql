-- SPDX-License-Identifier: Apache-2.0
SELECT r.round, r.status, r.final_answer,
       r.input_tokens, r.cache_read_tokens, r.cache_write_tokens, r.output_tokens,
       r.thinking_tokens,
       coalesce(sum(s.input_tokens), 0) AS steps_input_tokens,
       coalesce(sum(s.cache_read_tokens), 0) AS steps_cache_read_tokens,
       coalesce(sum(s.cache_write_tokens), 0) AS steps_cache_write_tokens,
       coalesce(sum(s.output_tokens), 0) AS steps_output_tokens,
       coalesce(sum(s.thinking_tokens), 0) AS steps_thinking_tokens,
       coalesce(sum(s.cost_micro_usd), 0) AS cost_micro_usd,
       count(s.cost_micro_usd) = count(s.step) AS cost_known,
       count(s.step) AS steps,
       coalesce((array_agg(s.provider || '/' || s.model ORDER BY s.step DESC)
                 FILTER (WHERE s.step IS NOT NULL))[1], '') AS last_model,
       r.idle_before_ms,
       coalesce(sum(s.saved_cache_tokens), 0) AS saved_cache_tokens,
       coalesce(sum(s.saved_cache_micro_usd), 0) AS saved_cache_micro_usd,
       coalesce(sum(s.saved_encoding_tokens), 0) AS saved_encoding_tokens,
       coalesce(sum(s.saved_encoding_micro_usd), 0) AS saved_encoding_micro_usd,
       coalesce(sum(s.saved_compression_tokens), 0) AS saved_compression_tokens,
       coalesce(sum(s.saved_compression_micro_usd), 0) AS saved_compression_micro_usd
FROM rounds r LEFT JOIN steps s ON s.job = r.job AND s.round = r.round
WHERE r.job = $1 GROUP BY r.job, r.round ORDER BY r.round
