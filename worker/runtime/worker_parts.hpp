#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every part of a worker, wired: the adapters, what stands before them, and what a life is given.
// Owned by the WorkerProcess; made and used on the control thread. What is declared later uses what
// is declared before it, and goes first.

#include <memory>
#include <optional>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "storage/ledger_watch.hpp"
#include "storage/storage.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/driver/summary_writer.hpp"
#include "worker/http/http_client.hpp"
#include "worker/kafka/access_watch.hpp"
#include "worker/kafka/kafka_shard_transport.hpp"
#include "worker/kafka/progress_producer.hpp"
#include "worker/llm/price_book.hpp"
#include "worker/llm/tool_fits.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/observe/endpoints.hpp"
#include "worker/observe/redaction.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/configured_meter.hpp"
#include "worker/runtime/progress_observer.hpp"
#include "worker/runtime/reporting_observer.hpp"
#include "worker/runtime/start_signals.hpp"
#include "worker/runtime/system_clock.hpp"
#include "worker/runtime/trace_exporter.hpp"
#include "worker/runtime/tracing_observer.hpp"
#include "worker/runtime/worker_process.hpp"
#include "worker/tools/base/build_tools.hpp"
#include "worker/tools/skills/skill_library.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"
#include "worker/version/version.hpp"

namespace ba {

class WorkerParts final {
 public:
  /// Borrows all of them.
  WorkerParts(const LoadedConfig& from, const Decorators& around, StructuredLog& to);
  ~WorkerParts();

  /// Makes what the constructor doesn't, in order; waits for what is out of reach. The endpoints
  /// come first: a probe finds a worker that waits alive, and not ready.
  Result<void> build();

  /// Reads the configuration again: agents and prices hold for jobs that are loaded from now on,
  /// all else from the next start on, which the log says. What is wrong with it changes nothing.
  void reload();

  const LoadedConfig& loaded;
  const Config& config;
  const Redaction secrets;
  const Decorators& decorators;
  StructuredLog& log;
  std::optional<StartSignals> start_signals{std::in_place, log};  ///< until the worker runs

  SystemClock clock;
  SystemRandom random;
  AsioExecutor executor;
  Metrics metrics{program_version(), program_commit()};
  Health health;
  Publication publication;
  std::unique_ptr<PgStorage> storage;
  std::unique_ptr<LedgerWatch> ledger_watch;
  SqlMeaning sql_meaning;
  std::unique_ptr<CacheStore> decorated_cache;
  std::unique_ptr<ArtifactStore> decorated_artifacts;
  std::unique_ptr<SharedCache> tool_cache;    ///< none: tools.cache.enabled is false
  std::unique_ptr<ArtifactKeeper> artifacts;  ///< none: tools.artifacts.enabled is false
  std::unique_ptr<HttpClient> http;
  std::unique_ptr<mcp::McpServers> mcp_servers;
  LocalResults summaries{kKnownSummaries};
  SubAgentDesk sub_agents;
  SkillDesk skills{executor};
  BuiltTools tools;
  std::unique_ptr<ToolRuntime> tool_runtime;
  AgentProfiles profiles;  ///< as read last
  std::unique_ptr<AgentDirectory> agents;
  std::unique_ptr<ToolFits> tool_fits;
  std::unique_ptr<SkillLibrary> skill_library;
  std::unique_ptr<ConfiguredMeter> meter;
  PriceBook prices;  ///< with each reading of the configuration
  std::unique_ptr<ModelClient> models;
  std::unique_ptr<ExactCounter> counter;
  std::unique_ptr<ModelClient> screened_models;
  std::unique_ptr<ModelClient> decorated_models;
  std::unique_ptr<KafkaShardTransports> transports;
  std::unique_ptr<ShardTransports> decorated_transports;
  std::unique_ptr<ReportingObserver> observer;
  std::unique_ptr<ProgressProducer> progress;           ///< none: kafka.progress is off
  std::unique_ptr<ProgressObserver> progress_observer;  ///< the same
  std::unique_ptr<TraceExporter> traces;                ///< none: nothing says where traces go
  std::unique_ptr<TracingObserver> tracing;             ///< the same
  std::unique_ptr<RunObserver> decorated_observer;
  std::unique_ptr<HttpServer> endpoints;
  std::unique_ptr<RunnerPorts> runner;
  std::unique_ptr<IncarnationParts> incarnation;
  std::string access_told;  ///< of the watch's thread
  std::unique_ptr<AccessWatch> access_watch;

 private:
  Result<void> serve_endpoints();
  Result<void> build_storage();
  Result<void> check_topics();
  void tell_access(const std::vector<std::string>& lacks);
  Result<void> build_tools_and_agents();
  void connect_mcp_servers();
  void offer_new_tools();
  void look_at_left_out_tools();
  Config config_with(const AgentProfiles& wanted) const;
  Result<AgentDirectory> directory_of(const AgentProfiles& wanted) const;
  void read_skills();
  void warn_of_unknown_skills(const SkillSet& known);
  Result<void> build_models();
  Result<void> build_transports();
  Result<void> build_observers();
  Result<void> build_tracing(RunObserver& inner);
  Result<void> build_incarnation();
};

}  // namespace ba
