// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/span_words.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/runtime/queue_wait.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba::runtime {
namespace {

constexpr int kHttpPort = 80;
constexpr int kHttpsPort = 443;

void set_if_any(trace::Span& span, std::string_view attribute, std::string_view text) {
  if (!text.empty()) span.set(attribute, text);
}

void set_if_any(trace::Span& span, std::string_view attribute, std::int64_t number) {
  if (number > 0) span.set(attribute, number);
}

/// By the conventions' own names, where they have one.
std::string provider_name(const llm::ProviderConfig& provider) {
  const llm::ProtocolTraits& protocol = provider.protocol->traits();
  if (!protocol.quirks_in_spans || provider.quirks == llm::LlmQuirks::None)
    return std::string(protocol.owner);
  if (provider.quirks == llm::LlmQuirks::Mistral) return "mistral_ai";
  return std::string(name_of(llm::kLlmQuirksNames, provider.quirks));
}

void say_server(trace::Span& span, const std::string& url) {
  const std::string server = http::server_of(url);
  const std::size_t host_at = server.find("//") == std::string::npos ? 0 : server.find("//") + 2;
  const std::optional<int> port = trace::port_of(url);
  std::string host = server.substr(host_at);
  if (port) host.resize(host.rfind(':'));
  span.set("server.address", host);
  span.set("server.port", port.value_or(server.starts_with("https") ? kHttpsPort : kHttpPort));
}

void fail(trace::Span& span, std::string_view type, std::string_view words) {
  span.failed = true;
  span.failure = words;
  span.set("error.type", type);
}

using Json = nlohmann::ordered_json;

std::string cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

Json text_part(std::string_view text, std::size_t bytes_max) {
  return {{"type", "text"}, {"content", cut(text, bytes_max)}};
}

Json message_json(const char* role, Json parts) {
  return {{"role", role}, {"parts", std::move(parts)}};
}

Json arguments_json(const ToolCall& call, std::size_t bytes_max) {
  if (call.args_json.size() > bytes_max) return cut(call.args_json, bytes_max);
  Json parsed = parse_exact<Json>(call.args_json);
  return parsed.is_discarded() ? Json(call.args_json) : parsed;
}

struct MessageJson {
  std::size_t bytes_max;

  Json operator()(const SystemMessage& message) const { return said("system", message.text); }
  Json operator()(const HumanMessage& message) const {
    return said("user", text_for_model(message));
  }
  Json operator()(const AiMessage& message) const {
    Json parts = Json::array();
    if (!message.text.empty()) parts.push_back(text_part(message.text, bytes_max));
    for (const ToolCall& call : message.tool_calls)
      parts.push_back({{"type", "tool_call"},
                       {"id", call.id.value},
                       {"name", call.name},
                       {"arguments", arguments_json(call, bytes_max)}});
    return message_json("assistant", std::move(parts));
  }
  Json operator()(const ToolMessage& message) const {
    const Json part = {{"type", "tool_call_response"},
                       {"id", message.tool_call_id.value},
                       {"result", cut(message.content, bytes_max)}};
    return message_json("tool", Json::array({part}));
  }

 private:
  Json said(const char* role, std::string_view text) const {
    return message_json(role, Json::array({text_part(text, bytes_max)}));
  }
};

std::string text_of(const Json& json) { return dump_exact(json); }

}  // namespace

void say_whose(trace::Span& span, const ConversationState& state) {
  span.set("ba.tenant", state.job.tenant.value);
  span.set("ba.job.id", state.job.job_id.value);
  span.set("ba.attempt", state.claim.attempt);
  span.set("gen_ai.conversation.id", state.job.conversation_id.value);
  span.set("gen_ai.agent.name", state.profile.name);
}

void say_job(trace::Span& span, const ConversationState& state, const TracedIntake& intake) {
  const Job& job = state.job;
  const std::string& topic = intake.topics.at(static_cast<std::size_t>(job.lane));
  span.name = "process " + topic;
  span.kind = trace::SpanKind::Consumer;
  span.set("messaging.system", "kafka");
  span.set("messaging.operation.name", "process");
  span.set("messaging.operation.type", "process");
  span.set("messaging.destination.name", topic);
  span.set("messaging.consumer.group.name", intake.group);
  set_if_any(span, "messaging.message.id", job.source_event_id);
  set_if_any(span, "messaging.message.conversation_id", job.correlation_id);
  span.set("ba.lane", to_string(job.lane));
  span.set("ba.queue_wait_ms", queue_wait(state).count());
}

void say_agent(trace::Span& span, const ConversationState& state, const llm::LlmConfig& models) {
  span.name = "invoke_agent " + state.profile.name;
  span.set("gen_ai.operation.name", "invoke_agent");
  const llm::ModelConfig* model = models.model(state.profile.model);
  if (!model) return;
  span.set("gen_ai.request.model", model->model_id);
  if (const llm::ProviderConfig* provider = models.provider(model->provider))
    span.set("gen_ai.provider.name", provider_name(*provider));
}

