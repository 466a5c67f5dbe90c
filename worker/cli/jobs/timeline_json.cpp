// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "worker/cli/jobs/timeline_view.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(const std::optional<WallTime>& time) {
  return time ? Json(to_rfc3339(*time)) : Json(nullptr);
}

Json as_json(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"cache_read_tokens", usage.cache_read_tokens},
          {"cache_write_tokens", usage.cache_write_tokens},
          {"output_tokens", usage.output_tokens},
          {"thinking_tokens", usage.thinking_tokens}};
}

Json parsed_or_text(const std::string& text) {
  if (text.empty()) return nullptr;
  Json json = parse_exact<Json>(text);
  return json.is_discarded() ? Json(text) : json;
}

std::string_view kind_of_error(const std::string& error_type) {
  const auto type = parse_tool_error_type(error_type);
  return type ? to_string(error_kind(*type)) : "";
}

Json as_json(const storage::JobSummary& job) {
  return {{"tenant", job.tenant.value},
          {"job_id", job.job_id.value},
          {"conversation_id", job.conversation_id.value},
          {"lane", job.lane},
          {"state", job.state},
          {"request", job.request},
          {"requested_by", job.requested_by},
          {"waits_for", job.waits_for},
          {"asked_by", job.asked_by},
          {"outcome", job.outcome},
          {"error_code", job.error_code},
          {"error_message", job.error_message},
          {"attempt", job.attempt},
          {"rounds", job.rounds},
          {"steps", job.steps},
          {"tool_calls", job.tool_calls},
          {"tool_calls_failed", job.tool_calls_failed},
          {"wasted_model_calls", job.wasted_model_calls},
          {"usage", as_json(job.usage)},
          {"cost_micro_usd", job.cost_micro_usd},
          {"cost_known", job.cost_known},
          {"model", job.model},
          {"worker", job.worker},
          {"created_at", to_rfc3339(job.created_at)},
          {"received_at", to_rfc3339(job.received_at)},
          {"started_at", time_or_null(job.started_at)},
          {"finished_at", time_or_null(job.finished_at)}};
}

Json as_json(const storage::AttemptView& attempt) {
  return {{"attempt", attempt.attempt},
          {"worker", attempt.worker},
          {"started_at", to_rfc3339(attempt.started_at)},
          {"ended_at", time_or_null(attempt.ended_at)},
          {"ending", attempt.ending}};
}

Json as_json(const storage::StepView& step) {
  return {{"round", step.round},
          {"step", step.step},
          {"stop_reason", step.stop_reason},
          {"provider", step.provider},
          {"model", step.model},
          {"provider_request_id", step.provider_request_id},
          {"usage", as_json(step.usage)},
          {"cost_micro_usd", step.cost_micro_usd ? Json(*step.cost_micro_usd) : Json(nullptr)},
          {"tries", step.tries},
          {"wasted_calls", step.wasted_calls},
          {"latency_ms", step.latency.count()},
          {"replied_at", to_rfc3339(step.replied_at)}};
}

Json as_json(const storage::MessageView& view) {
  return {{"round", view.position.round},
          {"step", view.position.step},
          {"index", view.position.index},
          {"message", parsed_or_text(view.json)}};
}

Json as_json(const storage::ToolCallView& call) {
  return {{"round", call.position.round},
          {"step", call.position.step},
          {"index", call.position.index},
          {"tool_call_id", call.tool_call_id.value},
          {"tool_name", call.tool_name},
          {"parameters", parsed_or_text(call.parameters)},
          {"effect", call.effect},
          {"state", call.state},
          {"error_type", call.error_type},
          {"error_kind", kind_of_error(call.error_type)},
          {"error_code", call.error_code},
          {"error_message", call.error_message},
          {"artifact_id", call.artifact_id},
          {"sub_agent", call.sub_agent},
          {"data_size_bytes", call.data_size_bytes},
          {"data_hash", call.data_hash},
          {"note", call.note},
          {"retry_count", call.retry_count},
          {"duration_ms", call.duration.count()},
          {"output_level", call.output_level},
          {"telemetry", call.telemetry.empty() ? Json() : parse_exact_known<Json>(call.telemetry)},
          {"semantic_key", call.semantic_key},
          {"cache_hit", !call.cache_origin.empty()},
          {"cache_origin", call.cache_origin},
          {"intended_at", to_rfc3339(call.intended_at)},
          {"started_at", time_or_null(call.started_at)},
          {"finished_at", time_or_null(call.finished_at)}};
}

Json as_json(const storage::CompressionView& view) {
  return {{"round", view.round},
          {"step", view.step},
          {"mode", view.mode},
          {"reason", view.reason},
          {"messages_before", view.messages_before},
          {"messages_after", view.messages_after},
          {"tokens_before", view.tokens_before},
          {"tokens_after", view.tokens_after},
          {"missed", view.missed},
          {"compressed_at", to_rfc3339(view.compressed_at)}};
}

Json number_or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json as_json(const storage::RefusedContextView& view) {
  return {{"round", view.round},
          {"step", view.step},
          {"refusal", view.refusal},
          {"model", view.model},
          {"tokens", view.tokens},
          {"window_tokens", view.window_tokens},
          {"of_window", view.of_window},
          {"told_limit", number_or_null(view.told_limit)},
          {"told_tokens", number_or_null(view.told_tokens)},
          {"refused_at", to_rfc3339(view.refused_at)}};
}

