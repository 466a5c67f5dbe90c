#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every part of a worker, wired: the adapters, what stands before them, and what a life is given.
// Owned by the WorkerProcess; made and used on the control thread. What is declared later uses what
// is declared before it, and goes first.

#include <memory>

#include "pipeline/core/cache/local_results.hpp"
#include "storage/ledger_use.hpp"
#include "storage/storage.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/driver/summary_writer.hpp"
#include "worker/observe/health.hpp"
#include "worker/runtime/parts/agent_parts.hpp"
#include "worker/runtime/parts/kafka_parts.hpp"
#include "worker/runtime/parts/observer_parts.hpp"
#include "worker/runtime/parts/tool_parts.hpp"
#include "worker/runtime/parts/worker_basis.hpp"
#include "worker/runtime/settings.hpp"

namespace ba::runtime {

/// A worker's models: who is asked, what a question may cost, how many tokens it has. Owned by
/// WorkerParts; control thread only.
class ModelParts final {
 public:
  Result<void> build(WorkerBasis& basis);

  /// With known secrets screened.
  ModelClient& client() { return *used_; }
  ConfiguredMeter& meter() { return *meter_; }
  ExactCounter* counter() { return counter_.get(); }

 private:
  std::unique_ptr<ConfiguredMeter> meter_;
  std::unique_ptr<ModelClient> models_;
  std::unique_ptr<ExactCounter> counter_;
  std::unique_ptr<ModelClient> screened_;
  std::unique_ptr<ModelClient> decorated_;  ///< none: no test has one
  ModelClient* used_ = nullptr;
};

/// A worker's database. Owned by WorkerParts; control thread only.
struct StorageParts {
  /// Waits for a database that is out of reach.
  Result<void> build(WorkerBasis& basis);

  /// What it keeps for tools, as it is configured.
  void lend_to(ToolParts& tools, const WorkerBasis& basis);

  std::unique_ptr<storage::PgStorage> storage;
  std::unique_ptr<storage::LedgerWatch> watch;
  std::unique_ptr<CacheStore> decorated_cache;         ///< none: no test has one
  std::unique_ptr<ArtifactStore> decorated_artifacts;  ///< the same
};

class WorkerParts final {
 public:
  /// Borrows all of them.
  WorkerParts(const config::LoadedConfig& loaded, const Decorators& around,
              observe::StructuredLog& log);
  ~WorkerParts();

  /// Makes what the constructor doesn't, in order; waits for what is out of reach. The endpoints
  /// come first: a probe finds a worker that waits alive, and not ready.
  Result<void> build();

  WorkerBasis basis;
  StorageParts storage;
  ToolParts tools{basis.config, basis.secrets, basis.process, basis.log};
  std::unique_ptr<AgentParts> agents;  ///< once there are tools
  ModelParts models;
  KafkaParts kafka{basis};
  ObserverParts observers;
  LocalResults summaries{driver::kKnownSummaries};
  std::unique_ptr<observe::HttpServer> endpoints;
  std::unique_ptr<driver::RunnerPorts> runner;
  std::unique_ptr<driver::IncarnationParts> incarnation;

 private:
  Result<void> serve_endpoints();
  Result<void> build_storage() { return storage.build(basis); }
  Result<void> check_topics() { return kafka.check_topics(); }
  Result<void> build_tools();
  Result<void> build_agents();
  Result<void> build_models() { return models.build(basis); }
  Result<void> build_observers();
  Result<void> build_incarnation();
};

}  // namespace ba::runtime
