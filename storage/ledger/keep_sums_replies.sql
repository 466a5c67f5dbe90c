-- SPDX-License-Identifier: Apache-2.0
INSERT INTO removed_replies AS known
SELECT tenant, day, provider, model, count(*), sum(replies_without_price), sum(latency_ms),
       sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens),
       sum(thinking_tokens), sum(cost_micro_usd)
FROM ended_replies WHERE job = ANY ($1::bigint[])
GROUP BY tenant, day, provider, model
ON CONFLICT (tenant, day, provider, model) DO UPDATE
SET replies = known.replies + excluded.replies,
    replies_without_price = known.replies_without_price + excluded.replies_without_price,
    latency_ms = known.latency_ms + excluded.latency_ms,
    input_tokens = known.input_tokens + excluded.input_tokens,
    cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    thinking_tokens = known.thinking_tokens + excluded.thinking_tokens,
    cost_micro_usd = known.cost_micro_usd + excluded.cost_micro_usd
