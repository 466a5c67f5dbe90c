// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/endings.hpp"

#include <algorithm>

#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba::endings {
namespace {

constexpr std::size_t kAnswerStart = 200;  ///< characters of an answer that can't be used

/// On one line.
std::string start_of(const std::string& text) {
  std::string start = storable(utf8_prefix(text, 4 * kAnswerStart + 4));
  std::ranges::replace_if(
      start, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; }, ' ');
  return cut_code_points(start, kAnswerStart);
}

Ending ending(Outcome outcome, std::string type, std::string code, std::string message) {
  return {outcome, {std::move(type), std::move(code), std::move(message)}, std::nullopt};
}

ToolResult failed_call(const ToolCallId& id, ToolErrorType type, std::string code,
                       std::string message) {
  ToolResult result;
  result.tool_call_id = id;
  result.state = ToolCallState::Failed;
  result.error = ToolError{type, std::move(code), std::move(message)};
  result.observation = error_observation(*result.error, id);
  return result;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

}  // namespace

Ending poisoned(int attempts_max) {
  const std::string max = std::to_string(attempts_max);
  return ending(Outcome::Poisoned, "internal", "ATTEMPTS_EXHAUSTED",
                "each of " + max +
                    " attempts ended with its worker lost: it crashed, or could not keep its lease "
                    "(attempts_max " +
                    max + "); the conversation so far is kept");
}

Ending duplicate_call_ids() {
  return ending(Outcome::ModelError, "model", "DUPLICATE_TOOL_CALL_ID",
                "the model gave two tool calls of one reply the same id");
}

Ending invalid_reply(const Error& error) {
  return ending(Outcome::ModelError, "model", "INVALID_REPLY",
                "the model's reply can't be stored: " + error.message);
}

Ending refused() {
  return ending(Outcome::Refused, "model", "REFUSED",
                "the model refused to answer; ask in other words, or another model");
}

Ending truncated(const ConversationState& state) {
  return ending(Outcome::Truncated, "model", "ANSWER_TRUNCATED",
                "the answer was cut after " + std::to_string(state.round.usage.output_tokens) +
                    " output tokens of the round by the model's output limit (max_output_tokens)");
}

Ending empty_reply() {
  return ending(Outcome::ModelError, "model", "EMPTY_REPLY",
                "the model answered with neither text nor a tool call");
}

Ending unfinished_turn(const ConversationState& state) {
  return ending(Outcome::ModelError, "model", "TURN_UNFINISHED",
                "the model's turn of round " + std::to_string(state.round.number) +
                    " was paused by its provider once more, after " +
                    std::to_string(state.round.answer_repairs) +
                    " requests to go on (answer_repairs_max)");
}

Ending invalid_answer(const ConversationState& state, const std::string& violation,
                      const std::string& text) {
  return ending(Outcome::ModelError, "model", "ANSWER_INVALID",
                "no answer of round " + std::to_string(state.round.number) +
                    " fits the job's answer_schema, after " +
                    std::to_string(state.round.answer_repairs) +
                    " requests for a better one (answer_repairs_max); the last one: " + violation +
                    "; it began: " + start_of(text));
}

Ending context_exceeded(const ConversationState& state) {
  const std::int64_t window = window_in_force(state);
  return ending(Outcome::ModelError, "model", "CONTEXT_EXCEEDED",
                "the conversation no longer fits the context window of model '" +
                    model_in_force(state) + "'" +
                    (window > 0 ? ", " + std::to_string(window) + " tokens" : std::string()) +
                    "; begin a new conversation, ask for less data at once, or use a model with a "
                    "larger window");
}

Ending model_failed(const Error& error) {
  std::string code = "MODEL_" + upper(to_string(error.code));
  return ending(Outcome::ModelError, "model", std::move(code), error.message);
}

