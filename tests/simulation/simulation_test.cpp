// SPDX-License-Identifier: Apache-2.0
// The simulation itself: that it is the same each time, that it notices, and the seeds that once
// found something.
#include <gtest/gtest.h>

#include "tests/simulation/campaign.hpp"

namespace ba::sim {
namespace {

Verdict run(std::uint64_t seed, Mutant mutant = Mutant::None) {
  ToolBox tools(mutant);
  HistoryOptions options;
  options.seed = seed;
  options.mutant = mutant;
  return run_history(options, tools);
}

TEST(Simulation, TheSameSeedLeavesTheSameTrace) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Verdict one = run(seed);
    EXPECT_EQ(one.trace_hash, run(seed).trace_hash) << "seed " << seed;
    EXPECT_GT(one.tasks, 20) << "seed " << seed;
  }
}

TEST(Simulation, AnotherSeedLeavesAnotherTrace) { EXPECT_NE(run(1).trace_hash, run(2).trace_hash); }

TEST(Simulation, EveryInvariantHolds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    ASSERT_EQ(run(seed).violation, "") << "ops/simulate --seed " << seed << " --trace";
}

TEST(Simulation, NoticesAFenceThatIsMissing) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed)
    if (!run(seed, Mutant::NoFence).violation.empty()) return;
  FAIL() << "no history noticed";
}

TEST(Simulation, AFailingSeedIsMadeSmallerAndStillFails) {
  HistoryOptions failing;
  failing.mutant = Mutant::OutboxRowsLater;
  while (violation_of(failing).empty()) ++failing.seed;
  failing.reduction = shrink(failing);
  EXPECT_NE(violation_of(failing), "");
  EXPECT_EQ(failing.reduction.jobs_max, 1) << replay_command(failing);
}

TEST(Simulation, EveryNameStandsForOneThing) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kMarks; ++i) names.insert(to_string(static_cast<Mark>(i)));
  EXPECT_EQ(names.size(), kMarks);
  names.clear();
  for (const Mutant mutant : all_mutants()) names.insert(to_string(mutant));
  EXPECT_GE(names.size(), 25u);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace ba::sim
