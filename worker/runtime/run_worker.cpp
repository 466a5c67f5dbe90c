// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/run_worker.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "worker/config/descriptors.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/observe/health.hpp"
#include "worker/observe/metrics.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_parts.hpp"

namespace ba::runtime {
namespace {

constexpr std::array<Lane, 3> kLanes{Lane::High, Lane::Normal, Lane::Batch};

struct LaneIntake {
  std::int64_t lag = 0;
  bool paused = false;
};

std::array<LaneIntake, 3> by_lane(const IntakeState& intake, const kafka::KafkaTopics& topics) {
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
std::string why_not_publishing(const driver::LifeState& state) {
  if (state.publisher.shards_stopped > 0)
    return "a shard is stopped: `ba-agent outbox verify` says why and what to do";
  if (state.publishing_contested)
    return "somebody else publishes as shards of this worker: give each installation its own "
           "kafka.publisher.transactional_id_prefix";
  return state.publishing_denied.empty() ? state.closed_topics : state.publishing_denied;
}

/// `hindrance`: what keeps the worker from using the ledger; empty: nothing.
void report_health(const driver::LifeState& state, const std::string& hindrance,
                   observe::Health& health) {
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

void report_metrics(const driver::LifeState& state, const kafka::KafkaTopics& topics,
                    observe::Metrics& metrics) {
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

/// One worker process: makes its parts and lives one incarnation after another. build() and run()
/// are called once, on the main thread, which then is the control thread.
class WorkerProcess final {
 public:
  WorkerProcess(const config::LoadedConfig& loaded, const Decorators& decorators,
                observe::StructuredLog& log)
      : parts_(loaded, decorators, log), at_terminal_(::isatty(STDIN_FILENO) != 0) {}

  /// Makes every part; waits for a database or broker that is out of reach. The endpoints come
  /// first: a probe finds a worker that waits alive, and not ready. SIGTERM or SIGINT ends the
  /// process meanwhile.
  Result<void> build() { return parts_.build(); }

  /// Returns once the worker has drained.
  void run() {
    AsioExecutor& executor = parts_.basis.process.executor;
    signals_ = std::make_unique<boost::asio::signal_set>(executor.context(), SIGTERM, SIGINT);
    signals_->async_wait([this](const boost::system::error_code& error, int) {
      if (!error) on_signal();
    });
    parts_.basis.start_signals.reset();
    await_hangup();
    executor.post([this] {
      begin_life();
      tick();
    });
    executor.run();
  }

 private:
  void begin_life() {
    life_ = std::make_unique<driver::Incarnation>(*parts_.incarnation,
                                                  incarnation_options_of(parts_.basis.config),
                                                  [this](driver::LifeEnd end) { life_ended(end); });
    life_->start();
  }

  void life_ended(driver::LifeEnd end) {
    life_.reset();
    parts_.observers.forget_runs();
    if (stopping_ || end == driver::LifeEnd::Drained) return finish();
    next_life_ = parts_.basis.process.executor.after(kNextLife, [this] { begin_life(); });
  }

  void on_signal() {
    stopping_ = true;
    // The second signal ends the process at once, which is as safe as a crash.
    signals_->async_wait([](const boost::system::error_code& error, int signal) {
      if (!error) ::_exit(128 + signal);
    });
    next_life_.reset();
    if (!life_) return finish();
    life_->drain();
  }

  /// The log file was moved away (logrotate), or the configuration changed; or the terminal is
  /// gone, which means what SIGTERM does.
  void await_hangup() {
    hangup_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      parts_.basis.log.reopen();
      if (!at_terminal_ || ::isatty(STDIN_FILENO) != 0)
        parts_.agents->reload();
      else if (!stopping_)
        ::raise(SIGTERM);
      await_hangup();
    });
  }

  void tick() {
    WorkerParts& p = parts_;
    observe::Metrics& metrics = p.basis.metrics;
    p.basis.health.beat();
    const driver::LifeState state = life_ ? life_->state() : driver::LifeState{};
    report_health(state, p.storage.watch->hindrance(), p.basis.health);
    report_metrics(state, p.basis.config.kafka.topics, metrics);
    p.observers.report(metrics);
    if (p.tools.cache()) metrics.cache_totals(p.tools.cache()->counters());
    if (p.tools.artifacts()) metrics.artifact_totals(p.tools.artifacts()->counters());
    metrics.log_lines_dropped(p.basis.log.dropped());
    const storage::PgStatistics ledger = p.storage.storage->statistics();
    metrics.ledger_totals(ledger.deltas, ledger.delta_transactions, ledger.retries);
    tick_ = p.basis.process.executor.after(kTick, [this] { tick(); });
  }

  void finish() {
    tick_.reset();
    WorkerBasis& basis = parts_.basis;
    parts_.observers.stop(basis.config.observability.trace_export_timeout);
    parts_.tools.servers()->stop([&basis] {
      basis.log.info("stopped");
      basis.process.executor.finish();
    });
  }

  WorkerParts parts_;
  /// From the start on, so that a rotation that comes early kills nothing.
  boost::asio::signal_set hangup_{parts_.basis.process.executor.context(), SIGHUP};
  std::unique_ptr<driver::Incarnation> life_;
  std::unique_ptr<Timer> tick_;
  std::unique_ptr<Timer> next_life_;
  std::unique_ptr<boost::asio::signal_set> signals_;
  const bool at_terminal_;  ///< at the start
  bool stopping_ = false;
};

Result<void> check_descriptors(const config::Config& config, observe::StructuredLog& log) {
  const auto limit = config::descriptor_limit();
  const std::uint64_t wanted = config::descriptors_wanted(config);
  if (!limit || *limit >= wanted) return {};
  const std::string text = "this process may open " + std::to_string(*limit) +
                           " files and connections; its settings may take " +
                           std::to_string(wanted) + ": " + config::kDescriptorsRemedy;
  if (*limit < config::kDescriptorsMin)
    return invalid_argument(text + "; it needs " + std::to_string(config::kDescriptorsMin) +
                            " at least");
  log.warning(text);
  return {};
}

}  // namespace

Result<void> run_worker(const config::LoadedConfig& loaded, const Decorators& decorators) {
  const config::Config& config = loaded.config;
  observe::LogSettings settings = log_settings_of(config);
  settings.secrets = loaded.findings.secrets;
  auto log = observe::StructuredLog::create(settings);
  if (!log) {
    std::fprintf(stderr, "ba-agent: %s\n", log.error().message.c_str());
    return invalid_argument(log.error().message);
  }
  for (const std::string& warning : loaded.findings.warnings())
    log.value()->warning("the configuration has a warning", {{"warning", warning}});
  if (config.observability.core_dumps) ::prctl(PR_SET_DUMPABLE, 1);
  WorkerProcess process(loaded, decorators, *log.value());
  auto ready = check_descriptors(config, *log.value());
  if (ready) ready = process.build();
  if (!ready) {
    log.value()->critical("the worker cannot start", {{"error", ready.error().message}});
    return ready.error();
  }
  process.run();
  return {};
}

}  // namespace ba::runtime
