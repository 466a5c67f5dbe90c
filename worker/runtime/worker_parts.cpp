// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/worker_parts.hpp"

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "pipeline/base/repeats.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "storage/worker_storage.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/config/exact_counting.hpp"
#include "worker/driver/intake_decoder.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/http/url.hpp"
#include "worker/kafka/access_check.hpp"
#include "worker/kafka/kafka_intake_consumer.hpp"
#include "worker/kafka/topics.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/llm_counter.hpp"
#include "worker/runtime/profiles.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/skills/skill_review.hpp"

namespace ba {
namespace {

constexpr Milliseconds kBeatAgeMax{10000};  ///< without a tick for so long the process is stuck
constexpr std::chrono::seconds kStartRetry{2};
constexpr Milliseconds kLedgerLook{10000};  ///< between two looks whether it may be used
constexpr Milliseconds kAccessInterval{15000};

/// Something the start needs: its name for readiness, and for people.
struct Dependency {
  const char* name;
  const char* title;
};

/// Repeats a blocking start-up step while its dependency is out of reach.
template <typename Step>
auto patiently(Log& log, Health& health, const Dependency& dependency, Step step) {
  const std::string waiting = std::string("waiting for ") + dependency.title;
  health.set(dependency.name, false, waiting);
  Repeats repeats(kRepeatsQuiet);
  for (;;) {
    auto result = step();
    if (result || result.error().retry != Retry::Later) {
      health.set(dependency.name, bool(result));
      return result;
    }
    const Error& error = result.error();
    // Where nothing is out of reach, a person has to do something: readiness says what.
    if (error.code == ErrorCode::PermissionDenied)
      health.set(dependency.name, false, waiting + ": " + error.message);
    if (const auto quiet = repeats.tell(error.message, std::chrono::steady_clock::now()))
      log.warning(
          "waiting for a dependency",
          {{"dependency", dependency.name}, {"error", error.message}, {"like_it_before", *quiet}});
    std::this_thread::sleep_for(kStartRetry);
  }
}

/// Repeats for clients' own threads.
class ToldOnce {
 public:
  std::optional<std::int64_t> tell(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return repeats_.tell(text, std::chrono::steady_clock::now());
  }

