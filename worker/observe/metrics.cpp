// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/text/contract/record.hpp"
#include "worker/observe/metric_families.hpp"
#include "worker/observe/process_stats.hpp"

namespace ba::observe {
namespace {

constexpr double kMicro = 1e6;

double real(std::int64_t number) { return static_cast<double>(number); }

}  // namespace

Metrics::Metrics(std::string_view version, std::string_view commit)
    : all_(std::make_unique<MetricFamilies>()) {
  auto build = all_->make.gauges("ba_build_info", "Version of the program", {"version", "commit"});
  build.at({version, commit}).Set(1);
  // From the start: an alert sees the first record of a reason only as an increase.
  for (const std::string_view reason : kRecordCodes) all_->dead_letters.at({reason});
}

Metrics::~Metrics() = default;

void Metrics::jobs_consumed(Lane lane, std::int64_t jobs) {
  all_->jobs_consumed.at({to_string(lane)}).Increment(real(jobs));
}

void Metrics::dead_letters(std::string_view reason, std::int64_t records) {
  all_->dead_letters.at({reason}).Increment(real(records));
}

void Metrics::rebalances(std::int64_t total) { all_->rebalances.set(total); }

void Metrics::paused(Lane lane, bool paused) {
  all_->paused.at({to_string(lane)}).Set(paused ? 1 : 0);
}

void Metrics::consumer_lag(Lane lane, std::int64_t records) {
  all_->lag.at({to_string(lane)}).Set(real(records));
}

void Metrics::jobs_in_progress(std::int64_t jobs) { all_->jobs_in_progress.Set(real(jobs)); }

void Metrics::jobs_waiting(std::int64_t jobs) { all_->jobs_waiting.Set(real(jobs)); }

void Metrics::running_jobs_max(std::int64_t jobs) { all_->slots.Set(real(jobs)); }

void Metrics::job_started(Lane lane, Seconds queue_wait) {
  all_->queue_wait.at({to_string(lane)}).Observe(queue_wait.count());
}

void Metrics::job_finished(Lane lane, Outcome outcome, Seconds duration, WallTime now) {
  all_->jobs_finished.at({to_string(lane), to_string(outcome)}).Increment();
  all_->job_duration.at({to_string(lane), to_string(outcome)}).Observe(duration.count());
  all_->last_finished.Set(real(now.time_since_epoch().count()) / kMicro);
}

void Metrics::jobs_handed_back(std::int64_t jobs) { all_->handed_back.Increment(real(jobs)); }

void Metrics::sub_agent_finished(Outcome outcome) {
  all_->sub_agents_finished.at({to_string(outcome)}).Increment();
}

void Metrics::conversation_begun() { all_->conversations.Increment(); }

void Metrics::round_closed(Seconds duration) {
  all_->rounds.Increment();
  all_->round_duration.Observe(duration.count());
}

void Metrics::step_persisted() { all_->steps.Increment(); }

void Metrics::model_call(const ModelCallSeen& call) {
  all_->model_calls.at({call.provider, call.model, call.outcome}).Increment();
  all_->model_duration.at({call.provider, call.model}).Observe(call.duration.count());
  const std::pair<std::string_view, std::int64_t> counts[] = {
      {"input", call.usage.input_tokens},
      {"cache_read", call.usage.cache_read_tokens},
      {"cache_write", call.usage.cache_write_tokens},
      {"output", call.usage.output_tokens},
      {"thinking", call.usage.thinking_tokens}};
  for (const auto& [type, tokens] : counts)
    if (tokens > 0)
      all_->model_tokens.at({call.provider, call.model, type}).Increment(real(tokens));
  if (call.cost_micro_usd > 0)
    all_->model_cost.at({call.provider, call.model}).Increment(real(call.cost_micro_usd) / kMicro);
  if (call.retries > 0) all_->model_retries.at({call.provider, call.model}).Increment(call.retries);
}

void Metrics::model_input_estimated(std::string_view provider, std::string_view model,
                                    std::int64_t tokens) {
  all_->model_estimated.at({provider, model}).Increment(real(tokens));
}

void Metrics::model_calls_lost(std::string_view model, int calls) {
  all_->model_wasted.at({model}).Increment(calls);
}

void Metrics::tool_call(std::string_view tool, std::string_view outcome, Seconds duration) {
  all_->tool_calls.at({tool, outcome}).Increment();
  all_->tool_duration.at({tool}).Observe(duration.count());
}

void Metrics::tools_left_out(std::string_view reason, std::int64_t tools) {
  all_->tools_left_out.at({reason}).Set(real(tools));
}

void Metrics::tool_retried(std::string_view tool, int times) {
  all_->tool_retries.at({tool}).Increment(times);
}

void Metrics::context_counted(std::string_view model, std::string_view result) {
  all_->exact_counts.at({model, result}).Increment();
}

void Metrics::history_compressed(std::string_view mode, bool target_reached, std::int64_t tokens) {
  all_->compressions.at({mode, target_reached ? "reached" : "missed"}).Increment();
  all_->compressed_tokens.at({mode}).Increment(static_cast<double>(tokens));
}

void Metrics::saved(const Savings& savings) {
  const auto add = [](Series<prometheus::Counter, 2>& series, std::string_view by,
                      std::int64_t value) {
    series.at({by, "gain"}).Increment(real(std::max<std::int64_t>(value, 0)));
    series.at({by, "loss"}).Increment(real(std::max<std::int64_t>(-value, 0)));
  };
  const std::pair<std::string_view, const Saving&> kinds[] = {
      {"cache", savings.cache},
      {"encoding", savings.encoding},
      {"shared_results", savings.shared_results},
      {"compression", savings.compression}};
  for (const auto& [by, saving] : kinds) {
    add(all_->saved_tokens, by, saving.tokens);
    add(all_->saved_micro_usd, by, saving.micro_usd);
  }
}

void Metrics::skill_activated(std::string_view skill) {
  all_->skill_activations.at({skill}).Increment();
}

void Metrics::tool_cache_hit(std::string_view tool) {
  all_->tool_cache_hits.at({tool}).Increment();
}

void Metrics::cache_totals(const CacheCounters& totals) {
  all_->cache_hits.set("local", totals.local_hits);
  all_->cache_hits.set("store", totals.stored_hits);
  all_->cache_hits.set("flight", totals.flight_hits);
  all_->cache_misses.set("absent", totals.misses);
  all_->cache_misses.set("takeover", totals.takeovers);
  all_->cache_misses.set("patience", totals.impatient);
  all_->cache_misses.set("unreachable", totals.unreachable);
  all_->cache_waits.set(totals.waits);
  all_->cache_removed.set("expired", totals.expired);
  all_->cache_removed.set("room", totals.unused);
}

void Metrics::artifact_totals(const ArtifactCounters& totals) {
  all_->artifacts_kept.set(totals.kept);
  all_->artifacts_kept_bytes.set(totals.kept_bytes);
  all_->artifacts_deduplicated.set(totals.deduplicated);
  all_->artifacts_read.set(totals.read);
  all_->artifacts_failed.set("keep", totals.not_kept);
  all_->artifacts_failed.set("read", totals.not_read);
  all_->artifacts_failed.set("clean", totals.not_cleaned);
  all_->artifacts_removed.set("age", totals.removed.aged);
  all_->artifacts_removed.set("unreferenced", totals.removed.unreferenced);
  all_->artifacts_removed.set("closed", totals.removed.closed);
  all_->artifacts_removed.set("room", totals.removed.unused);
  all_->artifacts_removed.set("orphan", totals.removed.orphans);
  all_->artifacts_removed_bytes.set(totals.removed.bytes);
}

void Metrics::ledger_totals(std::int64_t deltas, std::int64_t commits, std::int64_t retries) {
  all_->ledger_deltas.set(deltas);
  all_->ledger_commits.set(commits);
  all_->ledger_retries.set(retries);
}

void Metrics::ledger_error(std::string_view code) { all_->ledger_errors.at({code}).Increment(); }

void Metrics::outbox_shards_owned(std::int64_t shards) { all_->shards_owned.Set(real(shards)); }

void Metrics::outbox_published(std::int64_t records) {
  all_->outbox_batches.Increment();
  all_->outbox_published.Increment(real(records));
}

void Metrics::producers_opened(std::int64_t total) { all_->producers_opened.set(total); }

void Metrics::outbox_shard_stopped() { all_->shards_stopped.Increment(); }

void Metrics::fenced() { all_->fenced.Increment(); }

void Metrics::reaped(std::int64_t incarnations) { all_->reaped.Increment(real(incarnations)); }

void Metrics::removed(std::string_view what, std::int64_t rows) {
  all_->removed.at({what}).Increment(real(rows));
}

void Metrics::log_lines_dropped(std::int64_t total) { all_->log_lines_dropped.set(total); }

void Metrics::progress_totals(std::int64_t sent, std::int64_t dropped) {
  all_->progress_sent.set(sent);
  all_->progress_dropped.set(dropped);
}

void Metrics::trace_totals(const TraceSpans& totals) {
  all_->spans_exported.set(totals.exported);
  all_->spans_dropped.set("queue_full", totals.queue_full);
  all_->spans_dropped.set("refused", totals.refused);
  all_->spans_dropped.set("unreachable", totals.unreachable);
  all_->spans_dropped.set("shutdown", totals.shutdown);
}

std::string Metrics::exposition() const {
  const ProcessStats stats = read_process_stats();
  if (const double more = stats.cpu_seconds - all_->cpu.Value(); more > 0)
    all_->cpu.Increment(more);
  all_->resident.Set(stats.resident_bytes);
  all_->virtual_memory.Set(stats.virtual_bytes);
  all_->open_files.Set(stats.open_files);
  all_->threads.Set(stats.threads);
  all_->start_time.Set(stats.start_time_seconds);
  return prometheus::TextSerializer().Serialize(all_->registry.Collect());
}

}  // namespace ba::observe