Json as_json(const storage::ExactCountView& view) {
  return {{"round", view.round},
          {"step", view.step},
          {"refusal", view.refusal},
          {"model", view.model},
          {"estimated_tokens", view.estimated_tokens},
          {"tokens", number_or_null(view.tokens)},
          {"counted_at", to_rfc3339(view.counted_at)}};
}

Json as_json(const storage::SummaryView& view) {
  return {{"round", view.round},
          {"step", view.step},
          {"state", view.state},
          {"round_id", view.round_id},
          {"content_hash", view.content_hash},
          {"text", view.text},
          {"model", view.model},
          {"usage", as_json(view.usage)},
          {"cost_micro_usd", view.cost_micro_usd ? Json(*view.cost_micro_usd) : Json(nullptr)},
          {"reused", view.reused},
          {"after_round", view.after_round ? Json(*view.after_round) : Json(nullptr)},
          {"after_step", view.after_step ? Json(*view.after_step) : Json(nullptr)},
          {"began_at", to_rfc3339(view.began_at)},
          {"ended_at", time_or_null(view.ended_at)}};
}

Json as_json(const storage::CompressedHistoryView& view) {
  return {{"round", view.round},
          {"messages", view.messages},
          {"tokens", view.tokens},
          {"kept", parsed_or_text(view.kept)}};
}

/// What was said and done in a round, each list in order.
void add_message(Json& round, const Message& message) {
  if (meta_of(message).additional_kwargs.contains("isMeta") ||
      meta_of(message).additional_kwargs.contains("skill"))
    return;
  if (const auto* human = std::get_if<HumanMessage>(&message)) {
    if (round["user_message"].is_null()) round["user_message"] = human->text;
  } else if (const auto* ai = std::get_if<AiMessage>(&message)) {
    const std::string& thought = ai->thinking.empty() ? ai->text : ai->thinking;
    if (!thought.empty() && (!ai->thinking.empty() || !ai->tool_calls.empty()))
      round["thoughts"].push_back(thought);
    for (const ToolCall& call : ai->tool_calls)
      round["tool_calls"].push_back(
          {{"id", call.id.value},
           {"name", call.name},
           {"args", parsed_or_text(call.valid() ? call.args_json : call.invalid_args)}});
  } else if (const auto* tool = std::get_if<ToolMessage>(&message)) {
    round["tool_observations"].push_back(
        {{"tool_call_id", tool->tool_call_id.value},
         {"status", tool->status == ToolStatus::Success ? "success" : "error"},
         {"observation", tool->content}});
  }
}

Json as_json(const storage::RoundView& round, const storage::JobTimeline& timeline) {
  Json json{{"round", round.round},
            {"round_id", round.round_id},
            {"conversation_id", timeline.job.conversation_id.value},
            {"user_message", nullptr},
            {"thoughts", Json::array()},
            {"tool_calls", Json::array()},
            {"tool_observations", Json::array()},
            {"skill_activations", round.skill_activations},
            {"final_answer", round.final_answer},
            {"tokens_used", round.tokens_used},
            {"latency_ms", round.latency.count()},
            {"status", round.status},
            {"opened_at", to_rfc3339(round.opened_at)},
            {"closed_at", time_or_null(round.closed_at)}};
  for (const storage::MessageView& view : timeline.messages) {
    if (view.position.round != round.round) continue;
    if (const auto message = message_from_json(view.json)) add_message(json, *message);
  }
  return json;
}

/// Those that were opened, then those of an unfinished job that are to come.
Json rounds_of(const storage::JobTimeline& timeline) {
  Json list = Json::array();
  for (const storage::RoundView& round : timeline.rounds) list.push_back(as_json(round, timeline));
  const auto job = decode_job_payload(timeline.payload);
  if (!job || timeline.job.state == "finished") return list;
  for (std::size_t next = list.size(); next < job->messages.size(); ++next)
    list.push_back({{"round", next},
                    {"conversation_id", timeline.job.conversation_id.value},
                    {"user_message", job->messages[next]},
                    {"status", "pending"}});
  return list;
}

template <typename Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(as_json(row));
  return list;
}

/// The job and its result are kept as bytes of either encoding: both are shown as JSON.
Json request_of(const storage::JobTimeline& timeline) {
  const auto job = decode_job_payload(timeline.payload);
  return job ? parsed_or_text(job_to_json(*job)) : Json(nullptr);
}

Json result_of(const storage::JobTimeline& timeline) {
  if (timeline.result.empty()) return nullptr;
  const auto result = decode_result(timeline.result, "");
  return result ? parsed_or_text(result_to_json(*result)) : Json(nullptr);
}

}  // namespace

std::string summary_as_json(const storage::JobSummary& job) { return dump_exact(as_json(job)); }

void show_timeline_json(const storage::JobTimeline& timeline, Terminal& terminal) {
  const Json json{{"job", as_json(timeline.job)},
                  {"request", request_of(timeline)},
                  {"attempts", list_of(timeline.attempts)},
                  {"rounds", rounds_of(timeline)},
                  {"steps", list_of(timeline.steps)},
                  {"messages", list_of(timeline.messages)},
                  {"tool_calls", list_of(timeline.tool_calls)},
                  {"compressions", list_of(timeline.compressions)},
                  {"refused_contexts", list_of(timeline.refused_contexts)},
                  {"exact_counts", list_of(timeline.exact_counts)},
                  {"summaries", list_of(timeline.summaries)},
                  {"compressed_histories", list_of(timeline.compressed_histories)},
                  {"result", result_of(timeline)},
                  {"metrics", parsed_or_text(timeline.metrics_json)}};
  terminal.out() << dump_exact(json, 2) << "\n";
}

}  // namespace ba::cli
