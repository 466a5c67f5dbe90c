// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/worker_process.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <optional>
#include <thread>

#include "pipeline/contract/result_id.hpp"
#include "pipeline/tool/tool_runtime.hpp"
#include "storage/storage.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/driver/intake_decoder.hpp"
#include "worker/kafka/intake_consumer.hpp"
#include "worker/kafka/kafka_shard_transport.hpp"
#include "worker/kafka/progress_producer.hpp"
#include "worker/kafka/topics.hpp"
#include "worker/llm/curl_http_client.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/observe/endpoints.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/profiles.hpp"
#include "worker/runtime/progress_observer.hpp"
#include "worker/runtime/report_state.hpp"
#include "worker/runtime/reporting_observer.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/start_signals.hpp"
#include "worker/runtime/system_clock.hpp"
#include "worker/tools/build_tools.hpp"
#include "worker/version/version.hpp"

namespace ba {
namespace {

constexpr Milliseconds kTick{500};          ///< heartbeat, readiness, gauges
constexpr Milliseconds kNextLife{1000};     ///< pause before another incarnation begins
constexpr Milliseconds kBeatAgeMax{10000};  ///< without a tick for so long the process is stuck
constexpr std::chrono::seconds kStartRetry{2};

/// Something the start needs: its name for readiness, and for people.
struct Dependency {
  const char* name;
  const char* title;
};

/// Repeats a blocking start-up step while its dependency is out of reach.
template <typename Step>
auto patiently(Log& log, Health& health, const Dependency& dependency, Step step) {
  health.set(dependency.name, false, std::string("waiting for ") + dependency.title);
  for (;;) {
    auto result = step();
    if (result || result.error().retry != Retry::Later) {
      health.set(dependency.name, bool(result));
      return result;
    }
    log.warning("waiting for a dependency",
                {{"dependency", dependency.name}, {"error", result.error().message}});
    std::this_thread::sleep_for(kStartRetry);
  }
}

/// Syslog levels 0-3 are errors, 4 warnings; the rest is only of interest to who looks for it.
KafkaOptions kafka_with_log(const Config& config, Log& log) {
  KafkaOptions options = kafka_options_of(config);
  options.log = [&log](int level, std::string_view text) {
    if (level <= 4) {
      log.warning("kafka client", {{"message", text}});
    } else {
      log.debug("kafka client", {{"message", text}});
    }
  };
  return options;
}

}  // namespace

struct WorkerProcess::Parts {
  Parts(const LoadedConfig& loaded, const Decorators& d, StructuredLog& l)
      : config(loaded.config), secrets(loaded.findings.secrets), decorators(d), log(l) {}

  const Config& config;
  const Redaction secrets;
  const Decorators& decorators;
  StructuredLog& log;
  std::optional<StartSignals> start_signals{std::in_place, log};  ///< until run()

