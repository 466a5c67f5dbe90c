#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every part of a worker, wired: the adapters, what stands before them, and what a life is given.
// Owned by the WorkerProcess; made and used on the control thread. What is declared later uses what
// is declared before it, and goes first.

#include <memory>

#include "pipeline/core/cache/local_results.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/driver/summary_writer.hpp"
#include "worker/observe/endpoints.hpp"
#include "worker/runtime/parts/agent_parts.hpp"
#include "worker/runtime/parts/kafka_parts.hpp"
#include "worker/runtime/parts/model_parts.hpp"
#include "worker/runtime/parts/observer_parts.hpp"
#include "worker/runtime/parts/storage_parts.hpp"
#include "worker/runtime/parts/tool_parts.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba {

class WorkerParts final {
 public:
  /// Borrows all of them.
  WorkerParts(const LoadedConfig& loaded, const Decorators& around, StructuredLog& log);
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
  LocalResults summaries{kKnownSummaries};
  std::unique_ptr<HttpServer> endpoints;
  std::unique_ptr<RunnerPorts> runner;
  std::unique_ptr<IncarnationParts> incarnation;

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

}  // namespace ba
