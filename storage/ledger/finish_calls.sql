-- SPDX-License-Identifier: Apache-2.0
UPDATE tool_calls t
SET state = f.state, finished_at = now(), output_level = f.output_level,
    data_size_bytes = f.data_size_bytes, data_summary = f.data_summary,
    error_type = f.error_type, error_code = f.error_code, error_message = f.error_message,
    retry_count = f.retry_count, duration_ms = f.duration_ms, message = f.message,
    semantic_key = f.semantic_key, cache_hit = f.cache_origin IS NOT NULL,
    cache_origin = f.cache_origin, artifact_id = f.artifact_id, data_hash = f.data_hash,
    telemetry = f.telemetry, note = f.note, saved_tokens = f.saved_tokens
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::text[],
            $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::integer[],
            $13::bigint[], $14::json[], $15::text[], $16::text[], $17::text[], $18::text[],
            $19::json[], $20::text[], $21::bigint[])
  AS f (job, round, step, idx, state, output_level, data_size_bytes, data_summary, error_type,
        error_code, error_message, retry_count, duration_ms, message, semantic_key,
        cache_origin, artifact_id, data_hash, telemetry, note, saved_tokens)
WHERE t.job = f.job AND t.round = f.round AND t.step = f.step AND t.idx = f.idx
  AND t.state IN ('intended', 'running')
