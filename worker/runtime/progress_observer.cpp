// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/progress_observer.hpp"

#include <utility>

namespace ba::runtime {
namespace {

constexpr std::size_t kTextLetters = 200;

bool starts_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::string step_text(const StepReplied& step) {
  const std::size_t calls = step.message.tool_calls.size();
  if (calls == 0) return "answered";
  return std::to_string(calls) + (calls == 1 ? " tool call" : " tool calls");
}

}  // namespace

std::string progress_line(std::string_view text) {
  std::string line;
  std::size_t letters = 0;
  for (const char byte : text) {
    if (starts_letter(byte) && ++letters > kTextLetters) break;
    line += static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f ? ' ' : byte;
  }
  return line;
}

ProgressObserver::ProgressObserver(const Clock& clock, Publish publish)
    : clock_(clock), publish_(std::move(publish)) {}

/// A sub-agent's work is told of by the call that asked for it.
void ProgressObserver::tell(const ConversationState& state, const ProgressEvent& event) const {
  if (!state.claim.asked_by) publish_(event);
}

ProgressEvent ProgressObserver::event_of(const ConversationState& state, ProgressKind kind) const {
  ProgressEvent event;
  event.tenant = state.job.tenant;
  event.job_id = state.job.job_id;
  event.conversation_id = state.job.conversation_id;
  event.kind = kind;
  event.attempt = state.claim.attempt;
  event.round = state.round.number;
  event.usage = state.bill.totals.usage;
  event.time = clock_.wall();
  return event;
}

void ProgressObserver::job_started(const ConversationState& state) {
  tell(state, event_of(state, ProgressKind::JobStarted));
}

/// The first question of a round is its start; the round's row becomes durable with the reply only.
void ProgressObserver::model_asked(const ConversationState& state) {
  if (state.round.step > 0) return;
  ProgressEvent event = event_of(state, ProgressKind::RoundStarted);
  const auto round = static_cast<std::size_t>(state.round.number);
  if (round < state.job.messages.size()) event.text = progress_line(state.job.messages[round]);
  tell(state, event);
}

void ProgressObserver::tool_started(const ConversationState& state, const CallState& call) {
  ProgressEvent event = event_of(state, ProgressKind::ToolCallStarted);
  event.step = call.position.step;
  event.index = call.position.index - 1;  // index 0 of a position is the reply
  event.tool_name = progress_line(call.call.name);
  tell(state, event);
}

void ProgressObserver::tool_finished(const ConversationState& state, const CallState& call,
                                     const ToolResult& result) {
  ProgressEvent event = event_of(state, ProgressKind::ToolCallFinished);
  event.step = call.position.step;
  event.index = call.position.index - 1;  // index 0 of a position is the reply
  event.tool_name = progress_line(call.call.name);
  event.status = to_string(result.state);
  event.text = event.tool_name + " in " + std::to_string(result.duration.count()) + " ms";
  if (result.error) event.text = progress_line(result.error->message);
  tell(state, event);
}

void ProgressObserver::committed(const ConversationState& state, const Delta& delta) {
  for (const StepReplied& step : delta.steps) {
    ProgressEvent event = event_of(state, ProgressKind::StepFinished);
    event.round = step.round;
    event.step = step.step;
    event.status = "succeeded";
    event.text = step_text(step);
    tell(state, event);
  }
  for (const RoundClosed& round : delta.rounds_closed) {
    ProgressEvent event = event_of(state, ProgressKind::RoundFinished);
    event.round = round.round;
    event.status = to_string(round.status);
    event.text = progress_line(round.final_answer);
    tell(state, event);
  }
}

void ProgressObserver::job_finished(const ConversationState& state, const JobResult& result) {
  ProgressEvent event = event_of(state, ProgressKind::JobFinished);
  event.status = to_string(result.outcome);
  event.usage = result.totals.usage;
  if (result.error) event.text = progress_line(result.error->message);
  tell(state, event);
}

}  // namespace ba::runtime
