-- SPDX-License-Identifier: Apache-2.0
-- Of a job that has had sub-agents.
SELECT coalesce(sum(s.input_tokens), 0) AS input_tokens,
       coalesce(sum(s.cache_read_tokens), 0) AS cache_read_tokens,
       coalesce(sum(s.cache_write_tokens), 0) AS cache_write_tokens,
       coalesce(sum(s.output_tokens), 0) AS output_tokens,
       coalesce(sum(s.thinking_tokens), 0) AS thinking_tokens,
       coalesce(sum(s.cost_micro_usd), 0) AS cost_micro_usd,
       count(s.cost_micro_usd) = count(s.step) AS cost_known,
       (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w JOIN jobs a ON a.id = w.job
        WHERE a.parent = $1) AS wasted_calls,
       coalesce(sum(s.saved_cache_tokens), 0) AS saved_cache_tokens,
       coalesce(sum(s.saved_cache_micro_usd), 0) AS saved_cache_micro_usd,
       coalesce(sum(s.saved_encoding_tokens), 0) AS saved_encoding_tokens,
       coalesce(sum(s.saved_encoding_micro_usd), 0) AS saved_encoding_micro_usd,
       coalesce(sum(s.saved_compression_tokens), 0) AS saved_compression_tokens,
       coalesce(sum(s.saved_compression_micro_usd), 0) AS saved_compression_micro_usd
FROM jobs a JOIN steps s ON s.job = a.id WHERE a.parent = $1
