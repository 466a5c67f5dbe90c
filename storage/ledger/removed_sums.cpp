// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/removed_sums.hpp"

namespace ba {
namespace {

constexpr Statement kKeepJobs{"keep_sums_jobs", R"sql(
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
      wasted_model_calls = known.wasted_model_calls + excluded.wasted_model_calls)sql"};

constexpr Statement kKeepReplies{"keep_sums_replies", R"sql(
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
      cost_micro_usd = known.cost_micro_usd + excluded.cost_micro_usd)sql"};

// Durations from 64 ms on are rounded up to 32 steps for each doubling: at most a 32nd too long.
constexpr Statement kKeepCalls{"keep_sums_calls", R"sql(
  INSERT INTO removed_calls AS known
  SELECT c.tenant, c.day, c.tool_name,
         CASE WHEN c.rank_ms < 64 THEN c.rank_ms
              ELSE (c.rank_ms + s.step - 1) / s.step * s.step END,
         count(*), sum(c.successes), sum(c.retried), sum(c.cache_hits), sum(c.duration_ms),
         sum(c.tokens)
  FROM ended_calls c
  CROSS JOIN LATERAL (
    SELECT 1::bigint << greatest(0, floor(ln(greatest(1, c.rank_ms)::float8) / ln(2))::integer - 5)
  ) AS s (step)
  WHERE c.job = ANY ($1::bigint[])
  GROUP BY 1, 2, 3, 4
  ON CONFLICT (tenant, day, tool_name, rank_ms) DO UPDATE
  SET calls = known.calls + excluded.calls, successes = known.successes + excluded.successes,
      retried = known.retried + excluded.retried,
      cache_hits = known.cache_hits + excluded.cache_hits,
      duration_ms = known.duration_ms + excluded.duration_ms,
      tokens = known.tokens + excluded.tokens)sql"};

}  // namespace

void keep_sums(Transaction& transaction, const BigintArray& jobs) {
  for (const Statement& statement : {kKeepJobs, kKeepReplies, kKeepCalls})
    transaction.run(statement, jobs);
}

}  // namespace ba
