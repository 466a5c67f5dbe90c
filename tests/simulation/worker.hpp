#pragma once
// SPDX-License-Identifier: Apache-2.0
// One worker of the simulated fleet: a process with the product's own incarnations, one after
// another, over simulated servers. Killed, everything in it is gone; started again, it is another
// process.

#include <memory>

#include "pipeline/text/contract/publication.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/group.hpp"
#include "tests/simulation/kept_artifacts.hpp"
#include "tests/simulation/ledger_client.hpp"
#include "tests/simulation/model.hpp"
#include "tests/simulation/served_tools.hpp"
#include "tests/simulation/shared_results.hpp"
#include "tests/simulation/tools.hpp"
#include "tests/simulation/transport.hpp"
#include "worker/driver/agent_directory.hpp"
#include "worker/driver/incarnation.hpp"

namespace ba::sim {

/// What all workers of a history share. References outlive them.
struct Fleet {
  World& world;
  const Scenario& scenario;
  Mutant mutant;
  Checker& checker;
  Database& database;
  Group& group;
  Model& model;
  TransportStage& transports;
  const ToolRegistry& tools;
  const driver::AgentDirectory& agents;
  const Publication& publication;
  const JobTopics& topics;
  const LinkFaults& to_ledger;
  const LinkFaults& to_kafka;
  const LinkFaults& to_model;
  SharedResults& results;
  KeptArtifacts& artifacts;
  ToolServer& tool_server;
  const ToolStage& tool_stage;
};

class Worker {
 public:
  Worker(Fleet& fleet, int number);
  ~Worker();

  void start(ProcessTraits traits);
  void kill();
  void pause();
  void resume();
  void drain();
  void jump_wall(Milliseconds by);
  void mark_cache();

  bool running() const { return process_ && !process_->dead(); }
  bool paused() const { return running() && process_->paused(); }
  /// It takes itself for an incarnation that the ledger says has no lease.
  bool unaware(const FakeLedger& rows) const;
  int number() const { return number_; }

 private:
  struct Parts;

  void begin_life();
  void life_ended(driver::LifeEnd end);
  void exit();
  void died();

  Fleet& fleet_;
  int number_;
  Process* process_ = nullptr;
  std::vector<std::unique_ptr<Process>> processes_;  ///< the dead ones, too
  std::unique_ptr<Parts> parts_;
  bool draining_ = false;
};

}  // namespace ba::sim
