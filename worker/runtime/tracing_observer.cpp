// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/tracing_observer.hpp"

#include <utility>

#include "worker/runtime/span_words.hpp"

namespace ba::runtime {

TracingObserver::TracingObserver(TracingOptions options, TracingPorts ports, Emit emit)
    : options_(std::move(options)), ports_(ports), emit_(std::move(emit)) {}

/// Null: this job's trace is not told.
TracingObserver::Running* TracingObserver::of(const ConversationState& state) {
  const auto found = running_.find(state.claim.id.value);
  return found != running_.end() && found->second.sampled ? &found->second : nullptr;
}

TracingObserver::Running TracingObserver::start_of(const ConversationState& state) {
  Running running;
  running.ids = trace::trace_ids_of(state.job);
  if (!state.claim.asked_by) {
    running.sampled = trace::sampled(options_.sampling, running.ids.trace_id);
    return running;
  }
  running.asked_by = state.claim.asked_by->job;
  const auto asking = running_.find(state.claim.asked_by->job.value);
  if (asking == running_.end() || !asking->second.sampled) return running;
  running.sampled = true;
  running.ids.trace_id = asking->second.ids.trace_id;
  const auto call = asking->second.tools.find(state.claim.asked_by->position);
  running.sub_agent_of =
      call == asking->second.tools.end() ? asking->second.ids.agent_id : call->second.span_id;
  return running;
}

trace::Span TracingObserver::span_below(const Running& running,
                                        const ConversationState& state) const {
  trace::Span span;
  span.trace_id = running.ids.trace_id;
  span.span_id = trace::random_span_id(ports_.random);
  span.parent_id = running.ids.agent_id;
  span.trace_state = state.job.tracestate;
  span.start = ports_.clock.wall();
  say_whose(span, state);
  return span;
}

void TracingObserver::emit(trace::Span span) {
  if (span.end == WallTime{}) span.end = ports_.clock.wall();
  emit_(std::move(span));
}

void TracingObserver::job_started(const ConversationState& state) {
  running_.insert_or_assign(state.claim.id.value, start_of(state));
}

void TracingObserver::history_compressed(const ConversationState& state, const CompressionEvent&) {
  if (Running* running = of(state)) running->compacted = true;
}

void TracingObserver::model_asked(const ConversationState& state) {
  Running* running = of(state);
  if (!running) return;
  trace::Span span = span_below(*running, state);
  say_call(span, state, ports_.models);
  if (running->compacted) span.set("gen_ai.conversation.compacted", true);
  if (options_.content)
    span.set(
        "gen_ai.input.messages",
        ports_.secrets.clean(messages_content(state.history.messages, options_.content_bytes_max)),
        options_.content_bytes_max);
  running->chat = std::move(span);
}

void TracingObserver::model_answered(const ConversationState& state, const ModelReply& reply) {
  Running* running = of(state);
  if (!running || !running->chat) return;
  trace::Span span = *std::exchange(running->chat, std::nullopt);
  say_reply(span, reply);
  if (options_.content)
    span.set("gen_ai.output.messages",
             ports_.secrets.clean(
                 reply_content(reply.message, reply.raw_stop, options_.content_bytes_max)),
             options_.content_bytes_max);
  emit(std::move(span));
}

void TracingObserver::model_failed(const ConversationState& state, const ModelFailure& failure) {
  Running* running = of(state);
  if (!running || !running->chat) return;
  trace::Span span = *std::exchange(running->chat, std::nullopt);
  say_failure(span, failure);
  emit(std::move(span));
}

void TracingObserver::tool_started(const ConversationState& state, const CallState& call) {
  Running* running = of(state);
  if (!running) return;
  trace::Span span = span_below(*running, state);
  say_tool(span, call);
  if (options_.content)
    span.set("gen_ai.tool.call.arguments", ports_.secrets.clean(call.call.args_json),
             options_.content_bytes_max);
  running->tools.insert_or_assign(call.position, std::move(span));
}

void TracingObserver::tool_finished(const ConversationState& state, const CallState& call,
                                    const ToolResult& result) {
  Running* running = of(state);
  if (!running) return;
  auto node = running->tools.extract(call.position);
  if (node.empty()) return;
  trace::Span& span = node.mapped();
  say_tool_result(span, result, options_.content);
  if (options_.content)
    span.set("gen_ai.tool.call.result", ports_.secrets.clean(result.observation),
             options_.content_bytes_max);
  emit(std::move(span));
}

void TracingObserver::job_finished(const ConversationState& state, const JobResult& result) {
  if (Running* running = of(state)) {
    give_up_open(*running);
    tell_end(*running, state, result);
  }
  end(state);
}

void TracingObserver::job_handed_back(const ConversationState& state) {
  if (Running* running = of(state)) give_up_open(*running);
  end(state);
}

void TracingObserver::job_waits(const ConversationState& state) {
  if (Running* running = of(state)) give_up_open(*running);
  end(state);
}

/// What the job was in the middle of when it ended or went back.
void TracingObserver::give_up_open(Running& running) {
  const auto give_up = [this](trace::Span span) {
    span.failed = true;
    span.failure = "given up";
    span.set("error.type", "cancelled");
    emit(std::move(span));
  };
  if (running.chat) give_up(*std::exchange(running.chat, std::nullopt));
  for (auto& [position, span] : std::exchange(running.tools, {})) {
    span.set("tool.success", false);
    span.set("tool.error", "cancelled");
    give_up(std::move(span));
  }
}

/// With its sub-agents, which are halted unheard.
void TracingObserver::end(const ConversationState& state) {
  running_.erase(state.claim.id.value);
  if (state.bill.sub_agents > 0)
    std::erase_if(running_,
                  [&](const auto& entry) { return entry.second.asked_by == state.claim.id; });
}

void TracingObserver::tell_end(const Running& running, const ConversationState& state,
                               const JobResult& result) {
  trace::Span agent = span_below(running, state);
  agent.span_id = running.ids.agent_id;
  agent.parent_id = running.asked_by ? running.sub_agent_of : running.ids.span_id;
  agent.start = result.started_at;
  agent.end = result.finished_at;
  say_agent(agent, state, ports_.models);
  say_usage(agent, result.totals.usage);
  say_outcome(agent, result);
  trace::Span job = agent;
  emit(std::move(agent));
  if (running.asked_by) return;
  job.attributes.clear();
  job.span_id = running.ids.span_id;
  job.parent_id = running.ids.parent_id;
  job.remote_parent = !job.parent_id.empty();
  job.failed = false;
  say_whose(job, state);
  say_job(job, state, options_.intake);
  say_outcome(job, result);
  emit(std::move(job));
}

}  // namespace ba::runtime