  SystemClock clock;
  SystemRandom random;
  AsioExecutor executor;
  Metrics metrics{program_version(), program_commit()};
  Health health{clock, kBeatAgeMax};
  Publication publication;
  std::unique_ptr<PgStorage> storage;
  BuiltTools tools;
  std::unique_ptr<ToolRuntime> tool_runtime;
  std::unique_ptr<AgentDirectory> agents;
  std::unique_ptr<HttpClient> http;
  std::unique_ptr<ModelClient> models;
  std::unique_ptr<ModelClient> screened_models;
  std::unique_ptr<ModelClient> decorated_models;
  std::unique_ptr<KafkaShardTransports> transports;
  std::unique_ptr<ShardTransports> decorated_transports;
  std::unique_ptr<ReportingObserver> observer;
  std::unique_ptr<ProgressProducer> progress;           ///< none: kafka.progress is off
  std::unique_ptr<ProgressObserver> progress_observer;  ///< the same
  std::unique_ptr<RunObserver> decorated_observer;
  std::unique_ptr<HttpServer> endpoints;
  std::unique_ptr<RunnerPorts> runner;
  std::unique_ptr<IncarnationParts> incarnation_parts;
  std::unique_ptr<Incarnation> life;
  std::unique_ptr<Timer> tick;
  std::unique_ptr<Timer> next_life;
  std::unique_ptr<boost::asio::signal_set> signals;
  std::unique_ptr<boost::asio::signal_set> hangup;
  bool stopping = false;
};

WorkerProcess::WorkerProcess(const LoadedConfig& loaded, const Decorators& decorators,
                             StructuredLog& log)
    : parts_(std::make_unique<Parts>(loaded, decorators, log)) {
  // From the start on, so that a rotation that comes early kills nothing.
  if (!log_settings_of(parts_->config).file.empty())
    parts_->hangup = std::make_unique<boost::asio::signal_set>(parts_->executor.context(), SIGHUP);
}

WorkerProcess::~WorkerProcess() = default;

Result<void> WorkerProcess::build() {
  parts_->publication = publication_of(parts_->config);
  for (const auto step : {&WorkerProcess::serve_endpoints, &WorkerProcess::build_storage,
                          &WorkerProcess::check_topics, &WorkerProcess::build_tools_and_agents,
                          &WorkerProcess::build_models, &WorkerProcess::build_observers,
                          &WorkerProcess::build_incarnation_parts})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

Result<void> WorkerProcess::serve_endpoints() {
  Parts& p = *parts_;
  if (!p.config.http.enabled) return {};
  p.health.set("intake", false, "starting");  // until the first tick
  HttpServerOptions options;
  options.address = p.config.http.address;
  options.port = p.config.http.port;
  const bool metrics = p.config.observability.enable_metrics;
  auto server =
      HttpServer::start(options, worker_endpoints(metrics ? &p.metrics : nullptr, p.health));
  if (!server) return server.error();
  p.endpoints = std::move(server.value());
  p.log.info(metrics ? "serving /metrics, /healthz and /readyz" : "serving /healthz and /readyz",
             {{"address", options.address}, {"port", p.endpoints->port()}});
  return {};
}

Result<void> WorkerProcess::build_storage() {
  auto storage = patiently(parts_->log, parts_->health, {"postgres", "PostgreSQL"}, [this] {
    return open_storage(storage_options_of(parts_->config), parts_->executor);
  });
  if (!storage) return storage.error();
  parts_->storage = std::move(storage.value());
  return {};
}

Result<void> WorkerProcess::check_topics() {
  auto findings = patiently(parts_->log, parts_->health, {"kafka", "Kafka"},
                            [this] { return verify_topics(kafka_options_of(parts_->config)); });
  if (!findings) return findings.error();
  std::string wrong;
  for (const TopicFinding& finding : findings.value()) {
    if (finding.status == TopicStatus::Warning)
      parts_->log.warning("topic", {{"topic", finding.topic}, {"message", finding.message}});
    if (finding.status == TopicStatus::Wrong)
      wrong += (wrong.empty() ? "" : "; ") + finding.topic + ": " + finding.message;
  }
  if (!wrong.empty()) return invalid_argument(wrong);
  return {};
}

Result<void> WorkerProcess::build_tools_and_agents() {
  auto tools = build_tools(parts_->config.tools, parts_->executor);
  if (!tools) return tools.error();
  parts_->tools = std::move(tools.value());
  for (const std::string& warning : parts_->tools.warnings)
    parts_->log.warning("tools", {{"message", warning}});
  if (parts_->decorators.tools) {
    auto added = parts_->decorators.tools(*parts_->tools.registry, parts_->executor);
    if (!added) return added.error();
  }
  parts_->tools.registry->wrap([&secrets = parts_->secrets](std::unique_ptr<Tool> tool) {
    return screened(std::move(tool), secrets);
  });
  parts_->tool_runtime =
      std::make_unique<ToolRuntime>(*parts_->tools.registry, parts_->config.tool_runtime,
                                    parts_->clock, parts_->executor, parts_->random);
  auto agents = make_agent_directory(parts_->config, *parts_->tools.registry);
  if (!agents) return agents.error();
  parts_->agents = std::make_unique<AgentDirectory>(std::move(agents.value()));
  return {};
}

Result<void> WorkerProcess::build_models() {
  Parts& p = *parts_;
  p.http = make_curl_http_client(p.executor.context());
  auto models = make_llm_client(p.config.llm, LlmPorts{p.executor, p.clock, p.random, *p.http});
  if (!models) return models.error();
  p.models = std::move(models.value());
  p.screened_models = screened(*p.models, p.secrets);
  if (p.decorators.models) p.decorated_models = p.decorators.models(*p.screened_models, p.executor);

  p.transports =
      std::make_unique<KafkaShardTransports>(kafka_with_log(p.config, p.log), p.executor);
  if (p.decorators.transports) p.decorated_transports = p.decorators.transports(*p.transports);

  return {};
}

Result<void> WorkerProcess::build_observers() {
  Parts& p = *parts_;
  p.observer = std::make_unique<ReportingObserver>(p.metrics, p.log, p.clock, p.config.llm);
  RunObserver* outermost = p.observer.get();
  if (p.config.kafka.progress) {
    auto progress = ProgressProducer::create(kafka_with_log(p.config, p.log),
                                             std::string(media_type(p.publication.encoding)));
    if (!progress) return progress.error();
    p.progress = std::move(progress.value());
    p.progress_observer =
        std::make_unique<ProgressObserver>(*outermost, p.clock, [&p](const ProgressEvent& event) {
          p.progress->send({result_key(event.tenant, event.job_id),
                            encode_progress(event, p.publication.encoding)});
        });
    outermost = p.progress_observer.get();
  }
  if (p.decorators.observer) {
    p.decorated_observer = p.decorators.observer(*outermost);
    outermost = p.decorated_observer.get();
  }
  p.runner = std::make_unique<RunnerPorts>(RunnerPorts{
      p.executor, p.clock, p.storage->ledger(),
      p.decorated_models ? *p.decorated_models : *p.screened_models, *p.tool_runtime,
      *p.tools.registry, *p.agents, p.publication, *outermost, std::string(program_version())});
  return {};
}

Result<void> WorkerProcess::build_incarnation_parts() {
  Parts& p = *parts_;
  p.incarnation_parts = std::make_unique<IncarnationParts>(IncarnationParts{
      *p.runner, p.storage->membership(), p.storage->outbox(), p.storage->retention(),
      p.decorated_transports ? *p.decorated_transports
                             : static_cast<ShardTransports&>(*p.transports),
      [&p, kafka = kafka_with_log(p.config, p.log)](IntakeEvents events) {
        return make_intake_consumer(kafka, p.executor, std::move(events));
      },
      p.config.kafka.topics.jobs,
      make_intake_decoder(contract_limits_of(p.config), p.publication, p.config.kafka.topics.jobs),
      p.log, *p.observer});
  p.metrics.running_jobs_max(p.config.limits.running_jobs_max);
  return {};
}

void WorkerProcess::run() {
  Parts& p = *parts_;
  p.signals = std::make_unique<boost::asio::signal_set>(p.executor.context(), SIGTERM, SIGINT);
  p.signals->async_wait([this](const boost::system::error_code& error, int) {
    if (!error) on_signal();
  });
  p.start_signals.reset();
  if (p.hangup) await_hangup();
  p.executor.post([this] {
    begin_life();
    tick();
  });
  p.executor.run();
}

void WorkerProcess::on_signal() {
  Parts& p = *parts_;
  p.stopping = true;
  // The second signal ends the process at once, which is as safe as a crash.
  p.signals->async_wait([](const boost::system::error_code& error, int signal) {
    if (!error) ::_exit(128 + signal);
  });
  p.next_life.reset();
  if (!p.life) return finish();
  p.life->drain();
}

/// The log file was moved away (logrotate): a new one takes its place.
void WorkerProcess::await_hangup() {
  parts_->hangup->async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    parts_->log.reopen();
    await_hangup();
  });
}

