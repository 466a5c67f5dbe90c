// SPDX-License-Identifier: Apache-2.0
// Lists of jobs, and one job with everything that happened.
#include "pipeline/core/job/job.hpp"
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"
#include "storage/query/row_values.hpp"

namespace ba {
namespace {

// $1 tenant or '', $2 job id or '', $3 state or '', $4 outcome or '', $5 and $6 the least and the
// greatest age in milliseconds or null, $7 rows. What an unfinished job used so far is
// counted from its rows and its sub-agents'; a finished one carries its totals. A sub-agent's job
// is shown where it is named.
constexpr Statement kJobs{"jobs", R"sql(
  SELECT j.id, j.tenant, j.job_id, c.conversation_id, j.lane, j.state, j.request,
         j.requested_by, j.outcome, j.error_code, j.error_message, j.attempt,
         CASE WHEN j.state = 'finished' THEN j.rounds
              ELSE (SELECT count(*) FROM rounds r WHERE r.job = j.id) END,
         CASE WHEN j.state = 'finished' THEN j.steps ELSE s.steps END,
         CASE WHEN j.state = 'finished' THEN j.tool_calls ELSE t.calls END,
         CASE WHEN j.state = 'finished' THEN j.tool_calls_failed ELSE t.failed END,
         CASE WHEN j.state = 'finished' THEN j.wasted_model_calls
              ELSE (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w
                    WHERE w.job = j.id
                       OR w.job IN (SELECT a.id FROM jobs a WHERE a.parent = j.id)) END,
         j.input_tokens + s.input_tokens, j.cache_read_tokens + s.cache_read_tokens,
         j.cache_write_tokens + s.cache_write_tokens, j.output_tokens + s.output_tokens,
         j.thinking_tokens + s.thinking_tokens, j.cost_micro_usd + s.cost_micro_usd,
         j.cost_known AND s.cost_known, j.model, i.worker, j.created_at, j.received_at,
         j.first_claimed_at, j.finished_at,
         CASE WHEN j.state = 'waiting'
              THEN (SELECT string_agg(u.tool_name || ' (' || u.tool_call_id || ')', ', '
                                      ORDER BY u.round, u.step, u.idx)
                    FROM tool_calls u WHERE u.job = j.id AND u.state = 'running') END,
         (SELECT p.job_id FROM jobs p WHERE p.id = j.parent)
  FROM jobs j
  JOIN conversations c ON c.id = j.conversation
  LEFT JOIN incarnations i ON i.id = j.incarnation
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE job = j.id AND step) AS steps,
           coalesce(sum(input_tokens), 0) AS input_tokens,
           coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
           coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
           coalesce(sum(output_tokens), 0) AS output_tokens,
           coalesce(sum(thinking_tokens), 0) AS thinking_tokens,
           coalesce(sum(cost_micro_usd), 0) AS cost_micro_usd,
           count(cost_micro_usd) = count(*) AS cost_known
    FROM (
      SELECT job, true AS step, input_tokens, cache_read_tokens, cache_write_tokens,
             output_tokens, thinking_tokens, cost_micro_usd
      FROM steps
      WHERE j.state <> 'finished'
        AND job = ANY (ARRAY (SELECT j.id UNION ALL SELECT a.id FROM jobs a WHERE a.parent = j.id))
      UNION ALL
      SELECT job, false, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
             thinking_tokens, cost_micro_usd
      FROM summaries WHERE j.state <> 'finished' AND job = j.id AND model <> ''
    ) AS paid
  ) AS s
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'failed') AS failed
    FROM tool_calls WHERE job = j.id AND j.state <> 'finished') AS t
  WHERE ($2 <> '' OR j.parent IS NULL) AND ($1 = '' OR j.tenant = $1) AND ($2 = '' OR j.job_id = $2) AND ($3 = '' OR j.state = $3)
    AND ($4 = '' OR j.outcome = $4)
    AND ($5::bigint IS NULL OR j.received_at <= now() - $5 * interval '1 millisecond')
    AND ($6::bigint IS NULL OR j.received_at >= now() - $6 * interval '1 millisecond')
  ORDER BY j.id DESC LIMIT $7::integer)sql"};

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
          FROM steps s WHERE s.job = r.job AND s.round = r.round),
         r.latency_ms,
         (SELECT string_agg(u.skill, E'\n' ORDER BY u.step, u.idx) FROM skill_uses u
          WHERE u.job = r.job AND u.round = r.round AND u.depth > 0),
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
            AND a.parent_idx = t.idx)
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

