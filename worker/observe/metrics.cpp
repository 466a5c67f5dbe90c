// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <utility>
#include <vector>

#include "worker/observe/process_stats.hpp"
#include "worker/observe/series.hpp"

namespace ba {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

// Jobs take minutes: the usual buckets end where these begin.
const Buckets kJobSeconds{0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600};
const Buckets kModelSeconds{0.01, 0.05, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 600};
const Buckets kToolSeconds{0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 15, 60, 120, 300};
constexpr double kMicro = 1e6;

double as_double(std::int64_t number) { return static_cast<double>(number); }

/// A counter that follows the total which some part of the process counts by itself.
class RunningTotal {
 public:
  explicit RunningTotal(Counter& counter) : counter_(counter) {}

  void set(std::int64_t total) {
    const std::int64_t before = last_.exchange(total);
    const std::int64_t more = total >= before ? total - before : total;
    if (more > 0) counter_.Increment(as_double(more));
  }

 private:
  Counter& counter_;
  std::atomic<std::int64_t> last_{0};
};

/// Makes families on one registry.
class Maker {
 public:
  explicit Maker(prometheus::Registry& registry) : registry_(registry) {}

  Counter& counter(const char* name, const char* help) {
    return counter_family(name, help).Add({});
  }
  Gauge& gauge(const char* name, const char* help) { return gauge_family(name, help).Add({}); }
  Histogram& histogram(const char* name, const char* help, const Buckets& buckets) {
    return histogram_family(name, help).Add({}, buckets);
  }

