// SPDX-License-Identifier: Apache-2.0
// Lists of jobs, and one job with everything that happened.
#include <sstream>

#include "pipeline/core/job/job.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"
#include "storage/query/jobs.sql.hpp"

namespace ba::storage {
namespace {

constexpr Statement kContent{"content", R"sql(
  SELECT j.payload, j.result, m.report, j.source_topic, j.source_partition, j.source_offset
  FROM jobs j LEFT JOIN metrics m ON m.job = j.id WHERE j.id = $1)sql"};

constexpr Statement kAttempts{"attempts", R"sql(
  SELECT a.attempt, i.worker, a.started_at, a.ended_at, a.ending
  FROM attempts a LEFT JOIN incarnations i ON i.id = a.incarnation
  WHERE a.job = $1 ORDER BY a.claim)sql"};

constexpr Statement kRounds{"rounds", R"sql(
  SELECT r.round, r.round_id, r.status, r.final_answer,
         (SELECT sum(s.input_tokens + s.cache_read_tokens + s.cache_write_tokens + s.output_tokens)
          FROM steps s WHERE s.job = r.job AND s.round = r.round) AS tokens_used,
         r.latency_ms,
         (SELECT string_agg(u.skill, E'\n' ORDER BY u.step, u.idx) FROM skill_uses u
          WHERE u.job = r.job AND u.round = r.round AND u.depth > 0) AS skills,
         r.opened_at, r.closed_at
  FROM rounds r WHERE r.job = $1 ORDER BY r.round)sql"};

constexpr Statement kSteps{"steps", R"sql(
  SELECT round, step, stop_reason, provider, model, provider_request_id, input_tokens,
         cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd,
         tries, wasted_calls, latency_ms, replied_at
  FROM steps WHERE job = $1 ORDER BY round, step)sql"};

constexpr Statement kMessages{"messages", R"sql(
  SELECT m.round, m.step, m.idx, m.message
  FROM messages m JOIN jobs j ON j.conversation = m.conversation AND j.id = m.job
  WHERE j.id = $1 ORDER BY m.round, m.step, m.idx)sql"};

constexpr Statement kToolCalls{"tool_calls", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name, parameters, effect, state, error_type,
         error_code, error_message, data_size_bytes, retry_count, duration_ms, intended_at,
         started_at, finished_at, semantic_key, cache_origin, artifact_id, data_hash,
         note, telemetry, output_level,
         (SELECT a.job_id FROM jobs a
          WHERE a.parent = t.job AND a.parent_round = t.round AND a.parent_step = t.step
            AND a.parent_idx = t.idx) AS sub_agent
  FROM tool_calls t WHERE job = $1 ORDER BY round, step, idx)sql"};

constexpr Statement kCompressions{"compressions", R"sql(
  SELECT round, step, mode, reason, messages_before, messages_after, tokens_before, tokens_after,
         missed, compressed_at
  FROM compressions WHERE job = $1 ORDER BY round, step, refusal)sql"};

constexpr Statement kRefusedContexts{"refused_contexts", R"sql(
  SELECT round, step, refusal, model, tokens, window_tokens, of_window, told_limit, told_tokens,
         refused_at
  FROM refused_contexts WHERE job = $1 ORDER BY round, step, refusal)sql"};

constexpr Statement kExactCounts{"exact_counts", R"sql(
  SELECT round, step, refusal, model, estimated_tokens, tokens, counted_at
  FROM exact_counts WHERE job = $1 ORDER BY round, step, refusal)sql"};

constexpr Statement kSummaries{"summaries", R"sql(
  SELECT round, step, state, round_id, content_hash, summary, model, input_tokens,
         cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd,
         reused, after_round, after_step, began_at, ended_at
  FROM summaries WHERE job = $1 ORDER BY round, step)sql"};

constexpr Statement kCompressedHistories{"compressed_histories", R"sql(
  SELECT round, messages, tokens, kept
  FROM compressed_histories WHERE job = $1 ORDER BY round)sql"};

struct FoundJob {
  std::int64_t id = 0;
  JobSummary summary;
};

FoundJob read_job(const Row& row) {
  FoundJob found;
  JobSummary& job = found.summary;
  found.id = row.big("id");
  job.tenant = TenantId(row.text("tenant"));
  job.job_id = JobId(row.text("job_id"));
  job.conversation_id = ConversationId(row.text("conversation_id"));
  job.lane = to_string(static_cast<Lane>(row.number("lane")));
  job.state = row.text("state");
  job.request = row.text_or_empty("request");
  job.requested_by = row.text_or_empty("requested_by");
  job.outcome = row.text_or_empty("outcome");
  job.error_code = row.text_or_empty("error_code");
  job.error_message = row.text_or_empty("error_message");
  job.attempt = row.number("attempt");
  job.rounds = row.number("rounds");
  job.steps = row.number("steps");
  job.tool_calls = row.number("tool_calls");
  job.tool_calls_failed = row.number("tool_calls_failed");
  job.wasted_model_calls = row.number("wasted_model_calls");
  job.usage = usage_of(row);
  job.cost_micro_usd = row.big("cost_micro_usd");
  job.cost_known = row.flag("cost_known");
  job.model = row.text_or_empty("model");
  job.worker = row.text_or_empty("worker");
  job.created_at = row.time("created_at");
  job.received_at = row.time("received_at");
  job.started_at = row.optional_time("first_claimed_at");
  job.finished_at = row.optional_time("finished_at");
  job.waits_for = row.text_or_empty("waits_for");
  job.asked_by = row.text_or_empty("asked_by");
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

AttemptView read_attempt(const Row& row) {
  AttemptView attempt;
  attempt.attempt = row.number("attempt");
  attempt.worker = row.text_or_empty("worker");
  attempt.started_at = row.time("started_at");
  attempt.ended_at = row.optional_time("ended_at");
  attempt.ending = row.text_or_empty("ending");
  return attempt;
}

RoundView read_round(const Row& row) {
  RoundView round;
  round.round = row.number("round");
  round.round_id = row.text("round_id");
  round.status = row.text("status");
  round.final_answer = row.text_or_empty("final_answer");
  round.tokens_used = row.big_or_zero("tokens_used");
  round.latency = row.milliseconds("latency_ms");
  round.skill_activations = lines_of(row.text_or_empty("skills"));
  round.opened_at = row.time("opened_at");
  round.closed_at = row.optional_time("closed_at");
  return round;
}

StepView read_step(const Row& row) {
  StepView step;
  step.round = row.number("round");
  step.step = row.number("step");
  step.stop_reason = row.text("stop_reason");
  step.provider = row.text("provider");
  step.model = row.text("model");
  step.provider_request_id = row.text("provider_request_id");
  step.usage = usage_of(row);
  step.cost_micro_usd = row.optional_big("cost_micro_usd");
  step.tries = row.number("tries");
  step.wasted_calls = row.number("wasted_calls");
  step.latency = row.milliseconds("latency_ms");
  step.replied_at = row.time("replied_at");
  return step;
}

CompressionView read_compression(const Row& row) {
  CompressionView view;
  view.round = row.number("round");
  view.step = row.number("step");
  view.mode = row.text("mode");
  view.reason = row.text("reason");
  view.messages_before = row.big("messages_before");
  view.messages_after = row.big("messages_after");
  view.tokens_before = row.big("tokens_before");
  view.tokens_after = row.big("tokens_after");
  view.missed = row.text_or_empty("missed");
  view.compressed_at = row.time("compressed_at");
  return view;
}

RefusedContextView read_refused_context(const Row& row) {
  RefusedContextView view;
  view.round = row.number("round");
  view.step = row.number("step");
  view.refusal = row.number("refusal");
  view.model = row.text("model");
  view.tokens = row.big("tokens");
  view.window_tokens = row.big("window_tokens");
  view.of_window = row.big("of_window");
  view.told_limit = row.optional_big("told_limit");
  view.told_tokens = row.optional_big("told_tokens");
  view.refused_at = row.time("refused_at");
  return view;
}

ExactCountView read_exact_count(const Row& row) {
  ExactCountView view;
  view.round = row.number("round");
  view.step = row.number("step");
  view.refusal = row.number("refusal");
  view.model = row.text("model");
  view.estimated_tokens = row.big("estimated_tokens");
  view.tokens = row.optional_big("tokens");
  view.counted_at = row.time("counted_at");
  return view;
}

SummaryView read_summary(const Row& row) {
  SummaryView view;
  view.round = row.number("round");
  view.step = row.number("step");
  view.state = row.text("state");
  view.round_id = row.text("round_id");
  view.content_hash = row.text("content_hash");
  view.text = row.text("summary");
  view.model = row.text("model");
  view.usage = usage_of(row);
  view.cost_micro_usd = row.optional_big("cost_micro_usd");
  view.reused = row.flag("reused");
  view.after_round = row.optional_big("after_round");
  view.after_step = row.optional_big("after_step");
  view.began_at = row.time("began_at");
  view.ended_at = row.optional_time("ended_at");
  return view;
}

CompressedHistoryView read_compressed_history(const Row& row) {
  CompressedHistoryView view;
  view.round = row.number("round");
  view.messages = row.big("messages");
  view.tokens = row.big("tokens");
  view.kept = row.text("kept");
  return view;
}

MessageView read_message(const Row& row) {
  MessageView message;
  message.position = position_of(row);
  message.json = row.text("message");
  return message;
}

ToolCallView read_tool_call(const Row& row) {
  ToolCallView call;
  call.position = position_of(row);
  call.tool_call_id = ToolCallId(row.text("tool_call_id"));
  call.tool_name = row.text("tool_name");
  call.parameters = row.text("parameters");
  call.effect = row.text("effect");
  call.state = row.text("state");
  call.error_type = row.text_or_empty("error_type");
  call.error_code = row.text_or_empty("error_code");
  call.error_message = row.text_or_empty("error_message");
  call.data_size_bytes = row.big_or_zero("data_size_bytes");
  call.retry_count = row.number("retry_count");
  call.duration = row.milliseconds("duration_ms");
  call.intended_at = row.time("intended_at");
  call.started_at = row.optional_time("started_at");
  call.finished_at = row.optional_time("finished_at");
  call.semantic_key = row.text_or_empty("semantic_key");
  call.cache_origin = row.text_or_empty("cache_origin");
  call.artifact_id = row.text_or_empty("artifact_id");
  call.data_hash = row.text_or_empty("data_hash");
  call.note = row.text_or_empty("note");
  call.telemetry = row.text_or_empty("telemetry");
  call.output_level = row.text_or_empty("output_level");
  call.sub_agent = row.text_or_empty("sub_agent");
  return call;
}

std::optional<std::int64_t> milliseconds(const std::optional<Milliseconds>& age) {
  if (!age) return std::nullopt;
  return age->count();
}

JobTimeline read_timeline(Transaction& transaction, FoundJob found) {
  JobTimeline timeline;
  timeline.job = std::move(found.summary);
  const Row content = transaction.run(kContent, found.id).first();
  timeline.payload = content.bytes("payload");
  timeline.result = content.bytes_or_empty("result");
  timeline.metrics_json = content.text_or_empty("report");
  timeline.source.topic = content.text("source_topic");
  timeline.source.partition = content.number("source_partition");
  timeline.source.offset = content.big("source_offset");
  timeline.attempts = read_all(transaction.run(kAttempts, found.id), read_attempt);
  timeline.rounds = read_all(transaction.run(kRounds, found.id), read_round);
  timeline.steps = read_all(transaction.run(kSteps, found.id), read_step);
  timeline.messages = read_all(transaction.run(kMessages, found.id), read_message);
  timeline.tool_calls = read_all(transaction.run(kToolCalls, found.id), read_tool_call);
  timeline.compressions = read_all(transaction.run(kCompressions, found.id), read_compression);
  timeline.refused_contexts =
      read_all(transaction.run(kRefusedContexts, found.id), read_refused_context);
  timeline.exact_counts = read_all(transaction.run(kExactCounts, found.id), read_exact_count);
  timeline.summaries = read_all(transaction.run(kSummaries, found.id), read_summary);
  timeline.compressed_histories =
      read_all(transaction.run(kCompressedHistories, found.id), read_compressed_history);
  return timeline;
}

}  // namespace

Result<std::optional<JobTimeline>> find_job(const PgAccess& access, const TenantId& tenant,
                                            const JobId& job) {
  using Found = std::optional<JobTimeline>;
  if (tenant.empty() || job.empty()) return Found();
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const std::optional<std::int64_t> any;
    const auto rows = transaction.run(sql::kJobs, tenant.value, job.value, "", "", any, any, 1);
    if (rows.empty()) return Found();
    return Found(read_timeline(transaction, read_job(rows[0])));
  });
}

Result<std::vector<JobSummary>> list_jobs(const PgAccess& access, const JobFilter& filter) {
  using Jobs = std::vector<JobSummary>;
  return read_once(access, [&](Transaction& transaction) -> Result<Jobs> {
    Jobs jobs;
    const auto rows = transaction.run(sql::kJobs, filter.tenant, "", filter.state, filter.outcome,
                                      milliseconds(filter.older_than),
                                      milliseconds(filter.newer_than), filter.rows_max);
    for (const Row& row : rows) jobs.push_back(read_job(row).summary);
    return jobs;
  });
}

}  // namespace ba::storage
