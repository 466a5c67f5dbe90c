#pragma once
// SPDX-License-Identifier: Apache-2.0
// One life of a worker: enters the ledger, takes in, runs, publishes, and ends in one of two ways:
// drained, or dead because its lease was lost. After that it is destroyed, and the process may
// begin another. Control thread only.

#include <functional>
#include <memory>
#include <string>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_consumer.hpp"
#include "pipeline/core/outbox/publisher.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/driver/engine.hpp"
#include "worker/driver/lease_keeper.hpp"
#include "worker/driver/ledger_cleaner.hpp"
#include "worker/driver/life_observer.hpp"
#include "worker/driver/publishing_troubles.hpp"

namespace ba::driver {

struct IncarnationOptions {
  Membership::Identity identity;
  EngineOptions engine;
  PublisherOptions publisher;
  LeaseOptions lease;
  CleanerOptions cleaner;
  Milliseconds drain_grace{20000};
  Milliseconds publish_grace{10000};  ///< for what is left in the outbox at the end of a drain
};

/// References are borrowed and outlive the incarnation.
struct IncarnationParts {
  const RunnerPorts& runner;
  Membership& membership;
  Outbox& outbox;
  Retention& retention;
  ShardTransports& transports;
  MakeIntakeConsumer make_consumer;
  JobTopics job_topics;
  DecodeRecord decode;
  Log& log;
  LifeObserver& observer;
  Executor& lease_executor;  ///< the runner's thread; a lease must not wait for the work of jobs
};

enum class LifeEnd {
  Drained,
  Lost,        ///< fenced: everything was dropped
  NeverBegan,  ///< the ledger or Kafka could not be reached
};

inline constexpr Milliseconds kRepeatsQuiet{30'000};  ///< between two lines of one trouble

/// For readiness and metrics.
struct LifeState {
  bool entered = false;
  bool ledger_ok = false;
  bool kafka_connected = false;
  std::string publishing_denied;      ///< what the brokers don't let a shard do; empty: nothing
  std::string closed_topics;          ///< why records for some topic wait; empty: none do
  bool publishing_contested = false;  ///< somebody else publishes as shards of this worker
  bool draining = false;
  int running = 0;
  std::int64_t waiting = 0;
  PublisherCounters publisher;
  IntakeState intake;
};

class Incarnation final {
 public:
  Incarnation(const IncarnationParts& parts, IncarnationOptions options,
              std::function<void(LifeEnd)> ended);
  ~Incarnation();

  void start();
  void drain();
  LifeState state() const;

 private:
  class Source;

  void entered(Result<IncarnationId> self);
  void consume(IncarnationId self);
  void engine_drained();
  void end(LifeEnd how);
  EngineHooks engine_hooks();
  PublisherEvents publisher_events();
  LeaseEvents lease_events();
  IntakeEvents intake_events();
  CleanerEvents cleaner_events();

  const IncarnationParts& parts_;
  IncarnationOptions options_;
  std::function<void(LifeEnd)> ended_;
  LeaseKeeper lease_;
  Publisher publisher_;
  LedgerCleaner cleaner_;
  Engine engine_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<Timer> grace_;
  PublishingTroubles publishing_{kRepeatsQuiet};
  bool draining_ = false;
  bool over_ = false;
};

}  // namespace ba::driver
