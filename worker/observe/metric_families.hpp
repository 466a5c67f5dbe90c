#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every family of /metrics: its name, its help, its labels, its buckets. Inside worker/observe:
// metrics.cpp fills them.

#include "worker/observe/metric_maker.hpp"

namespace ba::observe {

// Jobs take minutes: the usual buckets end where these begin.
inline const MetricMaker::Buckets kJobSeconds{0.1, 0.5, 1,   5,   15,   30,
                                              60,  120, 300, 600, 1800, 3600};
inline const MetricMaker::Buckets kModelSeconds{0.01, 0.05, 0.25, 0.5, 1,   2,   5,
                                                10,   20,   40,   80,  160, 320, 600};
inline const MetricMaker::Buckets kToolSeconds{0.001, 0.005, 0.02, 0.1, 0.5, 1,
                                               5,     15,    60,   120, 300};

struct MetricFamilies {
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  using Histogram = prometheus::Histogram;

  prometheus::Registry registry;
  MetricMaker make{registry};

  Series<Counter, 1> jobs_consumed =
      make.counters("ba_jobs_consumed_total", "New jobs stored in the ledger", {"lane"});
  Series<Counter, 1> dead_letters =
      make.counters("ba_dead_letters_total", "Records that could not be read as a job", {"reason"});
  RunningTotal rebalances{
      make.counter("ba_kafka_rebalances_total", "Rebalances of the consumer group seen")};
  Series<Gauge, 1> paused =
      make.gauges("ba_kafka_paused", "1 while intake of a lane is paused", {"lane"});
  Series<Gauge, 1> lag =
      make.gauges("ba_kafka_consumer_lag", "Records on the jobs topics not yet taken in", {"lane"});

  Gauge& jobs_in_progress = make.gauge("ba_jobs_in_progress", "Jobs running in this process");
  Gauge& jobs_waiting = make.gauge("ba_jobs_waiting", "Jobs in the ledger that wait for a worker");
  Gauge& slots = make.gauge("ba_worker_slots", "Jobs this process may run at the same time");
  Series<Histogram, 1> queue_wait =
      make.histograms("ba_job_queue_wait_seconds",
                      "From a job's creation, or redrive, to its start", {"lane"}, kJobSeconds);
  Series<Counter, 2> jobs_finished =
      make.counters("ba_jobs_finished_total", "Jobs that reached an outcome", {"lane", "outcome"});
  Series<Histogram, 2> job_duration =
      make.histograms("ba_job_duration_seconds", "From a job's start to its outcome",
                      {"lane", "outcome"}, kJobSeconds);
  Gauge& last_finished = make.gauge("ba_last_job_finished_timestamp_seconds",
                                    "When a job last reached an outcome, since the epoch");
  Counter& handed_back = make.counter(
      "ba_jobs_handed_back_total", "Jobs given back unfinished: a shutdown, a pause, a question");
  Series<Counter, 1> sub_agents_finished = make.counters(
      "ba_sub_agents_finished_total", "Sub-agents that came to their end", {"outcome"});
  Counter& conversations = make.counter(
      "ba_conversations_total", "Conversations whose first job with a round reached an outcome");
  Counter& rounds = make.counter("ba_rounds_total", "Rounds closed");
  Histogram& round_duration =
      make.histogram("ba_round_duration_seconds", "Duration of a round", kJobSeconds);
  Counter& steps = make.counter("ba_steps_total", "Steps persisted");

  Series<Counter, 3> model_calls =
      make.counters("ba_model_calls_total", "Calls of a model, retries not counted",
                    {"provider", "model", "outcome"});
  Series<Histogram, 2> model_duration =
      make.histograms("ba_model_call_duration_seconds", "Duration of a model call with its retries",
                      {"provider", "model"}, kModelSeconds);
  Series<Counter, 3> model_tokens = make.counters(
      "ba_model_tokens_total", "Tokens as reported by the provider", {"provider", "model", "type"});
  Series<Counter, 2> model_estimated = make.counters(
      "ba_model_estimated_input_tokens_total",
      "Input tokens of answered calls as estimated before they were sent", {"provider", "model"});
  Series<Counter, 2> model_cost = make.counters(
      "ba_model_cost_usd_total", "Cost by the configured prices", {"provider", "model"});
  // A counter doesn't go down, and a saving may be negative: what was saved is gain less loss.
  Series<Counter, 2> saved_tokens = make.counters(
      "ba_saved_tokens_total",
      "Tokens that finished jobs saved against a plain ReAct loop: gain less loss", {"by", "sign"});
  Series<Counter, 2> saved_micro_usd =
      make.counters("ba_saved_micro_usd_total",
                    "Micro-dollars that finished jobs saved against a plain ReAct loop: gain less "
                    "loss",
                    {"by", "sign"});
  Series<Counter, 2> model_retries = make.counters(
      "ba_model_retries_total", "Repeated tries of model calls", {"provider", "model"});
  Series<Counter, 1> model_wasted =
      make.counters("ba_model_wasted_calls_total",
                    "Calls possibly paid whose reply was lost, by configured model", {"model"});
  Series<Counter, 2> tool_calls =
      make.counters("ba_tool_calls_total", "Calls of tools", {"tool", "outcome"});
  Series<Histogram, 1> tool_duration = make.histograms(
      "ba_tool_duration_seconds", "Duration of a tool call", {"tool"}, kToolSeconds);

  Series<Counter, 1> tool_retries =
      make.counters("ba_tool_retries_total", "Repeated tries of tool calls", {"tool"});

