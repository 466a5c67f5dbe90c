// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/finish.hpp"

#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/make_outbox_records.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba {
namespace {

JobResult make_result(const ConversationState& state, const Ending* ending, const Moment& moment) {
  const Job& job = state.job;
  JobResult result;
  result.result_id = result_id(job.tenant, job.job_id, kResultKind);
  result.tenant = job.tenant;
  result.job_id = job.job_id;
  result.conversation_id = job.conversation_id;
  result.outcome = ending ? ending->outcome : Outcome::Completed;
  result.answers = state.answers;
  if (ending) result.error = ending->error;
  result.totals = state.bill.totals;
  result.attempts = state.claim.attempt;
  result.created_at = job.created_at;
  result.started_at = state.claim.first_claimed_at;
  result.finished_at = moment.wall;
  result.metadata = job.metadata;
  result.model = state.bill.last_model;
  result.worker_version = state.claim.worker_version;
  result.schema_version = kResultSchemaVersion;
  return result;
}

JobMetrics make_metrics(const ConversationState& state, const JobResult& result) {
  JobMetrics metrics;
  metrics.conversation_id = state.job.conversation_id;
  metrics.start_time = result.started_at;
  metrics.end_time = result.finished_at;
  metrics.tool_calls = state.bill.tool_uses;
  metrics.totals = state.bill.totals;
  // Observations of the last step may not stand in the history yet.
  auto messages = static_cast<std::int64_t>(state.history.messages.size() - state.history.earlier +
                                            state.skills.injected.size());
  for (const CallState& call : state.calls) messages += call.message.has_value() ? 1 : 0;
  metrics.messages_count = static_cast<int>(messages + state.history.unread - state.history.copied);
  metrics.skills = state.skills.uses;
  metrics.skill_activations = static_cast<int>(state.skills.uses.size());
  metrics.compression_events = state.history.compressions;
  return metrics;
}

}  // namespace

void add_finish(ConversationState& state, Delta& delta, const Ending* ending,
                const Publication& publication, const Moment& moment) {
  JobFinished finished;
  finished.result = fit_result(make_result(state, ending, moment), publication);
  const ConversationReport report = conversation_report(make_metrics(state, finished.result));
  FinishedRecords records = make_outbox_records(state.job, finished.result, report, publication);
  finished.result_bytes = std::move(records.result_bytes);
  finished.metrics_json = std::move(records.metrics_json);
  finished.outbox = std::move(records.outbox);
  if (ending && ending->dead_letter)
    finished.outbox.push_back(make_job_dead_letter(
        {state.job, ending->dead_letter->payload, ending->dead_letter->conversation, ending->error,
         state.claim.attempt, moment.wall},
        publication));
  finished.of_sub_agent = state.claim.asked_by.has_value();
  finished.ends_sub_agents = state.bill.sub_agents > 0;
  if (state.claim.asked_by) finished.outbox.clear();  // whoever asked is told, and nobody else
  delta.finished = std::move(finished);
}

}  // namespace ba
