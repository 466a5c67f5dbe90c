#pragma once
// SPDX-License-Identifier: Apache-2.0
// One full value of each kind that contract/ writes.

#include "pipeline/contract/result_id.hpp"
#include "pipeline/metrics/conversation_report.hpp"

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
  totals.rounds = 1;
  totals.steps = 2;
  totals.tool_calls = 3;
  totals.tool_calls_failed = 1;
  totals.wasted_model_calls = 1;
  return totals;
}

inline JobResult sample_result() {
  JobResult result;
  result.tenant = TenantId("acme");
  result.job_id = JobId("j-1");
  result.result_id = result_id(result.tenant, result.job_id, kResultKind);
  result.conversation_id = ConversationId("c-1");
  result.outcome = Outcome::StepLimit;
  result.answers = {{0, "336776 flights"}, {1, "漢字"}};
  result.error = JobError{"limit", "STEP_LIMIT", "the round reached its 2 steps"};
  result.totals = sample_totals();
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
  JobMetrics metrics;
  metrics.conversation_id = ConversationId("c-1");
  metrics.start_time = WallTime(Microseconds(1'772'366'400'000'000));
  metrics.end_time = metrics.start_time + Milliseconds(4321);
  metrics.tool_calls = {{"query_database", Milliseconds(10), 0, true, false},
                        {"file_reader", Milliseconds(7), 40, true, false},
                        {"query_database", Milliseconds(25), 0, false, true}};
  metrics.totals = sample_totals();
  metrics.messages_count = 6;
  return conversation_report(metrics);
}

}  // namespace ba::test