Ending deadline(const ConversationState& state) {
  const auto milliseconds = state.profile.limits.deadline.count();
  return ending(Outcome::DeadlineExceeded, "limit", "DEADLINE_EXCEEDED",
                "the job did not end within " + std::to_string(milliseconds) +
                    " ms of its first claim (deadline_ms)");
}

Ending cancelled() {
  return ending(Outcome::Cancelled, "job", "CANCELLED", "the job was cancelled");
}

Ending conversation_busy(const OverdueWait& wait) {
  return ending(Outcome::DeadlineExceeded, "limit", "CONVERSATION_BUSY",
                "the job waited for its conversation for more than " +
                    std::to_string(wait.max.count()) +
                    " s (limits.conversation_wait_max_s) and was not begun: job '" +
                    wait.behind.value + "' came before it and had not ended");
}

Ending invalid_job(std::string message) {
  return ending(Outcome::InvalidJob, "job", "INVALID_JOB", std::move(message));
}

Ending internal(const Error& error) {
  return ending(Outcome::Failed, "internal", upper(to_string(error.code)), error.message);
}

Ending unreadable_job(const JobRemains& remains, const Error& error) {
  return ending(Outcome::Failed, "internal", "UNREADABLE_JOB",
                "the ledger's payload of job " + remains.tenant.value + "/" + remains.job_id.value +
                    " can't be read: " + error.message + "; its bytes are in the dead letter");
}

std::optional<Ending> limit_reached(const ConversationState& state) {
  const EffectiveLimits& limits = state.profile.limits;
  if (const std::int64_t bytes = state.history.messages.bytes(); bytes > limits.history_bytes_max)
    return ending(Outcome::TokenLimit, "limit", "HISTORY_LIMIT",
                  "the conversation holds " + std::to_string(bytes) + " bytes of text, more than " +
                      std::to_string(limits.history_bytes_max) + " (history_bytes_max)");
  const bool asks_again = !state.calls.empty() || state.round.answer_repairs > 0;
  if (asks_again && state.round.step >= limits.steps_per_round_max)
    return ending(Outcome::StepLimit, "limit", "STEP_LIMIT",
                  "round " + std::to_string(state.round.number) + " reached its " +
                      std::to_string(limits.steps_per_round_max) +
                      " steps (steps_per_round_max) without an answer");
  if (state.bill.totals.usage.total() >= limits.tokens_max)
    return ending(Outcome::TokenLimit, "limit", "TOKEN_LIMIT",
                  "the job used " + std::to_string(state.bill.totals.usage.total()) + " of " +
                      std::to_string(limits.tokens_max) +
                      " tokens (the job's tokens_max, or tokens_per_job_max)");
  if (state.bill.totals.cost_micro_usd >= limits.cost_micro_usd_max)
    return ending(Outcome::CostLimit, "limit", "COST_LIMIT",
                  "the job cost " + std::to_string(state.bill.totals.cost_micro_usd) + " of " +
                      std::to_string(limits.cost_micro_usd_max) +
                      " micro-dollars (the job's cost_micro_usd_max, or cost_per_job_max_usd)");
  return std::nullopt;
}

ToolResult truncated_call(const ToolCallId& id) {
  return failed_call(id, ToolErrorType::ValidationError, "REPLY_TRUNCATED",
                     "The reply was cut by the output limit before this call was complete, so it "
                     "was not run. Ask again with shorter arguments.");
}

ToolResult excess_call(const ConversationState& state, std::size_t index) {
  return failed_call(state.calls.at(index).call.id, ToolErrorType::ResourceError, "TOO_MANY_CALLS",
                     "Only the first " +
                         std::to_string(state.profile.limits.tool_calls_per_step_max) +
                         " tool calls of a reply are run. Ask for this one again.");
}

ToolResult abandoned_call(const CallState& call) {
  const bool started =
      call.phase == CallPhase::Running || call.phase == CallPhase::Unresolved || call.maybe_done;
  if (call.effect != EffectClass::Pure && started) return unknown_result(call.call.id);
  return not_completed_result(call.call.id);
}

}  // namespace ba::endings
