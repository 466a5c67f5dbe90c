#pragma once
// SPDX-License-Identifier: Apache-2.0
// One simulated operating-system process: the control thread and the clocks of a worker. It can be
// killed (between two tasks, or in the middle of one at the moment when something leaves the
// process), paused and resumed; its clocks drift and its wall clock jumps. Owned by the history,
// which keeps dead ones until its end.

#include <string_view>

#include "pipeline/base/ids.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "tests/simulation/world.hpp"

namespace ba::sim {

class ServedTools;

struct ProcessTraits {
  int number = 0;          ///< of the process, over the whole history
  int worker = 0;          ///< which worker it is a start of
  int drift_permille = 0;  ///< how much faster its clocks go
  int dies_at_action = 0;  ///< killed when it wants to send this request; 0: not so
  Milliseconds wall_ahead{0};
};

class Process final : public Executor, public Clock {
 public:
  Process(World& world, ProcessTraits traits, std::function<void()> died);

  void post(std::function<void()> task) override;
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override;
  SteadyTime now() const override;
  WallTime wall() const override;

  /// Something is about to leave the process. False: it is dead and nothing leaves.
  bool acts(std::string_view what);

  void kill(bool mid_task = false);
  void pause();
  void resume();
  void jump(Milliseconds wall) { traits_.wall_ahead += wall; }

  bool dead() const { return dead_; }
  bool paused() const { return paused_; }
  int pauses() const { return pauses_; }
  int number() const { return traits_.number; }
  int worker() const { return traits_.worker; }

  SubAgentDesk sub_agents;              ///< of its engine
  SkillDesk skills{*this};              ///< of the jobs that run there
  ServedTools* served_tools = nullptr;  ///< null: it has no server of tools
  IncarnationId incarnation;            ///< as the process has been told last
  bool draining = false;                ///< it knows that it is to stop

  // For the world.
  bool keep_for_later(World::Ticket ticket);
  void end_of_task();

 private:
  World& world_;
  ProcessTraits traits_;
  std::function<void()> died_;  ///< takes everything in the process away
  SteadyTime started_;
  std::vector<World::Ticket> waiting_;
  int actions_ = 0;
  int pauses_ = 0;
  bool dead_ = false;
  bool paused_ = false;
  bool gone_ = false;
};

}  // namespace ba::sim