  Series<Gauge, 1> tools_left_out = make.gauges(
      "ba_tools_left_out",
      "Tools of agents that their model is not offered: its provider does not take them",
      {"reason"});

  Series<Counter, 2> compressions =
      make.counters("ba_context_compressions_total",
                    "Histories that were made shorter, by mode and result", {"mode", "target"});
  Series<Counter, 1> compressed_tokens =
      make.counters("ba_context_compressed_tokens_total",
                    "Tokens that histories lost when they were made shorter", {"mode"});

  Series<Counter, 2> exact_counts =
      make.counters("ba_context_exact_counts_total",
                    "Requests near the threshold whose tokens the provider was to count, by result",
                    {"model", "result"});

  Series<Counter, 1> skill_activations = make.counters(
      "ba_skill_activations_total", "Activations of skills, by models and by jobs", {"skill"});

  Series<Counter, 1> tool_cache_hits =
      make.counters("ba_tool_cache_hits_total",
                    "Calls of tools answered by an earlier call that meant the same", {"tool"});

  RunningTotals cache_hits = make.totals(
      "ba_result_cache_hits_total",
      "Calls given an earlier result: known here, stored by any worker, or just made here",
      "source", {"local", "store", "flight"});
  RunningTotals cache_misses = make.totals(
      "ba_result_cache_misses_total",
      "Calls that ran: nobody had it, who made it brought nothing, they waited long enough, the "
      "store could not be asked",
      "reason", {"absent", "takeover", "patience", "unreachable"});
  RunningTotal cache_waits{make.counter("ba_result_cache_waits_total",
                                        "Calls that found another that means the same under way")};
  RunningTotals cache_removed =
      make.totals("ba_result_cache_removed_total",
                  "Results removed from the store, by this process", "reason", {"expired", "room"});

  RunningTotal artifacts_kept{make.counter("ba_artifacts_kept_total", "Artifacts stored")};
  RunningTotal artifacts_kept_bytes{
      make.counter("ba_artifacts_kept_bytes_total", "Bytes of artifacts stored")};
  RunningTotal artifacts_deduplicated{make.counter("ba_artifacts_deduplicated_total",
                                                   "Artifacts whose content was stored already")};
  RunningTotal artifacts_read{make.counter("ba_artifacts_read_total", "Artifacts read")};
  RunningTotals artifacts_failed =
      make.totals("ba_artifacts_failures_total", "Calls of the artifact store that failed",
                  "operation", {"keep", "read", "clean"});
  RunningTotals artifacts_removed = make.totals(
      "ba_artifacts_removed_total", "Artifacts removed, and files that none owned, by this process",
      "reason", {"age", "unreferenced", "closed", "room", "orphan"});
  RunningTotal artifacts_removed_bytes{make.counter("ba_artifacts_removed_bytes_total",
                                                    "Bytes of artifacts removed, by this process")};

  RunningTotal ledger_deltas{
      make.counter("ba_ledger_deltas_total", "Steps of jobs made durable in the ledger")};
  RunningTotal ledger_commits{
      make.counter("ba_ledger_commits_total", "Ledger transactions that made them durable")};
  RunningTotal ledger_retries{
      make.counter("ba_ledger_retries_total", "Ledger transactions that were repeated")};
  Series<Counter, 1> ledger_errors =
      make.counters("ba_ledger_errors_total", "Ledger calls that failed", {"code"});
  Gauge& shards_owned = make.gauge("ba_outbox_shards_owned", "Outbox shards of this process");
  Counter& outbox_published =
      make.counter("ba_outbox_published_total", "Records published in Kafka transactions");
  Counter& outbox_batches = make.counter("ba_outbox_batches_total", "Kafka transactions");
  RunningTotal producers_opened{make.counter(
      "ba_outbox_producers_opened_total",
      "Producers initialised: at the start, and after every answer that was no clean success")};
  Counter& shards_stopped = make.counter("ba_outbox_shards_stopped_total",
                                         "Shards stopped because their receipt can't be explained");
  Counter& fenced =
      make.counter("ba_fenced_total", "Times this process found its incarnation dead");
  Series<Counter, 1> removed = make.counters(
      "ba_retention_removed_total", "Removed from the ledger by age, by this process", {"what"});
  Counter& reaped = make.counter("ba_reaped_total", "Dead incarnations found by this process");

  RunningTotal log_lines_dropped{
      make.counter("ba_log_lines_dropped_total", "Log lines that could not be written")};
  RunningTotal progress_sent{
      make.counter("ba_progress_events_sent_total", "Progress events handed to the Kafka client")};
  RunningTotal progress_dropped{make.counter("ba_progress_events_dropped_total",
                                             "Progress events given up: Kafka is slow or down")};

  RunningTotal spans_exported{
      make.counter("ba_trace_spans_exported_total", "Spans that the trace collector took")};
  RunningTotals spans_dropped = make.totals(
      "ba_trace_spans_dropped_total",
      "Spans given up: the queue was full, the collector refused them or could not be reached, the "
      "worker stopped",
      "reason", {"queue_full", "refused", "unreachable", "shutdown"});

  Counter& cpu = make.counter("process_cpu_seconds_total", "User and system CPU time spent");
  Gauge& resident = make.gauge("process_resident_memory_bytes", "Resident memory size");
  Gauge& virtual_memory = make.gauge("process_virtual_memory_bytes", "Virtual memory size");
  Gauge& open_files = make.gauge("process_open_fds", "Open file descriptors");
  Gauge& threads = make.gauge("process_threads", "Threads");
  Gauge& start_time = make.gauge("process_start_time_seconds", "Start time since the epoch");
};

}  // namespace ba::observe
