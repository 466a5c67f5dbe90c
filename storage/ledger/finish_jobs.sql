-- SPDX-License-Identifier: Apache-2.0
-- `state || ''` keeps it from reading all running jobs, of which statistics may know none.
UPDATE jobs j
SET state = 'finished', finished_at = now(), outcome = f.outcome, error_type = f.error_type,
    error_code = f.error_code, error_message = f.error_message, result_id = f.result_id,
    result = f.result, model = f.model, rounds = f.rounds, steps = f.steps,
    tool_calls = f.tool_calls, tool_calls_failed = f.tool_calls_failed,
    wasted_model_calls = f.wasted_model_calls, input_tokens = f.input_tokens,
    cache_read_tokens = f.cache_read_tokens, cache_write_tokens = f.cache_write_tokens,
    output_tokens = f.output_tokens, thinking_tokens = f.thinking_tokens,
    cost_micro_usd = f.cost_micro_usd, cost_known = f.cost_known
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
            $7::bytea[], $8::text[], $9::integer[], $10::integer[], $11::integer[],
            $12::integer[], $13::integer[], $14::bigint[], $15::bigint[], $16::bigint[],
            $17::bigint[], $18::bigint[], $19::bigint[], $20::boolean[])
  AS f (id, outcome, error_type, error_code, error_message, result_id, result, model, rounds,
        steps, tool_calls, tool_calls_failed, wasted_model_calls, input_tokens,
        cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd,
        cost_known)
WHERE j.id = f.id AND j.state || '' = 'running'
