#pragma once
// SPDX-License-Identifier: Apache-2.0
// One full value of each kind that contract/ writes, no two fields of a value alike. Their encoded
// forms are the samples `*.written` and `dead_letter.job` of schemas/golden.

#include "pipeline/core/ledger/stored_job.hpp"
#include "pipeline/core/metrics/conversation_report.hpp"
#include "pipeline/text/contract/progress_event.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba::test {

inline Job sample_job() {
  Job job;
  job.tenant = TenantId("acme");
  job.job_id = JobId("j-1");
  job.conversation_id = ConversationId("c-1");
  job.messages = {"How many flights?"};
  job.agent = "default";
  job.metadata = {{"team", "ops"}};
  job.source_event_id = "e-1";
  job.correlation_id = "corr-1";
  job.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  return job;
}

inline JobTotals sample_totals() {
  JobTotals totals;
  totals.usage = {1000, 200, 34, 500, 60};
  totals.cost_micro_usd = 12345;
  totals.cost_known = false;
  totals.rounds = 4;
  totals.steps = 14;
  totals.tool_calls = 13;
  totals.tool_calls_failed = 5;
  totals.wasted_model_calls = 6;
  totals.savings = {{210, 510}, {4100, 12300}, {70, 240}, {800, -2700}};
  return totals;
}

inline JobResult sample_result() {
  JobResult result;
  result.tenant = TenantId("acme");
  result.job_id = JobId("j-1");
  result.result_id = result_id(result.tenant, result.job_id, kResultKind);
  result.conversation_id = ConversationId("c-1");
  result.outcome = Outcome::StepLimit;
  result.answers = {{0, "336776 flights"}, {3, "漢字"}};
  result.error = JobError{"limit", "STEP_LIMIT", "the round reached its 2 steps"};
  result.totals = sample_totals();
  result.totals.savings = {};  // the report has them
  result.attempts = 2;
  result.created_at = WallTime(Microseconds(1'772'366'400'000'001));
  result.started_at = result.created_at + Milliseconds(20);
  result.finished_at = result.started_at + Milliseconds(4321);
  result.metadata = {{"team", "ops"}, {"a", ""}};
  result.model = "anthropic/claude";
  result.worker_version = "0.1.0";
  return result;
}

inline ConversationReport sample_report() {
  ConversationReport report;
  report.conversation_id = ConversationId("c-1");
  report.start_time = sample_result().started_at;
  report.end_time = sample_result().finished_at;
  report.total_duration_ms = 4321;
  report.totals = sample_totals();
  report.successful_calls = 8;
  report.failed_calls = 5;
  report.retried_calls = 2;
  report.tools = {{"query_database", 10, 17.5, 41.25, 0.6, 0.4, 11, 0.55, 92},
                  {"file_reader", 3, 7.25, 5.5, 0.75, 0.25, 13, 0.65, 99}};
  report.skill_activations = 7;
  report.unique_skills = {"charts", "sql-analysis"};
  report.messages_count = 29;
  report.compression_events = 9;
  return report;
}

inline ProgressEvent sample_progress() {
  ProgressEvent event;
  event.tenant = TenantId("acme");
  event.job_id = JobId("j-1");
  event.conversation_id = ConversationId("c-1");
  event.kind = ProgressKind::ToolCallFinished;
  event.attempt = 2;
  event.round = 3;
  event.step = 4;
  event.index = 5;
  event.tool_name = "query_database";
  event.status = "succeeded";
  event.text = "query_database: 12 rows in 17 ms";
  event.usage = sample_totals().usage;
  event.time = WallTime(Microseconds(1'772'366'403'000'250));
  return event;
}

inline ConversationExcerpt sample_excerpt() {
  ConversationExcerpt excerpt;
  excerpt.messages = {{"", 400'000},
                      {R"({"type":"human","data":{"content":"How many flights?"}})", 0}};
  excerpt.messages_left_out = 12;
  excerpt.unreadable = "message 7/0/1.0: unknown schema version";
  return excerpt;
}

}  // namespace ba::test
