#pragma once
// SPDX-License-Identifier: Apache-2.0
// Starts the workers and disturbs them and the servers: kills, pauses, drains, crashes, set-backs,
// rebalances, jumping clocks. Which and when follows from the seed. heal() ends all of it.

#include "tests/simulation/producers.hpp"
#include "tests/simulation/worker.hpp"

namespace ba::sim {

/// The servers it plays with.
struct Victims {
  Database& database;
  Group& group;
  Producers& producers;
  Transactions& transactions;
  Checker& checker;
  ToolServer& tool_server;
  bool& kafka_down;
  bool& coordinator_moving;
};

class Nemesis {
 public:
  Nemesis(Fleet& fleet, Victims victims);

  void begin();
  void heal();

  /// Whether some worker's incarnation is dead and the worker doesn't know.
  bool zombies() const;

 private:
  void strike();
  void strike(Fault fault);
  void set_back();
  void fail_over();
  void crash_kafka();
  void delete_receipts();
  void close_topic();
  void move_coordinator();
  void pause(Worker& worker);
  void restart_later(Worker& worker);
  void start(Worker& worker);
  void watch(Worker& worker);
  Worker& any_worker();

  Fleet& fleet_;
  Victims victims_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Fault> means_;
  int processes_ = 0;
  bool healed_ = false;
};

}  // namespace ba::sim
