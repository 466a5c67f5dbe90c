-- SPDX-License-Identifier: Apache-2.0
INSERT INTO removed_jobs AS known
SELECT tenant, day, outcome, count(*), sum(jobs_without_cost), sum(duration_ms),
       sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens),
       sum(thinking_tokens), sum(cost_micro_usd), sum(wasted_model_calls)
FROM ended_jobs WHERE job = ANY ($1::bigint[])
GROUP BY tenant, day, outcome
ON CONFLICT (tenant, day, outcome) DO UPDATE
SET jobs = known.jobs + excluded.jobs,
    jobs_without_cost = known.jobs_without_cost + excluded.jobs_without_cost,
    duration_ms = known.duration_ms + excluded.duration_ms,
    input_tokens = known.input_tokens + excluded.input_tokens,
    cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    thinking_tokens = known.thinking_tokens + excluded.thinking_tokens,
    cost_micro_usd = known.cost_micro_usd + excluded.cost_micro_usd,
    wasted_model_calls = known.wasted_model_calls + excluded.wasted_model_calls
