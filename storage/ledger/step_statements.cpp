// SPDX-License-Identifier: Apache-2.0
// One statement per table for the rows of step_rows.hpp.
#include "storage/ledger/finish_calls.sql.hpp"
#include "storage/ledger/step_rows.hpp"

namespace ba {
namespace {

constexpr Statement kOpenRounds{"open_rounds", R"sql(
  INSERT INTO rounds (job, round, conversation, round_id, message, idle_before_ms)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::json[],
                       $6::bigint[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kInsertSteps{"insert_steps", R"sql(
  INSERT INTO steps (job, round, step, stop_reason, provider, model, provider_request_id,
                     request_hash, input_tokens, cache_read_tokens, cache_write_tokens,
                     output_tokens, thinking_tokens, cost_micro_usd, tries, wasted_calls,
                     latency_ms, message, estimated_input_tokens, answer_repair,
                     saved_cache_tokens, saved_cache_micro_usd, saved_encoding_tokens,
                     saved_encoding_micro_usd, saved_compression_tokens,
                     saved_compression_micro_usd)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::text[],
                       $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[],
                       $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
                       $15::integer[], $16::integer[], $17::bigint[], $18::json[],
                       $19::bigint[], $20::json[], $21::bigint[], $22::bigint[], $23::bigint[],
                       $24::bigint[], $25::bigint[], $26::bigint[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kIntendCalls{"intend_calls", R"sql(
  INSERT INTO tool_calls (job, round, step, idx, tool_call_id, tool_name, tool_version,
                          parameters, effect)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[],
                       $6::text[], $7::text[], $8::text[], $9::text[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kStartCalls{"start_calls", R"sql(
  UPDATE tool_calls t
  SET state = 'running', started_at = now(),
      tool_version = coalesce(nullif(s.tool_version, ''), t.tool_version)
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[])
    AS s (job, round, step, idx, tool_version)
  WHERE t.job = s.job AND t.round = s.round AND t.step = s.step AND t.idx = s.idx
    AND t.state = 'intended')sql"};

constexpr Statement kCloseRounds{"close_rounds", R"sql(
  UPDATE rounds r
  SET status = c.status, closed_at = now(), final_answer = c.final_answer,
      input_tokens = c.input_tokens, cache_read_tokens = c.cache_read_tokens,
      cache_write_tokens = c.cache_write_tokens, output_tokens = c.output_tokens,
      thinking_tokens = c.thinking_tokens, latency_ms = c.latency_ms
  FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
    AS c (job, round, status, final_answer, input_tokens, cache_read_tokens, cache_write_tokens,
          output_tokens, thinking_tokens, latency_ms)
  WHERE r.job = c.job AND r.round = c.round AND r.status = 'in_progress')sql"};

constexpr Statement kCountWasted{"count_wasted", R"sql(
  INSERT INTO wasted_model_calls AS known (job, incarnation, calls)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[])
  ON CONFLICT (job, incarnation) DO UPDATE SET calls = excluded.calls
  WHERE known.calls < excluded.calls)sql"};

// The first thing written after a crash counts the call that it lost, or shows that it lost none.
constexpr Statement kSettleCrashes{"settle_crashes", R"sql(
  UPDATE jobs SET after_crash = false WHERE id = ANY ($1::bigint[]) AND after_crash)sql"};

}  // namespace

void StepRows::write(Transaction& transaction) const {
  if (!opened_.keys.empty()) write_opened(transaction);
  if (!steps_.keys.empty()) write_steps(transaction);
  if (!intended_.keys.empty()) write_intended(transaction);
  if (!started_.keys.empty()) write_started(transaction);
  if (!finished_.keys.empty()) write_finished(transaction);
  if (!closed_.keys.empty()) write_closed(transaction);
  context_.write(transaction);
  if (!wasted_.job.empty()) write_wasted(transaction);
  if (!settled_.empty()) transaction.run(kSettleCrashes, settled_);
}

void StepRows::write_opened(Transaction& transaction) const {
  transaction.run(kOpenRounds, opened_.keys.job, opened_.keys.round, opened_.conversation,
                  opened_.round_id, opened_.message, opened_.idle_before);
}

void StepRows::write_steps(Transaction& transaction) const {
  const Steps& s = steps_;
  transaction.run(kInsertSteps, s.keys.job, s.keys.round, s.keys.step, s.stop_reason, s.provider,
                  s.model, s.request_id, s.request_hash, s.usage.input, s.usage.cache_read,
                  s.usage.cache_write, s.usage.output, s.usage.thinking, s.cost, s.tries, s.wasted,
                  s.latency, s.message, s.estimated_input, s.answer_repair, s.cache.tokens,
                  s.cache.micro_usd, s.encoding.tokens, s.encoding.micro_usd, s.compression.tokens,
                  s.compression.micro_usd);
}

void StepRows::write_intended(Transaction& transaction) const {
  const IntendedCalls& c = intended_;
  transaction.run(kIntendCalls, c.keys.job, c.keys.round, c.keys.step, c.keys.index, c.tool_call_id,
                  c.tool_name, c.tool_version, c.parameters, c.effect);
}

void StepRows::write_started(Transaction& transaction) const {
  const StartedCalls& s = started_;
  transaction.run(kStartCalls, s.keys.job, s.keys.round, s.keys.step, s.keys.index, s.tool_version);
}

void StepRows::write_finished(Transaction& transaction) const {
  const FinishedCalls& f = finished_;
  transaction.run(sql::kFinishCalls, f.keys.job, f.keys.round, f.keys.step, f.keys.index, f.state,
                  f.output_level, f.data_size, f.data_summary, f.error_type, f.error_code,
                  f.error_message, f.retry_count, f.duration, f.message, f.semantic_key,
                  f.cache_origin, f.artifact_id, f.data_hash, f.telemetry, f.note, f.saved_tokens);
}

void StepRows::write_closed(Transaction& transaction) const {
  const ClosedRounds& c = closed_;
  transaction.run(kCloseRounds, c.keys.job, c.keys.round, c.status, c.final_answer, c.usage.input,
                  c.usage.cache_read, c.usage.cache_write, c.usage.output, c.usage.thinking,
                  c.latency);
}

void StepRows::write_wasted(Transaction& transaction) const {
  transaction.run(kCountWasted, wasted_.job, wasted_.incarnation, wasted_.calls);
}

}  // namespace ba
