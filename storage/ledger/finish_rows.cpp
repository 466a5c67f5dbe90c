// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/finish_rows.hpp"

#include "storage/ledger/context_rows.hpp"
#include "storage/ledger/finish_jobs.sql.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/ledger/sub_agent_rows.hpp"

namespace ba::storage {
namespace {

constexpr Statement kInsertMetrics{"insert_metrics", R"sql(
  INSERT INTO metrics (job, tenant, report)
  SELECT j.id, j.tenant, m.report
  FROM unnest($1::bigint[], $2::json[]) AS m (job, report) JOIN jobs j ON j.id = m.job
  ON CONFLICT DO NOTHING)sql"};

// Here and below attempts are found by their jobs, and not in a join: of a table that was empty
// once, statistics may know no rows, and a join would begin with all of them.
constexpr Statement kEndAttempts{"end_attempts", R"sql(
  UPDATE attempts a SET ended_at = now(), ending = 'finished'
  WHERE a.job = ANY ($1::bigint[]) AND a.ended_at IS NULL
    AND a.claim = (SELECT j.claims FROM jobs j WHERE j.id = a.job))sql"};

constexpr char kAdd[] = R"sql(
  UPDATE conversations c
  SET updated_at = now(), jobs = c.jobs + 1, rounds = c.rounds + j.rounds,
      steps = c.steps + j.steps, tool_calls = c.tool_calls + j.tool_calls,
      input_tokens = c.input_tokens + j.input_tokens + j.cache_read_tokens
                     + j.cache_write_tokens,
      output_tokens = c.output_tokens + j.output_tokens,
      cost_micro_usd = c.cost_micro_usd + j.cost_micro_usd
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND c.id = j.conversation)sql";

constexpr auto kAddToConversationsSql = sql_text(kAdd);
constexpr Statement kAddToConversations{"add_to_conversations", kAddToConversationsSql.data()};

// A transaction may be repeated while its first try, whose answer was lost, is still on its way.
// That one may have ended the jobs since this one saw them run. It ended their attempts, too.
constexpr auto kAddOnceSql = sql_text(kAdd, R"sql(
    AND EXISTS (SELECT 1 FROM attempts a
                WHERE a.job = j.id AND a.claim = j.claims AND a.ended_at IS NULL
                OFFSET 0))sql");
constexpr Statement kAddOnce{"add_once", kAddOnceSql.data()};

}  // namespace

void FinishRows::add(const Delta& delta) {
  const JobFinished& finished = *delta.finished;
  const JobResult& result = finished.result;
  std::optional<std::string_view> error_type;
  std::optional<std::string_view> error_code;
  std::optional<std::string_view> error_message;
  if (result.error) {
    error_type = result.error->type;
    error_code = result.error->code;
    error_message = result.error->message;
  }
  const JobTotals& totals = result.totals;
  const Usage& usage = totals.usage;
  jobs_.add(delta.job.value, to_string(result.outcome), error_type, error_code, error_message,
            result.result_id.value, finished.result_bytes, result.model, totals.rounds,
            totals.steps, totals.tool_calls, totals.tool_calls_failed, totals.wasted_model_calls,
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens,
            usage.output_tokens, usage.thinking_tokens, totals.cost_micro_usd, totals.cost_known);
  if (!finished.metrics_json.empty()) metrics_.add(delta.job.value, finished.metrics_json);
  if (finished.of_sub_agent) sub_agents_.add(delta.job.value);
  if (finished.ends_sub_agents) with_sub_agents_.add(delta.job.value);
  if (finished.ends_summaries) with_summaries_.add(delta.job.value);
  for (const OutboxRecord& record : finished.outbox) outbox_.push_back(&record);
}

void FinishRows::write(Transaction& transaction) const {
  if (jobs_.empty()) return;
  jobs_.write(transaction, sql::kFinishJobs);
  transaction.send(kAddOnce, jobs_.column<0>());
  transaction.send(kEndAttempts, jobs_.column<0>());
  if (!sub_agents_.empty()) pass_on_artifacts(transaction, sub_agents_);
  if (!with_sub_agents_.empty()) end_sub_agents(transaction, with_sub_agents_);
  if (!with_summaries_.empty()) end_summaries(transaction, with_summaries_);
  metrics_.write(transaction, kInsertMetrics);
  insert_outbox(transaction, outbox_);
}

void close_finished(Transaction& transaction, const BigintArray& jobs) {
  transaction.send(kAddToConversations, jobs);
  transaction.send(kEndAttempts, jobs);
}

}  // namespace ba::storage
