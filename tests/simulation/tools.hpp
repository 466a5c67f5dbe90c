#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated tools, one of each effect class: look (pure), pay (keyed), ticket (reconcilable),
// mail (once). Their server counts every effect; a keyed one has none the second time. The registry
// is made once, since compiling schemas takes longer than a history; it works on the stage of the
// history that runs.

#include <map>
#include <set>

#include "pipeline/tool/registry.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/network.hpp"

namespace ba::sim {

class Checker;

/// What the tools of a history work with; the process is the one whose task runs.
struct ToolStage {
  World& world;
  const Scenario& scenario;
  Checker& checker;
  const LinkFaults& link;
  Mutant mutant = Mutant::None;
  bool calm = false;
  std::set<std::string> keys;            ///< that a keyed tool has seen
  std::set<std::string> done;            ///< keys of the calls that had their effect
  std::map<std::string, int> under_way;  ///< requests by key that will still arrive
  int tries = 0;
};

class ToolBox {
 public:
  explicit ToolBox(Mutant mutant);

  void set_stage(ToolStage* stage) { stage_ = stage; }
  const ToolRegistry& registry() const { return registry_; }

 private:
  class SimulatedTool;
  ToolStage* stage_ = nullptr;
  ToolRegistry registry_;
};

}  // namespace ba::sim
