// SPDX-License-Identifier: Apache-2.0
// A model that wants sub-agents that may more than it, and what others have: none of that comes.
#include <iostream>

#include "tests/hostile/hostile_jobs.hpp"
#include "tests/support/test_seed.hpp"
#include "worker/driver/sub_agent_terms.hpp"

namespace ba {

using namespace std::chrono_literals;
namespace {

TEST_F(HostileJobs, GetNeitherSubAgentsNorToolsNorSkillsThatTheyMayNotHave) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("BA_TEST_SEED=" + std::to_string(seed));
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

/// Behind the tools, of which a sub-agent's have no `task`.
TEST_F(HostileJobs, ASubAgentThatHasTheToolAllTheSameGetsNoSubAgent) {
  ConversationState asking;
  asking.job.agent = "explorer";
  SubAgentRequest request;
  request.type = "writer";
  request.key = "0123456789abcdef";
  const driver::SubAgentTerms terms{asking, 1h, agents_, {}};
  EXPECT_TRUE(std::holds_alternative<SubAgentOrder>(driver::sub_agent_order(request, terms)));
  asking.claim.asked_by = AskingCall{LedgerJobId(1), {}};
  EXPECT_TRUE(std::holds_alternative<ToolError>(driver::sub_agent_order(request, terms)));
}

}  // namespace
}  // namespace ba
