// SPDX-License-Identifier: Apache-2.0
// A model that wants sub-agents that may more than it, and what others have: none of that comes.
#include <iostream>
#include <random>

#include "tests/hostile/hostile_jobs.hpp"

namespace ba {
namespace {

TEST_F(HostileJobs, GetNeitherSubAgentsNorToolsNorSkillsThatTheyMayNotHave) {
  const char* given = std::getenv("BA_HOSTILE_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("BA_HOSTILE_SEED=" + std::to_string(seed));
  run_jobs(kJobs, seed);
  EXPECT_EQ(forbidden_sub_agents(), "");
  EXPECT_EQ(forbidden_runs(), "");
  EXPECT_EQ(leaks, "");
  EXPECT_GT(sub_agents().size(), 60u);
  EXPECT_GT(runs.size(), 60u);
  EXPECT_GT(calls_nested, 60);
  std::cout << kJobs << " jobs, seed " << seed << ": " << calls_made << " calls, " << calls_nested
            << " of them for nested sub-agents; " << sub_agents().size() << " sub-agents, "
            << runs.size() << " runs of tools\n";
}

}  // namespace
}  // namespace ba