FoundJob read_job(const pqxx::row& row) {
  RowValues values(row);
  FoundJob found;
  JobSummary& job = found.summary;
  found.id = values.big();
  job.tenant = TenantId(values.text());
  job.job_id = JobId(values.text());
  job.conversation_id = ConversationId(values.text());
  job.lane = to_string(static_cast<Lane>(values.number()));
  job.state = values.text();
  job.request = values.text();
  job.requested_by = values.text();
  job.outcome = values.text();
  job.error_code = values.text();
  job.error_message = values.text();
  job.attempt = values.number();
  job.rounds = values.number();
  job.steps = values.number();
  job.tool_calls = values.number();
  job.tool_calls_failed = values.number();
  job.wasted_model_calls = values.number();
  job.usage = values.usage();
  job.cost_micro_usd = values.big();
  job.cost_known = values.flag();
  job.model = values.text();
  job.worker = values.text();
  job.created_at = values.time();
  job.received_at = values.time();
  job.started_at = values.optional_time();
  job.finished_at = values.optional_time();
  job.waits_for = values.text();
  job.asked_by = values.text();
  return found;
}

AttemptView read_attempt(const pqxx::row& row) {
  RowValues values(row);
  AttemptView attempt;
  attempt.attempt = values.number();
  attempt.worker = values.text();
  attempt.started_at = values.time();
  attempt.ended_at = values.optional_time();
  attempt.ending = values.text();
  return attempt;
}

RoundView read_round(const pqxx::row& row) {
  RowValues values(row);
  RoundView round;
  round.round = values.number();
  round.round_id = values.text();
  round.status = values.text();
  round.final_answer = values.text();
  round.tokens_used = values.big();
  round.latency = values.milliseconds();
  round.skill_activations = values.lines();
  round.opened_at = values.time();
  round.closed_at = values.optional_time();
  return round;
}

StepView read_step(const pqxx::row& row) {
  RowValues values(row);
  StepView step;
  step.round = values.number();
  step.step = values.number();
  step.stop_reason = values.text();
  step.provider = values.text();
  step.model = values.text();
  step.provider_request_id = values.text();
  step.usage = values.usage();
  step.cost_micro_usd = values.optional_big();
  step.tries = values.number();
  step.wasted_calls = values.number();
  step.latency = values.milliseconds();
  step.replied_at = values.time();
  return step;
}

CompressionView read_compression(const pqxx::row& row) {
  RowValues values(row);
  CompressionView view;
  view.round = values.number();
  view.step = values.number();
  view.mode = values.text();
  view.reason = values.text();
  view.messages_before = values.big();
  view.messages_after = values.big();
  view.tokens_before = values.big();
  view.tokens_after = values.big();
  view.missed = values.text();
  view.compressed_at = values.time();
  return view;
}

RefusedContextView read_refused_context(const pqxx::row& row) {
  RowValues values(row);
  RefusedContextView view;
  view.round = values.number();
  view.step = values.number();
  view.refusal = values.number();
  view.model = values.text();
  view.tokens = values.big();
  view.window_tokens = values.big();
  view.of_window = values.big();
  view.told_limit = values.optional_big();
  view.told_tokens = values.optional_big();
  view.refused_at = values.time();
  return view;
}

