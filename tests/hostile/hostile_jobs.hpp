#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whole jobs of two tenants, run by the real engine over the ledger in memory and under virtual
// time, all of whose agents and sub-agents are one hostile model. What it must not do is looked for
// afterwards, in the ledger and in what the tools have noted.

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "tests/hostile/hostile_agents.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba {

class HostileJobs : public driver::EngineTest {
 protected:
  static constexpr int kJobs = 500;

  HostileJobs();

  /// Runs so many jobs, of every tenant and agent that a person may ask for.
  void run_jobs(int count, std::uint64_t seed);

  /// One line each; empty: nothing was done that must not be.
  std::string forbidden_sub_agents() const;
  std::string forbidden_runs() const;

  int calls_made = 0;    ///< by the model
  int calls_nested = 0;  ///< of those, calls of `task` by sub-agents
  std::string leaks;     ///< what a model read or was offered and must not have been

  std::vector<const FakeJob*> sub_agents() const;
  std::vector<NotedRun> runs;

 private:
  void add_tools();
  void add_skills();
  DecodeRecord hostile_decoder();
  std::optional<AiMessage> reply(const ModelRequest& request);
  void look_for_leaks(const ModelRequest& request);
  ToolCall next_call(const ModelRequest& request);
  std::string task_args(const ModelRequest& request);
  void overhear(const std::string& observation);
  int finished_jobs() const;
  bool within(const FakeJob& job, const NotedRun& run) const;

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(dice_);
  }

  std::mt19937_64 dice_;
  SubAgentDesk sub_agent_desk_;
  SkillDesk skill_desk_{executor_};
  std::set<std::string> overheard_;  ///< ids of everybody's sub-agents
  int last_call_ = 0;
};

}  // namespace ba
