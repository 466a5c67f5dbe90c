// SPDX-License-Identifier: Apache-2.0
// The metrics reports of a job and of a conversation.
#include "storage/ledger/shared_columns.hpp"
#include "storage/postgres/session.hpp"
#include "storage/query/report_sums.sql.hpp"
#include "storage/reports.hpp"

namespace ba::storage {
namespace {

constexpr Statement kOfJob{"report_of_job", R"sql(
  SELECT j.state, coalesce(m.report::text, '') AS metrics,
         coalesce(m.report->>'report', '') AS report,
         EXISTS (SELECT FROM conversations c WHERE c.tenant = $1 AND c.conversation_id = $2)
           AS names_conversation
  FROM jobs j LEFT JOIN metrics m ON m.job = j.id WHERE j.tenant = $1 AND j.job_id = $2)sql"};

constexpr Statement kSkills{"report_skills", R"sql(
  SELECT DISTINCT skill
  FROM jobs j JOIN metrics m ON m.job = j.id
  CROSS JOIN json_array_elements_text(coalesce(m.report->'unique_skills', '[]')) AS skill
  WHERE j.conversation = $1)sql"};

constexpr Statement kCalls{"report_calls", R"sql(
  SELECT t.tool_name, t.duration_ms,
         coalesce((t.telemetry->>'input_tokens')::bigint, 0)
           + coalesce((t.telemetry->>'output_tokens')::bigint, 0) AS tokens,
         t.state = 'succeeded' AS success, t.retry_count > 0 AS retried, t.cache_hit
  FROM jobs j JOIN metrics m ON m.job = j.id JOIN tool_calls t ON t.job = j.id
  WHERE j.conversation = $1 AND t.finished_at IS NOT NULL
    AND NOT t.copied)sql"};

void read_totals(const Row& row, JobTotals& totals) {
  totals.usage = usage_of(row);
  totals.cost_micro_usd = row.big("cost_micro_usd");
  totals.cost_known = row.flag("cost_known");
  totals.rounds = row.number("rounds");
  totals.steps = row.number("steps");
  totals.wasted_model_calls = row.number("wasted_model_calls");
  Savings& savings = totals.savings;
  savings.cache = {row.big("saved_cache_tokens"), row.big("saved_cache_micro_usd")};
  savings.encoding = {row.big("saved_encoding_tokens"), row.big("saved_encoding_micro_usd")};
  savings.shared_results = {row.big("saved_shared_results_tokens"),
                            row.big("saved_shared_results_micro_usd")};
  savings.compression = {row.big("saved_compression_tokens"),
                         row.big("saved_compression_micro_usd")};
}

void read_calls(Transaction& transaction, std::int64_t conversation, JobMetrics& metrics) {
  for (const Row& row : transaction.run(kCalls, conversation)) {
    ToolCallMetrics call;
    call.tool_name = row.text("tool_name");
    call.duration = row.milliseconds("duration_ms");
    call.tokens = row.big("tokens");
    call.success = row.flag("success");
    call.retried = row.flag("retried");
    call.cache_hit = row.flag("cache_hit");
    metrics.tool_calls.push_back(std::move(call));
  }
  for (const Row& row : transaction.run(kSkills, conversation))
    metrics.skills.push_back(row.text("skill"));
}

ConversationSums sums_of(Transaction& transaction, const Row& row,
                         const ConversationId& conversation) {
  JobMetrics metrics;
  metrics.conversation_id = conversation;
  metrics.start_time = row.optional_time("start_time").value_or(WallTime{});
  metrics.end_time = row.optional_time("end_time").value_or(WallTime{});
  read_totals(row, metrics.totals);
  metrics.skill_activations = row.number("skill_activations");
  metrics.messages_count = row.number("messages_count");
  metrics.compression_events = row.number("compression_events");
  read_calls(transaction, row.big("id"), metrics);
  ConversationSums sums;
  sums.report = conversation_report(metrics);
  // What lies between its jobs isn't its work.
  sums.report.total_duration_ms = row.big("duration_ms");
  sums.jobs = row.number("jobs");
  sums.unfinished_jobs = row.number("unfinished_jobs");
  sums.removed_jobs = row.number("removed_jobs");
  sums.unreported_jobs = row.number("unreported_jobs");
  return sums;
}

}  // namespace

Result<std::optional<JobReport>> find_job_report(const PgAccess& access, const TenantId& tenant,
                                                 const JobId& job) {
  using Found = std::optional<JobReport>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(kOfJob, tenant.value, job.value);
    if (rows.empty()) return Found();
    const Row row = rows[0];
    JobReport report;
    report.state = row.text("state");
    report.metrics_json = row.text("metrics");
    report.text = row.text("report");
    report.names_conversation = row.flag("names_conversation");
    return Found(std::move(report));
  });
}

Result<std::optional<ConversationSums>> find_conversation_report(
    const PgAccess& access, const TenantId& tenant, const ConversationId& conversation) {
  using Found = std::optional<ConversationSums>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(sql::kReportSums, tenant.value, conversation.value);
    if (rows.empty()) return Found();
    return Found(sums_of(transaction, rows[0], conversation));
  });
}

}  // namespace ba::storage