void say_outcome(trace::Span& span, const JobResult& result) {
  span.set("ba.outcome", to_string(result.outcome));
  span.set("ba.rounds", result.totals.rounds);
  span.set("ba.steps", result.totals.steps);
  span.set("ba.tool_calls", result.totals.tool_calls);
  if (result.totals.cost_known) span.set("ba.cost_micro_usd", result.totals.cost_micro_usd);
  if (result.outcome == Outcome::Completed) return;
  fail(span, to_string(result.outcome), result.error ? result.error->code : "");
}

/// The conventions count what was read from and written to a cache as input.
void say_usage(trace::Span& span, const Usage& usage) {
  span.set("gen_ai.usage.input_tokens", usage.total_input());
  span.set("gen_ai.usage.output_tokens", usage.output_tokens);
  set_if_any(span, "gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens);
  set_if_any(span, "gen_ai.usage.cache_write.input_tokens", usage.cache_write_tokens);
  set_if_any(span, "gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens);
  set_if_any(span, "gen_ai.usage.reasoning.output_tokens", usage.thinking_tokens);
}

void say_call(trace::Span& span, const ConversationState& state, const llm::LlmConfig& models) {
  span.kind = trace::SpanKind::Client;
  span.set("gen_ai.operation.name", "chat");
  span.set("ba.round", state.round.number);
  span.set("ba.step", state.round.step + 1);
  const llm::ModelConfig* model = models.model(model_in_force(state));
  span.name = "chat " + (model ? model->model_id : model_in_force(state));
  if (!model) return;
  span.set("gen_ai.request.model", model->model_id);
  const std::int64_t own = state.profile.max_output_tokens;
  span.set("gen_ai.request.max_tokens", own > 0 ? own : model->max_output_tokens);
  if (model->temperature) span.set("gen_ai.request.temperature", *model->temperature);
  const llm::ProviderConfig* provider = models.provider(model->provider);
  if (!provider) return;
  span.set("gen_ai.provider.name", provider_name(*provider));
  span.set("ba.provider", provider->name);
  say_server(span, provider->base_url);
}

void say_reply(trace::Span& span, const ModelReply& reply) {
  span.set("gen_ai.response.model", reply.model);
  set_if_any(span, "ba.provider_request_id", reply.provider_request_id);
  const std::string reason =
      reply.raw_stop.empty() ? std::string(to_string(reply.stop)) : reply.raw_stop;
  span.set("gen_ai.response.finish_reasons", std::vector<std::string>{reason});
  say_usage(span, reply.message.usage);
  if (reply.cost_micro_usd) span.set("ba.cost_micro_usd", *reply.cost_micro_usd);
  set_if_any(span, "http.request.resend_count", std::int64_t{reply.tries - 1});
}

void say_failure(trace::Span& span, const ModelFailure& failure) {
  fail(span, to_string(failure.error.code), to_string(failure.error.code));
  set_if_any(span, "http.request.resend_count", std::int64_t{failure.tries - 1});
}

void say_tool(trace::Span& span, const CallState& call) {
  span.name = "execute_tool " + call.call.name.substr(0, 100);
  span.set("gen_ai.operation.name", "execute_tool");
  span.set("gen_ai.tool.name", call.call.name);
  span.set("gen_ai.tool.type", "function");
  span.set("gen_ai.tool.call.id", call.call.id.value);
  span.set("tool.name", call.call.name);
  span.set("ba.round", call.position.round);
  span.set("ba.step", call.position.step);
}

void say_tool_result(trace::Span& span, const ToolResult& result, bool content) {
  span.set("tool.success", result.state == ToolCallState::Succeeded);
  span.set("tool.duration_ms", result.duration.count());
  span.set("ba.tool.cache_hit", result.telemetry.cache_hit);
  set_if_any(span, "ba.tool.retries", std::int64_t{result.retry_count});
  span.set("ba.tool.data_size_bytes", result.data_size_bytes);
  set_if_any(span, "ba.tool.execution_id", result.telemetry.execution_id);
  set_if_any(span, "ba.skill", result.telemetry.skill);
  set_if_any(span, "ba.skill.activation_id", result.telemetry.activation_id);
  if (result.state == ToolCallState::Succeeded) return;
  if (!result.error) {
    span.set("tool.error", "outcome_unknown");
    return fail(span, "outcome_unknown", "outcome_unknown");
  }
  const std::string_view type = to_string(result.error->type);
  span.set("tool.error", result.error->code + (content ? ": " + result.error->message : ""));
  fail(span, type, result.error->code);
}

std::string messages_content(std::span<const Message> messages, std::size_t bytes_max) {
  std::vector<std::string> newest;
  std::size_t bytes = 2;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    std::string text = text_of(std::visit(MessageJson{bytes_max / 4}, *message));
    bytes += text.size() + 1;
    if (bytes > bytes_max) break;
    newest.push_back(std::move(text));
  }
  std::string all = "[";
  for (auto text = newest.rbegin(); text != newest.rend(); ++text)
    all += (all.size() > 1 ? "," : "") + *text;
  return all + "]";
}

std::string reply_content(const AiMessage& reply, const std::string& finish_reason,
                          std::size_t bytes_max) {
  Json json = MessageJson{bytes_max / 2}(reply);
  json["finish_reason"] = finish_reason;
  std::string text = "[" + text_of(json) + "]";
  return text.size() <= bytes_max ? text : "[]";
}

}  // namespace ba::runtime
