// SPDX-License-Identifier: Apache-2.0
// Collecting the columns; the statements are in step_statements.cpp.
#include "storage/ledger/step_rows.hpp"

#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/text/message/langchain_json.hpp"

namespace ba {
namespace {

/// What is empty stands as null.
template <typename Column>
void add_or_null(Column& column, const std::string& text) {
  if (text.empty())
    column.add_null();
  else
    column.add(text);
}

}  // namespace

void StepRows::Keys::add(LedgerJobId id, const Position& position) {
  job.add(id.value);
  round.add(position.round);
  step.add(position.step);
  index.add(position.index);
}

void StepRows::UsageColumns::add(const Usage& usage) {
  input.add(usage.input_tokens);
  cache_read.add(usage.cache_read_tokens);
  cache_write.add(usage.cache_write_tokens);
  output.add(usage.output_tokens);
  thinking.add(usage.thinking_tokens);
}

void StepRows::SavingColumns::add(const Saving& saving, bool priced) {
  tokens.add(saving.tokens);
  if (priced)
    micro_usd.add(saving.micro_usd);
  else
    micro_usd.add_null();
}

void StepRows::add(const Delta& delta, IncarnationId self) {
  for (const RoundOpened& round : delta.rounds_opened) add_opened(delta, round);
  for (const StepReplied& step : delta.steps) add_step(delta.job, step);
  for (const ToolCallIntended& call : delta.calls_intended) add_intended(delta.job, call);
  for (const ToolCallStarted& started : delta.calls_started) {
    started_.keys.add(delta.job, started.position);
    started_.tool_version.add(started.tool_version);
  }
  for (const ToolCallFinished& call : delta.calls_finished) add_finished(delta.job, call);
  for (const RoundClosed& round : delta.rounds_closed) add_closed(delta.job, round);
  context_.add(delta);
  if (delta.wasted_model_calls > 0) {
    wasted_.job.add(delta.job.value);
    wasted_.incarnation.add(self.value);
    wasted_.calls.add(delta.wasted_model_calls);
  }
  if (delta.alone || delta.wasted_model_calls > 0) settled_.add(delta.job.value);
}

void StepRows::add_opened(const Delta& delta, const RoundOpened& round) {
  opened_.keys.add(delta.job, {round.round, 0, 0});
  opened_.conversation.add(delta.conversation.value);
  opened_.round_id.add(round.round_id);
  opened_.message.add(message_to_json(round.message));
  opened_.idle_before.add(round.idle_before.count());
}

void StepRows::add_step(LedgerJobId job, const StepReplied& step) {
  steps_.keys.add(job, {step.round, step.step, 0});
  steps_.stop_reason.add(step.stop_reason);
  steps_.provider.add(step.provider);
  steps_.model.add(step.model);
  steps_.request_id.add(step.provider_request_id);
  steps_.request_hash.add(step.request_hash);
  steps_.usage.add(step.message.usage);
  steps_.cost.add(step.cost_micro_usd);
  steps_.estimated_input.add(step.estimated_input_tokens);
  steps_.tries.add(step.tries);
  steps_.wasted.add(step.wasted_calls);
  steps_.latency.add(step.latency.count());
  steps_.message.add(message_to_json(step.message));
  if (step.answer_repair)
    steps_.answer_repair.add(message_to_json(*step.answer_repair));
  else
    steps_.answer_repair.add_null();
  steps_.cache.add(step.savings.cache, step.savings_priced);
  steps_.encoding.add(step.savings.encoding, step.savings_priced);
  steps_.compression.add(step.savings.compression, step.savings_priced);
}

void StepRows::add_intended(LedgerJobId job, const ToolCallIntended& call) {
  intended_.keys.add(job, call.position);
  intended_.tool_call_id.add(call.tool_call_id.value);
  intended_.tool_name.add(call.tool_name);
  intended_.tool_version.add(call.tool_version);
  intended_.parameters.add(call.parameters);
  intended_.effect.add(to_string(call.effect));
}

void StepRows::add_finished(LedgerJobId job, const ToolCallFinished& call) {
  const ToolResult& result = call.result;
  finished_.keys.add(job, call.position);
  finished_.state.add(to_string(result.state));
  finished_.output_level.add(to_string(result.output_level));
  finished_.data_size.add(result.data_size_bytes);
  finished_.data_summary.add(result.data_summary);
  if (result.error) {
    finished_.error_type.add(to_string(result.error->type));
    finished_.error_code.add(result.error->code);
    finished_.error_message.add(result.error->message);
  } else {
    finished_.error_type.add_null();
    finished_.error_code.add_null();
    finished_.error_message.add_null();
  }
  finished_.retry_count.add(result.retry_count);
  finished_.duration.add(result.duration.count());
  finished_.message.add(message_to_json(call.message));
  add_or_null(finished_.artifact_id, result.artifact_id);
  add_or_null(finished_.data_hash, result.data_hash);
  add_or_null(finished_.note, result.note);
  finished_.saved_tokens.add(result.saved_tokens);
  add_telemetry(result.telemetry);
}

void StepRows::add_telemetry(const ToolTelemetry& telemetry) {
  add_or_null(finished_.telemetry, telemetry_json(telemetry));
  add_or_null(finished_.semantic_key, telemetry.semantic_key);
  if (!telemetry.cache_hit) return finished_.cache_origin.add_null();
  const Position& call = telemetry.origin;
  finished_.cache_origin.add(std::to_string(telemetry.origin_job.value) + "/" +
                             std::to_string(call.round) + "/" + std::to_string(call.step) + "/" +
                             std::to_string(call.index));
}

void StepRows::add_closed(LedgerJobId job, const RoundClosed& round) {
  closed_.keys.add(job, {round.round, 0, 0});
  closed_.status.add(to_string(round.status));
  closed_.final_answer.add(round.final_answer);
  closed_.usage.add(round.usage);
  closed_.latency.add(round.latency.count());
}

}  // namespace ba