void WorkerProcess::begin_life() {
  Parts& p = *parts_;
  p.life = std::make_unique<Incarnation>(*p.incarnation_parts, incarnation_options_of(p.config),
                                         [this](LifeEnd end) { life_ended(end); });
  p.life->start();
}

void WorkerProcess::life_ended(LifeEnd end) {
  Parts& p = *parts_;
  p.life.reset();
  if (p.stopping || end == LifeEnd::Drained) return finish();
  p.next_life = p.executor.after(kNextLife, [this] { begin_life(); });
}

void WorkerProcess::tick() {
  Parts& p = *parts_;
  p.health.beat();
  const LifeState state = p.life ? p.life->state() : LifeState{};
  report_health(state, p.health);
  report_metrics(state, p.config.kafka.topics, p.metrics);
  const PgStatistics ledger = p.storage->statistics();
  if (p.progress) {
    const ProgressCounts progress = p.progress->counts();
    p.metrics.progress_totals(progress.sent, progress.dropped);
  }
  p.metrics.log_lines_dropped(p.log.dropped());
  p.metrics.ledger_totals(ledger.deltas, ledger.delta_transactions, ledger.retries);
  p.tick = p.executor.after(kTick, [this] { tick(); });
}

void WorkerProcess::finish() {
  Parts& p = *parts_;
  p.tick.reset();
  p.log.info("stopped");
  p.executor.finish();
}

}  // namespace ba
