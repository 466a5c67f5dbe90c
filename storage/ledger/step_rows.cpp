// SPDX-License-Identifier: Apache-2.0
// One statement per table; the values of a row stand in the order of its parameters.
#include "storage/ledger/step_rows.hpp"

#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "storage/ledger/finish_calls.sql.hpp"

namespace ba::storage {
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

/// None where nobody knows a price.
std::optional<std::int64_t> price_of(const Saving& saving, bool priced) {
  if (!priced) return std::nullopt;
  return saving.micro_usd;
}

/// The call whose result was taken; none of a call that ran.
std::optional<std::string> cache_origin(const ToolTelemetry& telemetry) {
  if (!telemetry.cache_hit) return std::nullopt;
  const Position& call = telemetry.origin;
  return std::to_string(telemetry.origin_job.value) + "/" + std::to_string(call.round) + "/" +
         std::to_string(call.step) + "/" + std::to_string(call.index);
}

}  // namespace

void StepRows::add(const Delta& delta, IncarnationId self) {
  const std::int64_t job = delta.job.value;
  for (const RoundOpened& round : delta.rounds_opened)
    opened_.add(job, round.round, delta.conversation.value, round.round_id,
                message_to_json(round.message), round.idle_before.count());
  for (const StepReplied& step : delta.steps) add_step(job, step);
  for (const ToolCallIntended& call : delta.calls_intended)
    intended_.add(job, call.position.round, call.position.step, call.position.index,
                  call.tool_call_id.value, call.tool_name, call.tool_version, call.parameters,
                  to_string(call.effect));
  for (const ToolCallStarted& call : delta.calls_started)
    started_.add(job, call.position.round, call.position.step, call.position.index,
                 call.tool_version);
  for (const ToolCallFinished& call : delta.calls_finished) add_finished(job, call);
  for (const RoundClosed& round : delta.rounds_closed)
    closed_.add(job, round.round, to_string(round.status), round.final_answer,
                round.usage.input_tokens, round.usage.cache_read_tokens,
                round.usage.cache_write_tokens, round.usage.output_tokens,
                round.usage.thinking_tokens, round.latency.count());
  context_.add(delta);
  if (delta.wasted_model_calls > 0) wasted_.add(job, self.value, delta.wasted_model_calls);
  if (delta.alone || delta.wasted_model_calls > 0) settled_.add(job);
}

void StepRows::add_step(std::int64_t job, const StepReplied& step) {
  const Usage& usage = step.message.usage;
  const Saving& cache = step.savings.cache;
  const Saving& encoding = step.savings.encoding;
  const Saving& compression = step.savings.compression;
  std::optional<std::string> answer_repair;
  if (step.answer_repair) answer_repair = message_to_json(*step.answer_repair);
  steps_.add(job, step.round, step.step, step.stop_reason, step.provider, step.model,
             step.provider_request_id, step.request_hash, usage.input_tokens,
             usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens,
             usage.thinking_tokens, step.cost_micro_usd, step.tries, step.wasted_calls,
             step.latency.count(), message_to_json(step.message), step.estimated_input_tokens,
             answer_repair, cache.tokens, price_of(cache, step.savings_priced), encoding.tokens,
             price_of(encoding, step.savings_priced), compression.tokens,
             price_of(compression, step.savings_priced));
}

void StepRows::add_finished(std::int64_t job, const ToolCallFinished& call) {
  const ToolResult& result = call.result;
  std::optional<std::string_view> error_type;
  std::optional<std::string_view> error_code;
  std::optional<std::string_view> error_message;
  if (result.error) {
    error_type = to_string(result.error->type);
    error_code = result.error->code;
    error_message = result.error->message;
  }
  finished_.add(job, call.position.round, call.position.step, call.position.index,
                to_string(result.state), to_string(result.output_level), result.data_size_bytes,
                result.data_summary, error_type, error_code, error_message, result.retry_count,
                result.duration.count(), message_to_json(call.message),
                null_if_empty(result.telemetry.semantic_key), cache_origin(result.telemetry),
                null_if_empty(result.artifact_id), null_if_empty(result.data_hash),
                null_if_empty(telemetry_json(result.telemetry)), null_if_empty(result.note),
                result.saved_tokens);
}

void StepRows::write(Transaction& transaction) const {
  opened_.write(transaction, kOpenRounds);
  steps_.write(transaction, kInsertSteps);
  intended_.write(transaction, kIntendCalls);
  started_.write(transaction, kStartCalls);
  finished_.write(transaction, sql::kFinishCalls);
  closed_.write(transaction, kCloseRounds);
  context_.write(transaction);
  wasted_.write(transaction, kCountWasted);
  if (!settled_.empty()) transaction.send(kSettleCrashes, settled_);
}

}  // namespace ba::storage
