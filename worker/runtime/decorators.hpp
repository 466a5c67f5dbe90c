#pragma once
// SPDX-License-Identifier: Apache-2.0
// Ways to put something around the worker's ports. A value.

#include <functional>
#include <memory>

#include "pipeline/core/cache/cache_store.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "pipeline/core/outbox/shard_transport.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "worker/driver/run_observer.hpp"

namespace ba::runtime {

/// Puts something around a port, for tests that must act at exact points of a job's life. Empty
/// functions change nothing. What they return borrows the inner object, which outlives it.
struct Decorators {
  std::function<std::unique_ptr<driver::RunObserver>()> observer;  ///< is told before the others
  std::function<std::unique_ptr<ModelClient>(ModelClient& inner, Executor& executor)> models;
  std::function<std::unique_ptr<ShardTransports>(ShardTransports& inner)> transports;
  std::function<std::unique_ptr<CacheStore>(CacheStore& inner)> cache;
  std::function<std::unique_ptr<ArtifactStore>(ArtifactStore& inner)> artifacts;
  std::function<Result<void>(ToolRegistry& registry, Executor& executor)> tools;  ///< adds some
};

}  // namespace ba::runtime