ExactCountView read_exact_count(const pqxx::row& row) {
  RowValues values(row);
  ExactCountView view;
  view.round = values.number();
  view.step = values.number();
  view.refusal = values.number();
  view.model = values.text();
  view.estimated_tokens = values.big();
  view.tokens = values.optional_big();
  view.counted_at = values.time();
  return view;
}

SummaryView read_summary(const pqxx::row& row) {
  RowValues values(row);
  SummaryView view;
  view.round = values.number();
  view.step = values.number();
  view.state = values.text();
  view.round_id = values.text();
  view.content_hash = values.text();
  view.text = values.text();
  view.model = values.text();
  view.usage = values.usage();
  view.cost_micro_usd = values.optional_big();
  view.reused = values.flag();
  view.after_round = values.optional_big();
  view.after_step = values.optional_big();
  view.began_at = values.time();
  view.ended_at = values.optional_time();
  return view;
}

CompressedHistoryView read_compressed_history(const pqxx::row& row) {
  RowValues values(row);
  CompressedHistoryView view;
  view.round = values.number();
  view.messages = values.big();
  view.tokens = values.big();
  view.kept = values.text();
  return view;
}

MessageView read_message(const pqxx::row& row) {
  RowValues values(row);
  MessageView message;
  message.position = values.position();
  message.json = values.text();
  return message;
}

ToolCallView read_tool_call(const pqxx::row& row) {
  RowValues values(row);
  ToolCallView call;
  call.position = values.position();
  call.tool_call_id = ToolCallId(values.text());
  call.tool_name = values.text();
  call.parameters = values.text();
  call.effect = values.text();
  call.state = values.text();
  call.error_type = values.text();
  call.error_code = values.text();
  call.error_message = values.text();
  call.data_size_bytes = values.big();
  call.retry_count = values.number();
  call.duration = values.milliseconds();
  call.intended_at = values.time();
  call.started_at = values.optional_time();
  call.finished_at = values.optional_time();
  call.semantic_key = values.text();
  call.cache_origin = values.text();
  call.artifact_id = values.text();
  call.data_hash = values.text();
  call.note = values.text();
  call.telemetry = values.text();
  call.output_level = values.text();
  call.sub_agent = values.text();
  return call;
}

std::optional<std::int64_t> milliseconds(const std::optional<Milliseconds>& age) {
  if (!age) return std::nullopt;
  return age->count();
}

template <typename Read>
auto read_all(const pqxx::result& rows, Read read) {
  std::vector<decltype(read(rows[0]))> values;
  for (const auto& row : rows) values.push_back(read(row));
  return values;
}

JobTimeline read_timeline(Transaction& transaction, FoundJob found) {
  JobTimeline timeline;
  timeline.job = std::move(found.summary);
  const auto content = transaction.run(kContent, found.id);
  const pqxx::row row = content[0];
  RowValues values(row);
  timeline.payload = values.bytes();
  timeline.result = values.bytes();
  timeline.metrics_json = values.text();
  timeline.source.topic = values.text();
  timeline.source.partition = values.number();
  timeline.source.offset = values.big();
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
    const auto rows = transaction.run(kJobs, tenant.value, job.value, "", "", any, any, 1);
    if (rows.empty()) return Found();
    return Found(read_timeline(transaction, read_job(rows[0])));
  });
}

Result<std::vector<JobSummary>> list_jobs(const PgAccess& access, const JobFilter& filter) {
  using Jobs = std::vector<JobSummary>;
  return read_once(access, [&](Transaction& transaction) -> Result<Jobs> {
    Jobs jobs;
    const auto rows = transaction.run(kJobs, filter.tenant, "", filter.state, filter.outcome,
                                      milliseconds(filter.older_than),
                                      milliseconds(filter.newer_than), filter.rows_max);
    for (const auto& row : rows) jobs.push_back(read_job(row).summary);
    return jobs;
  });
}

}  // namespace ba
