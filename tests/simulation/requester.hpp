#pragma once
// SPDX-License-Identifier: Apache-2.0
// The people who cancel, pause and resume jobs at any moment, whatever becomes of it. After the
// faults they only resume what is paused, so that everything can come to its end.

#include "tests/simulation/database.hpp"

namespace ba::sim {

class Requester {
 public:
  Requester(World& world, const Scenario& scenario, Database& database)
      : world_(world), scenario_(scenario), database_(database) {}

  void begin();
  void heal() { healed_ = true; }

 private:
  void look();
  void ask_for_something();
  void resume_what_is_paused();
  void ask(const FakeJob& job, JobAction action);

  World& world_;
  const Scenario& scenario_;
  Database& database_;
  bool healed_ = false;
};

}  // namespace ba::sim
