// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/worker_process.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "worker/runtime/report_state.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/worker_parts.hpp"

namespace ba {
namespace {

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
