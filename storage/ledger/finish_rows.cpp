// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/finish_rows.hpp"

#include "storage/ledger/context_rows.hpp"
#include "storage/ledger/finish_jobs.sql.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/ledger/sub_agent_rows.hpp"

namespace ba {
namespace {

constexpr Statement kInsertMetrics{"insert_metrics", R"sql(
  INSERT INTO metrics (job, tenant, report)
  SELECT j.id, j.tenant, m.report
  FROM unnest($1::bigint[], $2::json[]) AS m (job, report) JOIN jobs j ON j.id = m.job
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kEndAttempts{"end_attempts", R"sql(
  UPDATE attempts a SET ended_at = now(), ending = 'finished'
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND a.job = j.id AND a.claim = j.claims)sql"};

constexpr Statement kAddToConversations{"add_to_conversations", R"sql(
  UPDATE conversations c
  SET updated_at = now(), jobs = c.jobs + 1, rounds = c.rounds + j.rounds,
      steps = c.steps + j.steps, tool_calls = c.tool_calls + j.tool_calls,
      input_tokens = c.input_tokens + j.input_tokens + j.cache_read_tokens
                     + j.cache_write_tokens,
      output_tokens = c.output_tokens + j.output_tokens,
      cost_micro_usd = c.cost_micro_usd + j.cost_micro_usd
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND c.id = j.conversation)sql"};

}  // namespace

void FinishRows::Totals::add(const JobTotals& totals) {
  rounds.add(totals.rounds);
  steps.add(totals.steps);
  tool_calls.add(totals.tool_calls);
  tool_calls_failed.add(totals.tool_calls_failed);
  wasted.add(totals.wasted_model_calls);
  input.add(totals.usage.input_tokens);
  cache_read.add(totals.usage.cache_read_tokens);
  cache_write.add(totals.usage.cache_write_tokens);
  output.add(totals.usage.output_tokens);
  thinking.add(totals.usage.thinking_tokens);
  cost.add(totals.cost_micro_usd);
  cost_known.add(totals.cost_known);
}

void FinishRows::add(const Delta& delta) {
  const JobFinished& finished = *delta.finished;
  const JobResult& result = finished.result;
  jobs_.id.add(delta.job.value);
  jobs_.outcome.add(to_string(result.outcome));
  if (result.error) {
    jobs_.error_type.add(result.error->type);
    jobs_.error_code.add(result.error->code);
    jobs_.error_message.add(result.error->message);
  } else {
    jobs_.error_type.add_null();
    jobs_.error_code.add_null();
    jobs_.error_message.add_null();
  }
  jobs_.result_id.add(result.result_id.value);
  jobs_.result.add(finished.result_bytes);
  jobs_.model.add(result.model);
  totals_.add(result.totals);
  if (!finished.metrics_json.empty()) {
    metrics_.job.add(delta.job.value);
    metrics_.report.add(finished.metrics_json);
  }
  if (finished.of_sub_agent) sub_agents_.add(delta.job.value);
  if (finished.ends_sub_agents) with_sub_agents_.add(delta.job.value);
  if (finished.ends_summaries) with_summaries_.add(delta.job.value);
  for (const OutboxRecord& record : finished.outbox) outbox_.push_back(&record);
}

void FinishRows::write(Transaction& transaction) const {
  if (jobs_.id.empty()) return;
  const Jobs& j = jobs_;
  const Totals& t = totals_;
  transaction.run(sql::kFinishJobs, j.id, j.outcome, j.error_type, j.error_code, j.error_message,
                  j.result_id, j.result, j.model, t.rounds, t.steps, t.tool_calls,
                  t.tool_calls_failed, t.wasted, t.input, t.cache_read, t.cache_write, t.output,
                  t.thinking, t.cost, t.cost_known);
  close_finished(transaction, j.id);
  if (!sub_agents_.empty()) pass_on_artifacts(transaction, sub_agents_);
  if (!with_sub_agents_.empty()) end_sub_agents(transaction, with_sub_agents_);
  if (!with_summaries_.empty()) end_summaries(transaction, with_summaries_);
  if (!metrics_.job.empty()) transaction.run(kInsertMetrics, metrics_.job, metrics_.report);
  insert_outbox(transaction, outbox_);
}

void close_finished(Transaction& transaction, const BigintArray& jobs) {
  transaction.run(kEndAttempts, jobs);
  transaction.run(kAddToConversations, jobs);
}

}  // namespace ba