  template <std::size_t Labels>
  Series<Counter, Labels> counters(const char* name, const char* help,
                                   std::array<const char*, Labels> labels) {
    auto& family = counter_family(name, help);
    return {labels, Metrics::kSeriesMax,
            [&family](const prometheus::Labels& set) -> Counter& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Gauge, Labels> gauges(const char* name, const char* help,
                               std::array<const char*, Labels> labels) {
    auto& family = gauge_family(name, help);
    return {labels, Metrics::kSeriesMax,
            [&family](const prometheus::Labels& set) -> Gauge& { return family.Add(set); }};
  }
  template <std::size_t Labels>
  Series<Histogram, Labels> histograms(const char* name, const char* help,
                                       std::array<const char*, Labels> labels,
                                       const Buckets& buckets) {
    auto& family = histogram_family(name, help);
    return {labels, Metrics::kSeriesMax,
            [&family, &buckets](const prometheus::Labels& set) -> Histogram& {
              return family.Add(set, buckets);
            }};
  }

 private:
  prometheus::Family<Counter>& counter_family(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<Gauge>& gauge_family(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<Histogram>& histogram_family(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  }

  prometheus::Registry& registry_;
};

template <std::size_t N>
std::array<const char*, N> labels(const char* const (&names)[N]) {
  std::array<const char*, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = names[i];
  return out;
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  Maker make{registry};

  Series<Counter, 1> jobs_consumed =
      make.counters("ba_jobs_consumed_total", "New jobs stored in the ledger", labels({"lane"}));
  Series<Counter, 1> dead_letters = make.counters(
      "ba_dead_letters_total", "Records that could not be read as a job", labels({"reason"}));
  RunningTotal rebalances{
      make.counter("ba_kafka_rebalances_total", "Rebalances of the consumer group seen")};
  Series<Gauge, 1> paused =
      make.gauges("ba_kafka_paused", "1 while intake of a lane is paused", labels({"lane"}));
  Series<Gauge, 1> lag = make.gauges(
      "ba_kafka_consumer_lag", "Records on the jobs topics not yet taken in", labels({"lane"}));

  Gauge& jobs_in_progress = make.gauge("ba_jobs_in_progress", "Jobs running in this process");
  Gauge& jobs_waiting = make.gauge("ba_jobs_waiting", "Jobs in the ledger that wait for a worker");
  Gauge& slots = make.gauge("ba_worker_slots", "Jobs this process may run at the same time");
  Series<Histogram, 1> queue_wait =
      make.histograms("ba_job_queue_wait_seconds", "From a job's creation to its start",
                      labels({"lane"}), kJobSeconds);
  Series<Counter, 2> jobs_finished = make.counters(
      "ba_jobs_finished_total", "Jobs that reached an outcome", labels({"lane", "outcome"}));
  Series<Histogram, 2> job_duration =
      make.histograms("ba_job_duration_seconds", "From a job's start to its outcome",
                      labels({"lane", "outcome"}), kJobSeconds);
  Gauge& last_finished = make.gauge("ba_last_job_finished_timestamp_seconds",
                                    "When a job last reached an outcome, since the epoch");
  Counter& handed_back =
      make.counter("ba_jobs_handed_back_total", "Jobs given back unfinished at a shutdown");
  Counter& rounds = make.counter("ba_rounds_total", "Rounds closed");
  Histogram& round_duration =
      make.histogram("ba_round_duration_seconds", "Duration of a round", kJobSeconds);
  Counter& steps = make.counter("ba_steps_total", "Steps persisted");

  Series<Counter, 3> model_calls =
      make.counters("ba_model_calls_total", "Calls of a model, retries not counted",
                    labels({"provider", "model", "outcome"}));
  Series<Histogram, 2> model_duration =
      make.histograms("ba_model_call_duration_seconds", "Duration of a model call with its retries",
                      labels({"provider", "model"}), kModelSeconds);
  Series<Counter, 3> model_tokens =
      make.counters("ba_model_tokens_total", "Tokens as reported by the provider",
                    labels({"provider", "model", "type"}));
  Series<Counter, 2> model_cost = make.counters(
      "ba_model_cost_usd_total", "Cost by the configured prices", labels({"provider", "model"}));
  Series<Counter, 2> model_retries = make.counters(
      "ba_model_retries_total", "Repeated tries of model calls", labels({"provider", "model"}));
  Series<Counter, 2> model_wasted =
      make.counters("ba_model_wasted_calls_total", "Calls possibly paid whose reply was lost",
                    labels({"provider", "model"}));
  Series<Counter, 2> tool_calls =
      make.counters("ba_tool_calls_total", "Calls of tools", labels({"tool", "outcome"}));
  Series<Histogram, 1> tool_duration = make.histograms(
      "ba_tool_duration_seconds", "Duration of a tool call", labels({"tool"}), kToolSeconds);

  RunningTotal ledger_deltas{
      make.counter("ba_ledger_deltas_total", "Steps of jobs made durable in the ledger")};
  RunningTotal ledger_commits{
      make.counter("ba_ledger_commits_total", "Ledger transactions that made them durable")};
  RunningTotal ledger_retries{
      make.counter("ba_ledger_retries_total", "Ledger transactions that were repeated")};
  Series<Counter, 1> ledger_errors =
      make.counters("ba_ledger_errors_total", "Ledger calls that failed", labels({"code"}));
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
  Counter& reaped = make.counter("ba_reaped_total", "Dead incarnations found by this process");

  Counter& cpu = make.counter("process_cpu_seconds_total", "User and system CPU time spent");
  Gauge& resident = make.gauge("process_resident_memory_bytes", "Resident memory size");
  Gauge& virtual_memory = make.gauge("process_virtual_memory_bytes", "Virtual memory size");
  Gauge& open_files = make.gauge("process_open_fds", "Open file descriptors");
  Gauge& threads = make.gauge("process_threads", "Threads");
  Gauge& start_time = make.gauge("process_start_time_seconds", "Start time since the epoch");
};

Metrics::Metrics(std::string_view version, std::string_view commit)
    : families_(std::make_unique<Families>()) {
  auto build = families_->make.gauges("ba_build_info", "Version of the program",
                                      labels({"version", "commit"}));
  build.at({version, commit}).Set(1);
}

Metrics::~Metrics() = default;

void Metrics::jobs_consumed(Lane lane, std::int64_t jobs) {
  families_->jobs_consumed.at({to_string(lane)}).Increment(as_double(jobs));
}

void Metrics::dead_letters(std::string_view reason, std::int64_t records) {
  families_->dead_letters.at({reason}).Increment(as_double(records));
}

void Metrics::rebalances(std::int64_t total) { families_->rebalances.set(total); }

void Metrics::paused(Lane lane, bool paused) {
  families_->paused.at({to_string(lane)}).Set(paused ? 1 : 0);
}

void Metrics::consumer_lag(Lane lane, std::int64_t records) {
  families_->lag.at({to_string(lane)}).Set(as_double(records));
}

void Metrics::jobs_in_progress(std::int64_t jobs) {
  families_->jobs_in_progress.Set(as_double(jobs));
}

void Metrics::jobs_waiting(std::int64_t jobs) { families_->jobs_waiting.Set(as_double(jobs)); }

void Metrics::running_jobs_max(std::int64_t jobs) { families_->slots.Set(as_double(jobs)); }

void Metrics::job_started(Lane lane, Seconds queue_wait) {
  families_->queue_wait.at({to_string(lane)}).Observe(queue_wait.count());
}

void Metrics::job_finished(Lane lane, Outcome outcome, Seconds duration, WallTime now) {
  families_->jobs_finished.at({to_string(lane), to_string(outcome)}).Increment();
  families_->job_duration.at({to_string(lane), to_string(outcome)}).Observe(duration.count());
  families_->last_finished.Set(as_double(now.time_since_epoch().count()) / kMicro);
}

void Metrics::jobs_handed_back(std::int64_t jobs) {
  families_->handed_back.Increment(as_double(jobs));
}

void Metrics::round_closed(Seconds duration) {
  families_->rounds.Increment();
  families_->round_duration.Observe(duration.count());
}

void Metrics::step_persisted() { families_->steps.Increment(); }

void Metrics::model_call(const ModelCallSeen& call) {
  Families& all = *families_;
  all.model_calls.at({call.provider, call.model, call.outcome}).Increment();
  all.model_duration.at({call.provider, call.model}).Observe(call.duration.count());
  const std::pair<std::string_view, std::int64_t> counts[] = {
      {"input", call.usage.input_tokens},
      {"cache_read", call.usage.cache_read_tokens},
      {"cache_write", call.usage.cache_write_tokens},
      {"output", call.usage.output_tokens},
      {"thinking", call.usage.thinking_tokens}};
  for (const auto& [type, tokens] : counts)
    if (tokens > 0)
      all.model_tokens.at({call.provider, call.model, type}).Increment(as_double(tokens));
  if (call.cost_micro_usd > 0)
    all.model_cost.at({call.provider, call.model})
        .Increment(as_double(call.cost_micro_usd) / kMicro);
  if (call.retries > 0) all.model_retries.at({call.provider, call.model}).Increment(call.retries);
  if (call.wasted_calls > 0)
    all.model_wasted.at({call.provider, call.model}).Increment(call.wasted_calls);
}

void Metrics::tool_call(std::string_view tool, std::string_view outcome, Seconds duration) {
  families_->tool_calls.at({tool, outcome}).Increment();
  families_->tool_duration.at({tool}).Observe(duration.count());
}

void Metrics::ledger_totals(std::int64_t deltas, std::int64_t commits, std::int64_t retries) {
  families_->ledger_deltas.set(deltas);
  families_->ledger_commits.set(commits);
  families_->ledger_retries.set(retries);
}

void Metrics::ledger_error(std::string_view code) {
  families_->ledger_errors.at({code}).Increment();
}

void Metrics::outbox_shards_owned(std::int64_t shards) {
  families_->shards_owned.Set(as_double(shards));
}

void Metrics::outbox_published(std::int64_t records) {
  families_->outbox_batches.Increment();
  families_->outbox_published.Increment(as_double(records));
}

void Metrics::producers_opened(std::int64_t total) { families_->producers_opened.set(total); }

void Metrics::outbox_shard_stopped() { families_->shards_stopped.Increment(); }

void Metrics::fenced() { families_->fenced.Increment(); }

void Metrics::reaped(std::int64_t incarnations) {
  families_->reaped.Increment(as_double(incarnations));
}

std::string Metrics::exposition() const {
  const ProcessStats stats = read_process_stats();
  if (const double more = stats.cpu_seconds - families_->cpu.Value(); more > 0)
    families_->cpu.Increment(more);
  families_->resident.Set(stats.resident_bytes);
  families_->virtual_memory.Set(stats.virtual_bytes);
  families_->open_files.Set(stats.open_files);
  families_->threads.Set(stats.threads);
  families_->start_time.Set(stats.start_time_seconds);
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace ba
