#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated tools, one of each effect class: look (pure), pay (keyed), ticket (reconcilable),
// mail (once); read, whose results are shared; store and fetch, by way of an artifact; stand-ins of
// the tools of a server (served_tools.hpp); the product's own for sub-agents and skills. Their
// server counts every effect; a keyed one has none the second time. The registry is made once,
// since compiling schemas takes longer than a history; it works on the stage of the history that
// runs.

#include <map>
#include <set>

#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/process.hpp"

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
  std::set<std::string> keys{};            ///< that a keyed tool has seen
  std::set<std::string> done{};            ///< keys of the calls that had their effect
  std::map<std::string, int> under_way{};  ///< requests by key that will still arrive
  std::map<int, ToolInvocation> served{};  ///< calls of served tools, by their run
  int tries = 0;
  int reads = 0;  ///< runs of read and store
};

/// Sub-agents run, and skills are read, in the process whose task runs.
class HostOfProcess final : public SubAgentHost, public SkillHost, public Executor {
 public:
  explicit HostOfProcess(ToolStage* const& stage) : stage_(stage) {}

  std::unique_ptr<ToolRun> start(SubAgentRequest request,
                                 std::function<void(SubAgentAnswer)> done) override;
  std::unique_ptr<ToolRun> start(SkillRequest request,
                                 std::function<void(SkillHost::Answer)> done) override;
  int halt_all_of(LedgerJobId job) override { return host().halt_all_of(job); }
  bool any_of(LedgerJobId job) const override { return host().any_of(job); }
  void post(std::function<void()> task) override;
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override;

 private:
  Process& process() const;
  SubAgentHost& host() const { return *process().sub_agents.host; }

  ToolStage* const& stage_;
};

class ToolBox {
 public:
  explicit ToolBox(Mutant mutant);

  void set_stage(ToolStage* stage) { stage_ = stage; }
  const ToolRegistry& registry() const { return registry_; }

 private:
  class SimulatedTool;
  ToolStage* stage_ = nullptr;
  HostOfProcess host_{stage_};
  const SubAgentDesk desk_{&host_};
  ToolRegistry registry_;
};

}  // namespace ba::sim
