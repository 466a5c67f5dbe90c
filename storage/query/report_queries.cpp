// SPDX-License-Identifier: Apache-2.0
// The metrics reports of a job and of a conversation.
#include "storage/postgres/session.hpp"
#include "storage/query/row_values.hpp"
#include "storage/reports.hpp"

namespace ba {
namespace {

constexpr Statement kOfJob{"report_of_job", R"sql(
  SELECT j.state, coalesce(m.report::text, ''), coalesce(m.report->>'report', ''),
         EXISTS (SELECT FROM conversations c WHERE c.tenant = $1 AND c.conversation_id = $2)
  FROM jobs j LEFT JOIN metrics m ON m.job = j.id WHERE j.tenant = $1 AND j.job_id = $2)sql"};

// c.jobs counts those that ended, also those that are gone. A sub-agent's that ended with its job
// has no report.
constexpr Statement kSums{"report_sums", R"sql(
  SELECT c.id, min((m.report->>'start_time')::timestamptz),
         max((m.report->>'end_time')::timestamptz),
         coalesce(sum((m.report->>'total_duration_ms')::bigint), 0),
         coalesce(sum(j.input_tokens) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.cache_read_tokens) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.cache_write_tokens) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.output_tokens) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.thinking_tokens) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.cost_micro_usd) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(bool_and(j.cost_known) FILTER (WHERE m.job IS NOT NULL), true),
         coalesce(sum(j.rounds) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.steps) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum(j.wasted_model_calls) FILTER (WHERE m.job IS NOT NULL), 0),
         coalesce(sum((m.report->>'skill_activations')::bigint), 0),
         coalesce(sum((m.report->>'messages_count')::bigint), 0),
         coalesce(sum((m.report->>'compression_events')::bigint), 0),
         coalesce(sum((m.report->'savings'->'cache'->>'tokens')::bigint), 0),
         coalesce(sum((m.report->'savings'->'cache'->>'micro_usd')::bigint), 0),
         coalesce(sum((m.report->'savings'->'encoding'->>'tokens')::bigint), 0),
         coalesce(sum((m.report->'savings'->'encoding'->>'micro_usd')::bigint), 0),
         coalesce(sum((m.report->'savings'->'shared_results'->>'tokens')::bigint), 0),
         coalesce(sum((m.report->'savings'->'shared_results'->>'micro_usd')::bigint), 0),
         coalesce(sum((m.report->'savings'->'compression'->>'tokens')::bigint), 0),
         coalesce(sum((m.report->'savings'->'compression'->>'micro_usd')::bigint), 0),
         count(m.job), count(j.id) FILTER (WHERE j.state <> 'finished'),
         greatest(0, c.jobs - count(j.id) FILTER (WHERE j.state = 'finished')),
         count(j.id) FILTER (WHERE j.state = 'finished' AND m.job IS NULL)
  FROM conversations c
  LEFT JOIN jobs j ON j.conversation = c.id
  LEFT JOIN metrics m ON m.job = j.id
  WHERE c.tenant = $1 AND c.conversation_id = $2
  GROUP BY c.id)sql"};

constexpr Statement kSkills{"report_skills", R"sql(
  SELECT DISTINCT skill
  FROM jobs j JOIN metrics m ON m.job = j.id
  CROSS JOIN json_array_elements_text(coalesce(m.report->'unique_skills', '[]')) AS skill
  WHERE j.conversation = $1)sql"};

constexpr Statement kCalls{"report_calls", R"sql(
  SELECT t.tool_name, t.duration_ms,
         coalesce((t.telemetry->>'input_tokens')::bigint, 0)
           + coalesce((t.telemetry->>'output_tokens')::bigint, 0),
         t.state = 'succeeded', t.retry_count > 0, t.cache_hit
  FROM jobs j JOIN metrics m ON m.job = j.id JOIN tool_calls t ON t.job = j.id
  WHERE j.conversation = $1 AND t.finished_at IS NOT NULL
    AND NOT t.copied)sql"};

void read_totals(RowValues& values, JobTotals& totals) {
  totals.usage = values.usage();
  totals.cost_micro_usd = values.big();
  totals.cost_known = values.flag();
  totals.rounds = values.number();
  totals.steps = values.number();
  totals.wasted_model_calls = values.number();
}

Saving read_saving(RowValues& values) {
  const std::int64_t tokens = values.big();
  return {tokens, values.big()};
}

void read_calls(Transaction& transaction, std::int64_t conversation, JobMetrics& metrics) {
  for (const auto& row : transaction.run(kCalls, conversation)) {
    RowValues values(row);
    ToolCallMetrics call;
    call.tool_name = values.text();
    call.duration = values.milliseconds();
    call.tokens = values.big();
    call.success = values.flag();
    call.retried = values.flag();
    call.cache_hit = values.flag();
    metrics.tool_calls.push_back(std::move(call));
  }
  for (const auto& row : transaction.run(kSkills, conversation))
    metrics.skills.emplace_back(row[0].c_str(), row[0].size());
}

ConversationSums sums_of(Transaction& transaction, const pqxx::row& row,
                         const ConversationId& conversation) {
  RowValues values(row);
  const std::int64_t id = values.big();
  JobMetrics metrics;
  metrics.conversation_id = conversation;
  metrics.start_time = values.time();
  metrics.end_time = values.time();
  const std::int64_t duration_ms = values.big();
  read_totals(values, metrics.totals);
  metrics.skill_activations = values.number();
  metrics.messages_count = values.number();
  metrics.compression_events = values.number();
  for (Saving* saving :
       {&metrics.totals.savings.cache, &metrics.totals.savings.encoding,
        &metrics.totals.savings.shared_results, &metrics.totals.savings.compression})
    *saving = read_saving(values);
  read_calls(transaction, id, metrics);
  ConversationSums sums;
  sums.report = conversation_report(metrics);
  sums.report.total_duration_ms = duration_ms;  // what lies between its jobs isn't its work
  sums.jobs = values.number();
  sums.unfinished_jobs = values.number();
  sums.removed_jobs = values.number();
  sums.unreported_jobs = values.number();
  return sums;
}

}  // namespace

Result<std::optional<JobReport>> find_job_report(const PgAccess& access, const TenantId& tenant,
                                                 const JobId& job) {
  using Found = std::optional<JobReport>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(kOfJob, tenant.value, job.value);
    if (rows.empty()) return Found();
    const pqxx::row row = rows[0];
    RowValues values(row);
    JobReport report;
    report.state = values.text();
    report.metrics_json = values.text();
    report.text = values.text();
    report.names_conversation = values.flag();
    return Found(std::move(report));
  });
}

Result<std::optional<ConversationSums>> find_conversation_report(
    const PgAccess& access, const TenantId& tenant, const ConversationId& conversation) {
  using Found = std::optional<ConversationSums>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(kSums, tenant.value, conversation.value);
    if (rows.empty()) return Found();
    return Found(sums_of(transaction, rows[0], conversation));
  });
}

}  // namespace ba
