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
  running_->hangup = std::make_unique<boost::asio::signal_set>(parts_->executor.context(), SIGHUP);
  running_->at_terminal = ::isatty(STDIN_FILENO) != 0;
}

WorkerProcess::~WorkerProcess() = default;

Result<void> WorkerProcess::build() { return parts_->build(); }

void WorkerProcess::run() {
  WorkerParts& p = *parts_;
  running_->signals =
      std::make_unique<boost::asio::signal_set>(p.executor.context(), SIGTERM, SIGINT);
  running_->signals->async_wait([this](const boost::system::error_code& error, int) {
    if (!error) on_signal();
  });
  p.start_signals.reset();
  await_hangup();
  p.executor.post([this] {
    begin_life();
    tick();
  });
  p.executor.run();
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
    parts_->log.reopen();
    if (!running_->at_terminal || ::isatty(STDIN_FILENO) != 0)
      parts_->reload();
    else if (!running_->stopping)
      ::raise(SIGTERM);
    await_hangup();
  });
}

void WorkerProcess::begin_life() {
  running_->life =
      std::make_unique<Incarnation>(*parts_->incarnation, incarnation_options_of(parts_->config),
                                    [this](LifeEnd end) { life_ended(end); });
  running_->life->start();
}

void WorkerProcess::life_ended(LifeEnd end) {
  running_->life.reset();
  if (parts_->tracing) parts_->tracing->forget();
  if (running_->stopping || end == LifeEnd::Drained) return finish();
  running_->next_life = parts_->executor.after(kNextLife, [this] { begin_life(); });
}

void WorkerProcess::tick() {
  WorkerParts& p = *parts_;
  p.health.beat();
  const LifeState state = running_->life ? running_->life->state() : LifeState{};
  report_health(state, p.ledger_watch->hindrance(), p.health);
  report_metrics(state, p.config.kafka.topics, p.metrics);
  const PgStatistics ledger = p.storage->statistics();
  if (p.progress) {
    const ProgressCounts progress = p.progress->counts();
    p.metrics.progress_totals(progress.sent, progress.dropped);
  }
  if (p.tool_cache) p.metrics.cache_totals(p.tool_cache->counters());
  if (p.artifacts) p.metrics.artifact_totals(p.artifacts->counters());
  if (p.traces) {
    const SpanCounts spans = p.traces->counts();
    p.metrics.trace_totals({spans.exported, spans.dropped_full, spans.dropped_refused,
                            spans.dropped_unreachable, spans.dropped_at_end});
  }
  p.metrics.log_lines_dropped(p.log.dropped());
  p.metrics.ledger_totals(ledger.deltas, ledger.delta_transactions, ledger.retries);
  running_->tick = p.executor.after(kTick, [this] { tick(); });
}

void WorkerProcess::finish() {
  running_->tick.reset();
  if (parts_->traces) parts_->traces->stop(parts_->config.observability.trace_export_timeout);
  parts_->mcp_servers->stop([this] {
    parts_->log.info("stopped");
    parts_->executor.finish();
  });
}

}  // namespace ba
