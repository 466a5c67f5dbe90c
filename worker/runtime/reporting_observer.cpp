// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/reporting_observer.hpp"

#include <algorithm>

#include "pipeline/core/conversation/skill_steps.hpp"
#include "worker/runtime/queue_wait.hpp"

namespace ba::runtime {
namespace {

observe::Metrics::Seconds between(WallTime from, WallTime to) {
  return std::max(observe::Metrics::Seconds{0}, observe::Metrics::Seconds(to - from));
}

/// What a tool of an MCP server says failed may be a model's wrong argument as well.
bool for_a_person(const ToolError& error) {
  return error_kind(error.type) == ToolErrorKind::NeedsPerson && error.code != "MCP_TOOL_ERROR";
}

/// A call without a configured price has no cost that is known, which isn't the cost 0.
LogField cost_of(const JobTotals& totals) {
  if (totals.cost_known) return {"cost_micro_usd", totals.cost_micro_usd};
  if (totals.cost_micro_usd == 0) return {"cost", "unknown"};
  return {"cost_micro_usd_at_least", totals.cost_micro_usd};
}

constexpr std::string_view kUnknownTool = "unknown";

/// Models ask for tools that there are not, by any name.
bool is_offered(const RunProfile& profile, std::string_view tool) {
  return std::any_of(profile.tools.begin(), profile.tools.end(),
                     [tool](const ToolSpec& spec) { return spec.name == tool; });
}

}  // namespace

ReportingObserver::ReportingObserver(observe::Metrics& metrics, Log& log, const Clock& clock,
                                     const llm::LlmConfig& models)
    : metrics_(metrics), log_(log), clock_(clock), models_(models) {}

observe::Metrics::ModelCallSeen ReportingObserver::call_of(std::string_view model,
                                                           std::string_view outcome) const {
  const llm::ModelConfig* known = models_.model(std::string(model));
  observe::Metrics::ModelCallSeen seen;
  if (known) seen.provider = known->provider;
  seen.model = model;
  seen.outcome = outcome;
  return seen;
}

void ReportingObserver::taken_in(const driver::IntakeSummary& summary) {
  for (std::size_t lane = 0; lane < summary.jobs.size(); ++lane)
    if (summary.jobs[lane] > 0) metrics_.jobs_consumed(static_cast<Lane>(lane), summary.jobs[lane]);
  for (const driver::DeadLetterSeen& letter : summary.dead_letters) {
    metrics_.dead_letters(letter.reason, 1);
    log_.warning("a record is no job", {{"topic", letter.source.topic},
                                        {"partition", letter.source.partition},
                                        {"offset", letter.source.offset},
                                        {"reason", letter.reason},
                                        {"field", letter.field},
                                        {"message", letter.message}});
  }
}

void ReportingObserver::job_started(const ConversationState& state) {
  const bool first = state.claim.attempt == 1 && state.round.number <= 0 && state.round.step == 0;
  if (!state.claim.asked_by && first) metrics_.job_started(state.job.lane, queue_wait(state));
  if (!log_.enabled(LogLevel::Info)) return;
  log_.info(state.claim.asked_by ? "sub-agent started" : "job started",
            {{"tenant", state.job.tenant.value},
             {"job", state.job.job_id.value},
             {"attempt", state.claim.attempt},
             {"round", state.round.number},
             {"step", state.round.step}});
}

void ReportingObserver::history_compressed(const ConversationState& state,
                                           const CompressionEvent& compression) {
  const std::string mode(name_of(kCompressionModeNames, compression.mode));
  metrics_.history_compressed(mode, compression.missed.empty(),
                              compression.tokens_before - compression.tokens_after);
  log_.info("history compressed", {{"tenant", state.job.tenant.value},
                                   {"job", state.job.job_id.value},
                                   {"round", state.round.number},
                                   {"step", state.round.step + 1},
                                   {"mode", mode},
                                   {"messages_before", compression.messages_before},
                                   {"messages_after", compression.messages_after},
                                   {"tokens_before", compression.tokens_before},
                                   {"tokens_after", compression.tokens_after},
                                   {"missed", compression.missed}});
}

/// Silent while it isn't asked: that it failed was said.
void ReportingObserver::context_counted(const ConversationState& state, const ExactCountRow& row,
                                        const ExactCount& count) {
  metrics_.context_counted(row.model, name_of(kCountOutcomeNames, count.outcome));
  if (count.outcome == CountOutcome::Paused) return;
  if (count.tokens)
    return log_.info("tokens counted by the provider", {{"tenant", state.job.tenant.value},
                                                        {"job", state.job.job_id.value},
                                                        {"round", row.at.round},
                                                        {"step", row.at.step},
                                                        {"model", row.model},
                                                        {"tokens", *count.tokens},
                                                        {"estimated", row.estimated}});
  log_.warning("the provider does not count tokens, the estimate decides",
               {{"tenant", state.job.tenant.value},
                {"job", state.job.job_id.value},
                {"round", row.at.round},
                {"step", row.at.step},
                {"model", row.model},
                {"estimated", row.estimated},
                {"error", count.why}});
}

void ReportingObserver::summary_ended(const ConversationState& state, const std::string& model,
                                      const SummaryRow& summary) {
  if (!summary.reused && !summary.model.empty()) {
    observe::Metrics::ModelCallSeen seen = call_of(model, "ok");
    seen.usage = summary.usage;
    seen.cost_micro_usd = summary.cost_micro_usd.value_or(0);
    metrics_.model_call(seen);
  }
  log_.info("summary of a history", {{"tenant", state.job.tenant.value},
                                     {"job", state.job.job_id.value},
                                     {"round", summary.at.round},
                                     {"step", summary.at.step},
                                     {"state", name_of(kSummaryStateNames, summary.state)},
                                     {"reused", summary.reused},
                                     {"tokens", summary.usage.total()}});
}

void ReportingObserver::summary_refused(const ConversationState& state, const std::string& why) {
  log_.info("no summary of a history is asked for", {{"tenant", state.job.tenant.value},
                                                     {"job", state.job.job_id.value},
                                                     {"round", state.round.number},
                                                     {"step", state.round.step},
                                                     {"why", why}});
}

void ReportingObserver::model_asked(const ConversationState& state) {
  if (!log_.enabled(LogLevel::Debug)) return;
  log_.debug("asking the model", {{"tenant", state.job.tenant.value},
                                  {"job", state.job.job_id.value},
                                  {"round", state.round.number},
                                  {"step", state.round.step + 1},
                                  {"messages", state.history.messages.size()}});
}

void ReportingObserver::model_answered(const ConversationState& state, const ModelReply& reply) {
  observe::Metrics::ModelCallSeen seen = call_of(model_in_force(state), "ok");
  seen.duration = reply.latency;
  seen.usage = reply.message.usage;
  seen.cost_micro_usd = reply.cost_micro_usd.value_or(0);
  seen.retries = reply.tries - 1;
  metrics_.model_call(seen);
}

void ReportingObserver::model_failed(const ConversationState& state, const ModelFailure& failure) {
  observe::Metrics::ModelCallSeen seen =
      call_of(model_in_force(state), to_string(failure.error.code));
  seen.retries = std::max(0, failure.tries - 1);
  metrics_.model_call(seen);
  log_.warning("the model did not answer", {{"tenant", state.job.tenant.value},
                                            {"job", state.job.job_id.value},
                                            {"round", state.round.number},
                                            {"step", state.round.step + 1},
                                            {"tries", failure.tries},
                                            {"wasted_calls", failure.wasted_calls},
                                            {"error", failure.error.message}});
}

void ReportingObserver::model_calls_lost(const ConversationState& state, int calls) {
  metrics_.model_calls_lost(model_in_force(state), calls);
}

void ReportingObserver::tool_finished(const ConversationState& state, const CallState& call,
                                      const ToolResult& result) {
  const std::string_view name =
      is_offered(state.profile, call.call.name) ? call.call.name : kUnknownTool;
  metrics_.tool_call(name, to_string(result.state), result.duration);
  if (result.retry_count > 0) metrics_.tool_retried(name, result.retry_count);
  if (result.telemetry.cache_hit) metrics_.tool_cache_hit(name);
  const bool mismatch = result.error && (result.error->code == "SKILL_NOT_ACTIVE" ||
                                         result.error->code == "SKILL_NOT_NEWEST");
  if (name == kDeactivateSkillTool && mismatch)
    log_.error("a skill was to be ended that isn't the newest active one",
               {{"tenant", state.job.tenant.value},
                {"job", state.job.job_id.value},
                {"round", state.round.number},
                {"step", state.round.step},
                {"error", result.error->message}});
  if (result.error && for_a_person(*result.error))
    log_.warning("a tool failed in a way that a person should look at",
                 {{"tenant", state.job.tenant.value},
                  {"job", state.job.job_id.value},
                  {"round", state.round.number},
                  {"step", state.round.step},
                  {"tool", name},
                  {"error_type", to_string(result.error->type)},
                  {"error_code", result.error->code}});
  if (!log_.enabled(LogLevel::Debug)) return;
  log_.debug("tool finished", {{"tenant", state.job.tenant.value},
                               {"job", state.job.job_id.value},
                               {"round", state.round.number},
                               {"step", state.round.step},
                               {"tool", call.call.name},
                               {"state", to_string(result.state)},
                               {"cache_hit", result.telemetry.cache_hit},
                               {"duration_ms", result.duration.count()}});
}

void ReportingObserver::committed(const ConversationState& state, const Delta& delta) {
  for (const RoundClosed& round : delta.rounds_closed) metrics_.round_closed(round.latency);
  for (const SkillUsed& used : delta.skills_used)
    if (used.depth > 0) metrics_.skill_activated(used.skill);
  for (const StepReplied& step : delta.steps) {
    metrics_.step_persisted();
    if (!step.estimated_input_tokens) continue;
    const observe::Metrics::ModelCallSeen call = call_of(model_in_force(state), "ok");
    metrics_.model_input_estimated(call.provider, call.model, *step.estimated_input_tokens);
  }
}

void ReportingObserver::job_finished(const ConversationState& state, const JobResult& result) {
  if (state.claim.asked_by) {
    metrics_.sub_agent_finished(result.outcome);
  } else {
    metrics_.job_finished(state.job.lane, result.outcome,
                          between(result.started_at, result.finished_at), clock_.wall());
    metrics_.saved(result.totals.savings);  // with its sub-agents'
  }
  const bool came_to_a_round = state.round.started || result.totals.rounds > 0;
  if (!state.claim.asked_by && state.history.tally.opens_conversation && came_to_a_round)
    metrics_.conversation_begun();
  if (!log_.enabled(LogLevel::Info)) return;
  log_.info(state.claim.asked_by ? "sub-agent finished" : "job finished",
            {{"tenant", state.job.tenant.value},
             {"job", state.job.job_id.value},
             {"outcome", to_string(result.outcome)},
             {"rounds", result.totals.rounds},
             {"steps", result.totals.steps},
             {"tokens", result.totals.usage.total()},
             cost_of(result.totals)});
}

void ReportingObserver::job_handed_back(const ConversationState& state) {
  if (!state.claim.asked_by) metrics_.jobs_handed_back(1);
  log_.info(state.claim.asked_by ? "sub-agent handed back" : "job handed back",
            {{"tenant", state.job.tenant.value},
             {"job", state.job.job_id.value},
             {"round", state.round.number},
             {"step", state.round.step}});
}

void ReportingObserver::job_waits(const ConversationState& state) {
  metrics_.jobs_handed_back(1);
  for (const CallState& call : state.calls) {
    if (call.phase != CallPhase::Unresolved) continue;
    log_.warning("a job waits for a person: what became of a call is not known",
                 {{"tenant", state.job.tenant.value},
                  {"job", state.job.job_id.value},
                  {"round", state.round.number},
                  {"step", state.round.step},
                  {"tool", call.call.name},
                  {"call", call.call.id.value}});
  }
}

void ReportingObserver::ledger_failed(const Error& error, const driver::LedgerAttempt& attempt) {
  metrics_.ledger_error(to_string(error.code));
  log_.error("the ledger refused or is out of reach", {{"while", std::string_view(attempt.what)},
                                                       {"tenant", attempt.tenant},
                                                       {"job", attempt.job},
                                                       {"ledger_id", attempt.row.value},
                                                       {"round", attempt.round},
                                                       {"step", attempt.step},
                                                       {"code", to_string(error.code)},
                                                       {"detail", error.detail},
                                                       {"error", error.message}});
}

void ReportingObserver::removed(const RemovedRows& rows) {
  metrics_.removed("jobs", rows.jobs);
  metrics_.removed("outbox_rows", rows.outbox_rows);
  metrics_.removed("dead_letters", rows.dead_letters);
  log_.debug("removed by age", {{"jobs", rows.jobs},
                                {"outbox_rows", rows.outbox_rows},
                                {"dead_letters", rows.dead_letters}});
}

}  // namespace ba::runtime
