-- SPDX-License-Identifier: Apache-2.0
-- Those that were put on record, and those that an earlier one stands in for.
INSERT INTO summaries AS known
  (job, round, step, conversation, round_id, content_hash, state, after_round, after_step,
   summary, model, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
   thinking_tokens, cost_micro_usd, reused, ended_at)
SELECT *, clock_timestamp()
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::text[], $6::text[],
            $7::text[], $8::integer[], $9::integer[], $10::text[], $11::text[], $12::bigint[],
            $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
            $18::boolean[])
ON CONFLICT (job, round, step) DO UPDATE
SET state = excluded.state, after_round = excluded.after_round,
    after_step = excluded.after_step, summary = excluded.summary, model = excluded.model,
    input_tokens = excluded.input_tokens, cache_read_tokens = excluded.cache_read_tokens,
    cache_write_tokens = excluded.cache_write_tokens, output_tokens = excluded.output_tokens,
    thinking_tokens = excluded.thinking_tokens, cost_micro_usd = excluded.cost_micro_usd,
    reused = excluded.reused, ended_at = excluded.ended_at
WHERE known.state = 'writing'
