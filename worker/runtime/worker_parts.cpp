// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/worker_parts.hpp"

#include "storage/storage.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/config/exact_counting.hpp"
#include "worker/driver/intake_decoder.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/llm_counter.hpp"
#include "worker/runtime/secret_screen.hpp"

namespace ba::runtime {
namespace {

constexpr Milliseconds kLedgerLook{10000};  ///< between two looks whether it may be used

}  // namespace

Result<void> ModelParts::build(WorkerBasis& basis) {
  ProcessParts& process = basis.process;
  const config::Config& config = basis.config;
  const llm::LlmPorts ports{process.executor, process.clock, process.random, *process.http,
                            &basis.prices};
  auto made = ConfiguredMeter::of(basis.loaded);
  if (!made) return made.error();
  meter_ = std::move(*made);
  auto client = llm::make_llm_client(config.llm, ports);
  if (!client) return client.error();
  models_ = std::move(client.value());
  screened_ = screened(*models_, basis.secrets);
  llm::CountingModels counting{config.llm, config::exact_count_apis(basis.loaded),
                               config.context.exact_counting_timeout};
  auto counts = llm::make_llm_counter(std::move(counting), ports);
  if (!counts) return counts.error();
  counter_ = std::move(counts.value());
  if (basis.decorators.models) decorated_ = basis.decorators.models(*screened_, process.executor);
  used_ = decorated_ ? decorated_.get() : screened_.get();
  return {};
}

Result<void> StorageParts::build(WorkerBasis& basis) {
  AsioExecutor& executor = basis.process.executor;
  const storage::PgOptions options = storage_options_of(basis.config);
  auto opened = patiently(basis.log, basis.health, {"postgres", "PostgreSQL"}, [&] {
    return storage::open_worker_storage(options, executor, executor.urgent());
  });
  if (!opened) return opened.error();
  storage = std::move(opened.value());
  watch = std::make_unique<storage::LedgerWatch>(options.access, kLedgerLook);
  return {};
}

void StorageParts::lend_to(ToolParts& tools, const WorkerBasis& basis) {
  const Decorators& around = basis.decorators;
  if (basis.config.tool_cache.enabled)
    tools.remember(decorated(storage->cache(), around.cache, decorated_cache));
  if (basis.config.artifacts.enabled)
    tools.keep_artifacts(decorated(storage->artifacts(), around.artifacts, decorated_artifacts));
}

WorkerParts::WorkerParts(const config::LoadedConfig& loaded, const Decorators& around,
                         observe::StructuredLog& log)
    : basis{loaded, around, log} {}

WorkerParts::~WorkerParts() = default;

Result<void> WorkerParts::build() {
  for (const auto step :
       {&WorkerParts::serve_endpoints, &WorkerParts::build_storage, &WorkerParts::check_topics,
        &WorkerParts::build_tools, &WorkerParts::build_agents, &WorkerParts::build_models,
        &WorkerParts::build_observers, &WorkerParts::build_incarnation})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

Result<void> WorkerParts::serve_endpoints() {
  const config::Config& config = basis.config;
  if (!config.http.enabled) return {};
  basis.health.set("intake", false, "starting");  // until the first tick
  observe::HttpServerOptions options;
  options.address = config.http.address;
  options.port = config.http.port;
  const bool shown = config.observability.enable_metrics;
  auto server = observe::HttpServer::start(
      options, observe::worker_endpoints(shown ? &basis.metrics : nullptr, basis.health));
  if (!server) return server.error();
  endpoints = std::move(server.value());
  basis.log.info(shown ? "serving /metrics, /healthz and /readyz" : "serving /healthz and /readyz",
                 {{"address", options.address}, {"port", endpoints->port()}});
  return {};
}

Result<void> WorkerParts::build_tools() {
  if (auto built = tools.build(); !built) return built;
  for (const std::string& warning : tools.built().warnings)
    basis.log.warning("tools", {{"message", warning}});
  for (const std::string& name : tools.built().unused_settings)
    if (!mcp::may_offer(basis.config.mcp, name))
      basis.log.warning("tools",
                        {{"message", "tools.settings." + name + ": there is no such tool here"}});
  if (basis.decorators.tools)
    if (auto added = basis.decorators.tools(tools.registry(), basis.process.executor); !added)
      return added;
  tools.connect_servers([this] {
    if (agents) agents->offer_new_tools();  // not at the start
  });
  storage.lend_to(tools, basis);
  return {};
}

Result<void> WorkerParts::build_agents() {
  agents = std::make_unique<AgentParts>(basis, tools.registry());
  return agents->build();
}

Result<void> WorkerParts::build_observers() {
  kafka.build_transports();
  return observers.build(basis);
}

Result<void> WorkerParts::build_incarnation() {
  const config::Config& config = basis.config;
  AsioExecutor& executor = basis.process.executor;
  storage::PgStorage& ledger = *storage.storage;
  runner = std::make_unique<driver::RunnerPorts>(driver::RunnerPorts{
      executor, basis.process.clock, ledger.ledger(), models.client(), tools.runtime(),
      tools.registry(), agents->directory(), basis.publication, observers.of_runs(),
      std::string(program_version()), &tools.sub_agents(), &models.meter(), config.context,
      &summaries, &tools.skills(), &agents->fits(), models.counter(), &basis.prices});
  incarnation = std::make_unique<driver::IncarnationParts>(driver::IncarnationParts{
      *runner, ledger.membership(), ledger.outbox(), ledger.retention(), kafka.transports(),
      kafka.consumers(), config.kafka.topics.jobs,
      driver::make_intake_decoder(config::contract_limits_of(config), basis.publication,
                                  config.kafka.topics.jobs),
      basis.log, observers.of_lives(), executor.urgent()});
  basis.metrics.running_jobs_max(config.limits.running_jobs_max);
  return {};
}

}  // namespace ba::runtime
