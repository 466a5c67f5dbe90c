#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the process counts and measures, behind plain functions, in Prometheus' text format on
// request. Every name starts with ba_. Labels are closed sets or names from the configuration; a
// family takes a bounded number of names, later ones count under "other". Arguments named `total`
// are what a part of the process has counted so far; one that falls means that the part began anew.
// Owned by the process; any thread; a repeated call finds its series without building a label.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {
struct ArtifactCounters;
struct CacheCounters;
}  // namespace ba

namespace ba::observe {

struct MetricFamilies;

class Metrics {
 public:
  using Seconds = std::chrono::duration<double>;

  Metrics(std::string_view version, std::string_view commit);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Intake.
  void jobs_consumed(Lane lane, std::int64_t jobs);                  ///< ba_jobs_consumed_total
  void dead_letters(std::string_view reason, std::int64_t records);  ///< ba_dead_letters_total
  void rebalances(std::int64_t total);                               ///< ba_kafka_rebalances_total
  void paused(Lane lane, bool paused);                               ///< ba_kafka_paused
  void consumer_lag(Lane lane, std::int64_t records);                ///< ba_kafka_consumer_lag

  // Jobs.
  void jobs_in_progress(std::int64_t jobs);         ///< ba_jobs_in_progress
  void jobs_waiting(std::int64_t jobs);             ///< ba_jobs_waiting: claimed by nobody yet
  void running_jobs_max(std::int64_t jobs);         ///< ba_worker_slots
  void job_started(Lane lane, Seconds queue_wait);  ///< ba_job_queue_wait_seconds
  void job_finished(Lane lane, Outcome outcome, Seconds duration, WallTime now);
  void jobs_handed_back(std::int64_t jobs);  ///< ba_jobs_handed_back_total
  void sub_agent_finished(Outcome outcome);  ///< ba_sub_agents_finished_total; it is no job here
  void conversation_begun();                 ///< ba_conversations_total
  void round_closed(Seconds duration);       ///< ba_rounds_total, ba_round_duration_seconds
  void step_persisted();                     ///< ba_steps_total

  // Model and tools.
  struct ModelCallSeen {
    std::string_view provider;
    std::string_view model;
    std::string_view outcome;  ///< "ok" or the error's code
    Seconds duration{0};
    Usage usage;
    std::int64_t cost_micro_usd = 0;
    int retries = 0;
  };
  void model_call(const ModelCallSeen& call);
  /// ba_model_estimated_input_tokens_total: before it was sent; by the configured names.
  void model_input_estimated(std::string_view provider, std::string_view model,
                             std::int64_t tokens);
  void model_calls_lost(std::string_view model, int calls);  ///< ba_model_wasted_calls_total
  void tool_call(std::string_view tool, std::string_view outcome, Seconds duration);
  void tools_left_out(std::string_view reason, std::int64_t tools);  ///< ba_tools_left_out
  void tool_retried(std::string_view tool, int times);               ///< ba_tool_retries_total
  /// ba_context_compressions_total, ba_context_compressed_tokens_total
  void history_compressed(std::string_view mode, bool target_reached, std::int64_t tokens);
  void context_counted(std::string_view model,
                       std::string_view result);  ///< ba_context_exact_counts_total
  /// Of one finished job: ba_saved_tokens_total, ba_saved_micro_usd_total
  void saved(const Savings& savings);
  void skill_activated(std::string_view skill);          ///< ba_skill_activations_total
  void tool_cache_hit(std::string_view tool);            ///< ba_tool_cache_hits_total
  void cache_totals(const CacheCounters& totals);        ///< ba_result_cache_…_total
  void artifact_totals(const ArtifactCounters& totals);  ///< ba_artifacts_…_total

  // Ledger and outbox.
  /// All three are totals: ba_ledger_deltas_total, _commits_total, _retries_total.
  void ledger_totals(std::int64_t deltas, std::int64_t commits, std::int64_t retries);
  void ledger_error(std::string_view code);                ///< ba_ledger_errors_total
  void outbox_shards_owned(std::int64_t shards);           ///< ba_outbox_shards_owned
  void outbox_published(std::int64_t records);             ///< one batch
  void producers_opened(std::int64_t total);               ///< ba_outbox_producers_opened_total
  void outbox_shard_stopped();                             ///< ba_outbox_shards_stopped_total
  void fenced();                                           ///< ba_fenced_total
  void reaped(std::int64_t incarnations);                  ///< ba_reaped_total
  void removed(std::string_view what, std::int64_t rows);  ///< ba_retention_removed_total

  struct TraceSpans {
    std::int64_t exported = 0;
    std::int64_t queue_full = 0;  ///< this and what follows: dropped
    std::int64_t refused = 0;
    std::int64_t unreachable = 0;
    std::int64_t shutdown = 0;
  };
  void trace_totals(const TraceSpans& totals);                    ///< ba_trace_spans_…_total
  void log_lines_dropped(std::int64_t total);                     ///< ba_log_lines_dropped_total
  void progress_totals(std::int64_t sent, std::int64_t dropped);  ///< ba_progress_events_…_total

  /// The text exposition, version 0.0.4, with process_* read at this moment.
  std::string exposition() const;

 private:
  std::unique_ptr<MetricFamilies> all_;
};

}  // namespace ba::observe
