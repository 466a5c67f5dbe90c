// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/worker_process.hpp"

#include <unistd.h>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "worker/driver/incarnation.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/observe/health.hpp"
#include "worker/observe/metrics.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_parts.hpp"

namespace ba {
namespace {

constexpr std::array<Lane, 3> kLanes{Lane::High, Lane::Normal, Lane::Batch};

struct LaneIntake {
  std::int64_t lag = 0;
  bool paused = false;
};

std::array<LaneIntake, 3> by_lane(const IntakeState& intake, const KafkaTopics& topics) {
  std::array<LaneIntake, 3> lanes{};
  for (const PartitionLag& partition : intake.partitions) {
    const auto lane = lane_of_topic(topics.jobs, partition.topic);
    if (!lane) continue;
    LaneIntake& sum = lanes[static_cast<std::size_t>(*lane)];
    sum.lag += partition.lag;
    sum.paused = sum.paused || partition.paused;
  }
  return lanes;
}

/// Empty: nothing is known to be in the way.
std::string why_not_publishing(const LifeState& state) {
  if (state.publisher.shards_stopped > 0)
    return "a shard is stopped: `ba-agent outbox verify` says why and what to do";
  if (state.publishing_contested)
    return "somebody else publishes as shards of this worker: give each installation its own "
           "kafka.publisher.transactional_id_prefix";
  return state.publishing_denied.empty() ? state.closed_topics : state.publishing_denied;
}

/// `hindrance`: what keeps the worker from using the ledger; empty: nothing.
void report_health(const LifeState& state, const std::string& hindrance, Health& health) {
  const char* plain =
      state.entered ? "the last intake or claim failed" : "not entered in the ledger";
  health.set("postgres", state.entered && state.ledger_ok && hindrance.empty(),
             hindrance.empty() ? plain : hindrance);
  health.set("kafka", state.intake.assigned && state.kafka_connected,
             state.kafka_connected ? "not yet a member of the group" : "no broker answers");
  const std::string publishing = why_not_publishing(state);
  health.set("outbox", publishing.empty(), publishing);
  health.set("intake", !state.draining, "draining");
}

void report_metrics(const LifeState& state, const KafkaTopics& topics, Metrics& metrics) {
  metrics.jobs_in_progress(state.running);
  metrics.jobs_waiting(state.waiting);
  metrics.rebalances(state.intake.rebalances);
  metrics.outbox_shards_owned(state.publisher.shards_owned);
  metrics.producers_opened(state.publisher.opens);
  const auto lanes = by_lane(state.intake, topics);
  for (const Lane lane : kLanes) {
    metrics.consumer_lag(lane, lanes[static_cast<std::size_t>(lane)].lag);
    metrics.paused(lane, lanes[static_cast<std::size_t>(lane)].paused);
  }
}

constexpr Milliseconds kTick{500};       ///< heartbeat, readiness, gauges
constexpr Milliseconds kNextLife{1000};  ///< pause before another incarnation begins

}  // namespace

struct WorkerProcess::Running {
  std::unique_ptr<Incarnation> life;
  std::unique_ptr<Timer> tick;
  std::unique_ptr<Timer> next_life;
  std::unique_ptr<boost::asio::signal_set> signals;
  std::unique_ptr<boost::asio::signal_set> hangup;
  bool stopping = false;
  bool at_terminal = false;  ///< at the start
};

WorkerProcess::WorkerProcess(const LoadedConfig& loaded, const Decorators& decorators,
                             StructuredLog& log)
    : parts_(std::make_unique<WorkerParts>(loaded, decorators, log)),
      running_(std::make_unique<Running>()) {
  // From the start on, so that a rotation that comes early kills nothing.
  running_->hangup =
      std::make_unique<boost::asio::signal_set>(parts_->basis.process.executor.context(), SIGHUP);
  running_->at_terminal = ::isatty(STDIN_FILENO) != 0;
}

WorkerProcess::~WorkerProcess() = default;

Result<void> WorkerProcess::build() { return parts_->build(); }

void WorkerProcess::run() {
  AsioExecutor& executor = parts_->basis.process.executor;
  running_->signals =
      std::make_unique<boost::asio::signal_set>(executor.context(), SIGTERM, SIGINT);
  running_->signals->async_wait([this](const boost::system::error_code& error, int) {
    if (!error) on_signal();
  });
  parts_->basis.start_signals.reset();
  await_hangup();
  executor.post([this] {
    begin_life();
    tick();
  });
  executor.run();
}

void WorkerProcess::on_signal() {
  running_->stopping = true;
  // The second signal ends the process at once, which is as safe as a crash.
  running_->signals->async_wait([](const boost::system::error_code& error, int signal) {
    if (!error) ::_exit(128 + signal);
  });
  running_->next_life.reset();
  if (!running_->life) return finish();
  running_->life->drain();
}

/// The log file was moved away (logrotate), or the configuration changed; or the terminal is gone,
/// which means what SIGTERM does.
void WorkerProcess::await_hangup() {
  running_->hangup->async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    parts_->basis.log.reopen();
    if (!running_->at_terminal || ::isatty(STDIN_FILENO) != 0)
      parts_->agents->reload();
    else if (!running_->stopping)
      ::raise(SIGTERM);
    await_hangup();
  });
}

void WorkerProcess::begin_life() {
  running_->life = std::make_unique<Incarnation>(*parts_->incarnation,
                                                 incarnation_options_of(parts_->basis.config),
                                                 [this](LifeEnd end) { life_ended(end); });
  running_->life->start();
}

void WorkerProcess::life_ended(LifeEnd end) {
  running_->life.reset();
  parts_->observers.forget_runs();
  if (running_->stopping || end == LifeEnd::Drained) return finish();
  running_->next_life = parts_->basis.process.executor.after(kNextLife, [this] { begin_life(); });
}

void WorkerProcess::tick() {
  WorkerParts& p = *parts_;
  Metrics& metrics = p.basis.metrics;
  p.basis.health.beat();
  const LifeState state = running_->life ? running_->life->state() : LifeState{};
  report_health(state, p.storage.watch->hindrance(), p.basis.health);
  report_metrics(state, p.basis.config.kafka.topics, metrics);
  p.observers.report(metrics);
  if (p.tools.cache()) metrics.cache_totals(p.tools.cache()->counters());
  if (p.tools.artifacts()) metrics.artifact_totals(p.tools.artifacts()->counters());
  metrics.log_lines_dropped(p.basis.log.dropped());
  const PgStatistics ledger = p.storage.storage->statistics();
  metrics.ledger_totals(ledger.deltas, ledger.delta_transactions, ledger.retries);
  running_->tick = p.basis.process.executor.after(kTick, [this] { tick(); });
}

void WorkerProcess::finish() {
  running_->tick.reset();
  WorkerBasis& basis = parts_->basis;
  parts_->observers.stop(basis.config.observability.trace_export_timeout);
  parts_->tools.servers()->stop([&basis] {
    basis.log.info("stopped");
    basis.process.executor.finish();
  });
}

}  // namespace ba