 private:
  std::mutex mutex_;
  Repeats repeats_{kRepeatsQuiet};
};

/// Syslog levels up to 4 (warning) are warnings: what becomes of an error is told by whoever made
/// the call. The rest is only of interest to who looks for it.
KafkaOptions kafka_with_log(const Config& config, Log& log) {
  KafkaOptions options = config.kafka;
  const auto told = std::make_shared<ToldOnce>();  // shared by all clients with these options
  options.log = [&log, told](int level, std::string_view text) {
    if (level > 4) return log.debug("kafka client", {{"message", text}});
    if (const auto quiet = told->tell(text))
      log.warning("kafka client", {{"message", text}, {"like_it_before", *quiet}});
  };
  return options;
}

}  // namespace

WorkerParts::WorkerParts(const LoadedConfig& from, const Decorators& around, StructuredLog& to)
    : loaded(from),
      config(loaded.config),
      secrets(loaded.findings.secrets),
      decorators(around),
      log(to),
      health(clock, kBeatAgeMax),
      profiles(config.agents),
      prices(config.llm.models) {}

WorkerParts::~WorkerParts() = default;

Result<void> WorkerParts::build() {
  publication = publication_of(config);
  for (const auto step : {&WorkerParts::serve_endpoints, &WorkerParts::build_storage,
                          &WorkerParts::check_topics, &WorkerParts::build_tools_and_agents,
                          &WorkerParts::build_models, &WorkerParts::build_transports,
                          &WorkerParts::build_observers, &WorkerParts::build_incarnation})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

Result<void> WorkerParts::serve_endpoints() {
  if (!config.http.enabled) return {};
  health.set("intake", false, "starting");  // until the first tick
  HttpServerOptions options;
  options.address = config.http.address;
  options.port = config.http.port;
  const bool shown = config.observability.enable_metrics;
  auto server = HttpServer::start(options, worker_endpoints(shown ? &metrics : nullptr, health));
  if (!server) return server.error();
  endpoints = std::move(server.value());
  log.info(shown ? "serving /metrics, /healthz and /readyz" : "serving /healthz and /readyz",
           {{"address", options.address}, {"port", endpoints->port()}});
  return {};
}

Result<void> WorkerParts::build_storage() {
  auto opened = patiently(log, health, {"postgres", "PostgreSQL"}, [this] {
    return open_worker_storage(storage_options_of(config), executor, executor.urgent());
  });
  if (!opened) return opened.error();
  storage = std::move(opened.value());
  ledger_watch = std::make_unique<LedgerWatch>(storage_options_of(config).access, kLedgerLook);
  return {};
}

Result<void> WorkerParts::check_topics() {
  auto findings = patiently(log, health, {"kafka", "Kafka"},
                            [this] { return verify_for_worker(config.kafka); });
  if (!findings) return findings.error();
  std::string wrong;
  for (const TopicFinding& finding : findings.value()) {
    if (finding.status == TopicStatus::Warning)
      log.warning("topic", {{"topic", finding.topic}, {"message", finding.message}});
    if (finding.status == TopicStatus::Wrong)
      wrong += (wrong.empty() ? "" : "; ") + finding.topic + ": " + finding.message;
  }
  if (!wrong.empty()) return invalid_argument(wrong);
  access_watch = std::make_unique<AccessWatch>(
      config.kafka, kAccessInterval,
      [this](const std::vector<std::string>& lacks) { tell_access(lacks); });
  return {};
}

/// On the watch's thread.
void WorkerParts::tell_access(const std::vector<std::string>& lacks) {
  std::string all;
  for (const std::string& lack : lacks) all += (all.empty() ? "" : "; ") + lack;
  health.set("kafka_access", lacks.empty(), all);
  if (std::exchange(access_told, all) == all) return;
  if (lacks.empty())
    log.info("the brokers allow again what this worker needs");
  else
    log.error("the brokers deny what this worker needs", {{"error", all}});
}

Result<void> WorkerParts::build_tools_and_agents() {
  http = make_curl_http_client(executor.context());
  auto built = build_tools(tool_makers(config), config.tools.settings,
                           {executor, http.get(), &sub_agents, &skills});
  if (!built) return built.error();
  tools = std::move(built.value());
  for (const std::string& warning : tools.warnings) log.warning("tools", {{"message", warning}});
  for (const std::string& name : tools.unused_settings)
    if (!may_offer(config.mcp, name))
      log.warning("tools",
                  {{"message", "tools.settings." + name + ": there is no such tool here"}});
  if (decorators.tools) {
    auto added = decorators.tools(*tools.registry, executor);
    if (!added) return added.error();
  }
  tools.registry->wrap(
      [this](std::unique_ptr<Tool> tool) { return screened(std::move(tool), secrets); });
  connect_mcp_servers();
  tool_runtime =
      std::make_unique<ToolRuntime>(*tools.registry, config.tool_runtime, clock, executor, random);
  if (config.tool_cache.enabled) {
    if (decorators.cache) decorated_cache = decorators.cache(storage->cache());
    CacheStore& store = decorated_cache ? *decorated_cache : storage->cache();
    tool_cache = std::make_unique<SharedCache>(
        config.tool_cache, SharedCachePorts{store, executor, clock, random, log});
    tool_runtime->remember({*tool_cache, sql_meaning});
  }
  if (config.artifacts.enabled) {
    if (decorators.artifacts) decorated_artifacts = decorators.artifacts(storage->artifacts());
    ArtifactStore& store = decorated_artifacts ? *decorated_artifacts : storage->artifacts();
    artifacts = std::make_unique<ArtifactKeeper>(config.artifacts, store, executor, log);
    tool_runtime->keep_artifacts(
        {*artifacts, config.artifacts.artifact_bytes_max, config.artifacts.read_bytes_max});
  }
  auto directory = directory_of(profiles);
  if (!directory) return directory.error();
  agents = std::make_unique<AgentDirectory>(std::move(directory.value()));
  tool_fits = std::make_unique<ToolFits>(config.llm, [this](const LeftOutTool& left_out) {
    log.warning("a tool is left out for a model",
                {{"tool", left_out.tool},
                 {"model", left_out.model},
                 {"reason", name_of(kLeftOutReasonNames, left_out.reason)},
                 {"message", left_out.why}});
  });
  look_at_left_out_tools();
  read_skills();
  return {};
}

void WorkerParts::warn_of_unknown_skills(const SkillSet& known) {
  for (const std::string& word : unknown_skills(config_with(profiles), known))
    log.warning("skills", {{"message", word}});
}

/// Now, and again for jobs that begin later.
void WorkerParts::read_skills() {
  skill_library = std::make_unique<SkillLibrary>(
      config.skills, model_names(config.llm), executor, log, [this](SkillSet found) {
        warn_of_unknown_skills(found);
        agents->offer(skill_offers(config_with(profiles), std::move(found)));
      });
  if (config.skills.roots.empty()) warn_of_unknown_skills({});
  skill_library->start();
}

/// Waits for the servers as long as each may take. One that is down is not waited for: its tools
/// come when it does.
void WorkerParts::connect_mcp_servers() {
  mcp::McpPorts ports{executor,
                      log,
                      mcp::real_transports(executor.context(), executor, *http, log),
                      std::string(program_version()),
                      [this](MadeTool tool) {
                        return add_as_set(std::move(tool), config.tools.settings, *tools.registry);
                      },
                      [this] { offer_new_tools(); }};
  mcp_servers = std::make_unique<mcp::McpServers>(config.mcp, std::move(ports));
  mcp_servers->start();
  const SteadyTime end = clock.now() + mcp_servers->patience();
  while (!mcp_servers->settled() && clock.now() < end) executor.run_one(end);
}

/// To conversations that begin from now on.
void WorkerParts::offer_new_tools() {
  if (!agents) return;  // at the start
  auto directory = directory_of(profiles);
  if (directory) {
    directory->offer(agents->skills());
    *agents = std::move(directory.value());
    look_at_left_out_tools();
  } else {
    log.error("tools that came later can't be offered", {{"error", directory.error().message}});
  }
}

/// Of each agent's own model; of others a job's first request tells.
void WorkerParts::look_at_left_out_tools() {
  std::map<LeftOutReason, std::set<std::pair<std::string, std::string>>> found;
  for (const auto& [name, profile] : agents->profiles()) {
    const ToolOffer offer = tool_fits->offer(profile.model, profile.tools, profile.first_tools);
    for (const LeftOutTool& tool : offer.left_out)
      found[tool.reason].emplace(tool.tool, tool.model);
  }
  for (const auto& [reason, name] : kLeftOutReasonNames)
    metrics.tools_left_out(name, static_cast<std::int64_t>(found[reason].size()));
}

Result<void> WorkerParts::build_models() {
  auto made = ConfiguredMeter::of(loaded);
  if (!made) return made.error();
  meter = std::move(*made);
  auto client = make_llm_client(config.llm, LlmPorts{executor, clock, random, *http, &prices});
  if (!client) return client.error();
  models = std::move(client.value());
  screened_models = screened(*models, secrets);
  CountingModels counting{config.llm, exact_count_apis(loaded),
                          config.context.exact_counting_timeout};
  auto counts =
      make_llm_counter(std::move(counting), LlmPorts{executor, clock, random, *http, &prices});
  if (!counts) return counts.error();
  counter = std::move(counts.value());
  if (decorators.models) decorated_models = decorators.models(*screened_models, executor);
  return {};
}

Result<void> WorkerParts::build_transports() {
  transports = std::make_unique<KafkaShardTransports>(kafka_with_log(config, log), executor);
  if (decorators.transports) decorated_transports = decorators.transports(*transports);
  return {};
}

Result<void> WorkerParts::build_observers() {
  observer = std::make_unique<ReportingObserver>(metrics, log, clock, config.llm);
  RunObserver* outermost = observer.get();
  if (config.kafka.progress) {
    auto producer = ProgressProducer::create(kafka_with_log(config, log),
                                             std::string(media_type(publication.encoding)));
    if (!producer) return producer.error();
    progress = std::move(producer.value());
    progress_observer =
        std::make_unique<ProgressObserver>(*outermost, clock, [this](const ProgressEvent& event) {
          progress->send({result_key(event.tenant, event.job_id),
                          encode_progress(event, publication.encoding)});
        });
    outermost = progress_observer.get();
  }
  if (auto made = build_tracing(*outermost); !made) return made;
  if (tracing) outermost = tracing.get();
  if (decorators.observer) {
    decorated_observer = decorators.observer(*outermost);
    outermost = decorated_observer.get();
  }
  runner = std::make_unique<RunnerPorts>(RunnerPorts{
      executor, clock, storage->ledger(), decorated_models ? *decorated_models : *screened_models,
      *tool_runtime, *tools.registry, *agents, publication, *outermost,
      std::string(program_version()), &sub_agents, meter.get(), config.context, &summaries, &skills,
      tool_fits.get(), counter.get(), &prices});
  return {};
}

Result<void> WorkerParts::build_tracing(RunObserver& inner) {
  if (!config.observability.traces()) return {};
  auto started = TraceExporter::start(trace_exporter_options_of(config), log);
  if (!started) return started.error();
  traces = std::move(*started);
  tracing = std::make_unique<TracingObserver>(
      tracing_options_of(config), TracingPorts{inner, clock, random, config.llm, secrets},
      [this](Span span) { traces->add(std::move(span)); });
  log.info("exporting traces", {{"endpoint", server_of(config.observability.otlp_endpoint)}});
  return {};
}

Result<void> WorkerParts::build_incarnation() {
  incarnation = std::make_unique<IncarnationParts>(IncarnationParts{
      *runner, storage->membership(), storage->outbox(), storage->retention(),
      decorated_transports ? *decorated_transports : static_cast<ShardTransports&>(*transports),
      [this, kafka = kafka_with_log(config, log)](IntakeEvents events) {
        return make_intake_consumer(kafka, executor, std::move(events));
      },
      config.kafka.topics.jobs,
      make_intake_decoder(contract_limits_of(config), publication, config.kafka.topics.jobs), log,
      *observer, executor.urgent()});
  metrics.running_jobs_max(config.limits.running_jobs_max);
  return {};
}

}  // namespace ba
