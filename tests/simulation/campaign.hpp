#pragma once
// SPDX-License-Identifier: Apache-2.0
// Many histories in several child processes, so that a failed assertion of the product costs one
// child and names its seed.

#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/history.hpp"

namespace ba::sim {

struct CampaignOptions {
  std::uint64_t first_seed = 1;
  std::int64_t histories = 1000;
  int processes = 2;
  int failures_max = 5;  ///< of a process: it stops there
  Mutant mutant = Mutant::None;
};

struct Failure {
  std::uint64_t seed = 0;
  std::string violation;
  bool crashed = false;  ///< an assertion or worse, no invariant
};

struct CampaignResult {
  std::int64_t histories = 0;
  std::int64_t tasks = 0;
  MarkCounts marks{};
  std::vector<Failure> failures;
};

CampaignResult run_campaign(const CampaignOptions& options);

inline constexpr std::string_view kCrashed = "the worker's code crashed";

/// The violation of one history, run in a child; kCrashed when that dies.
std::string violation_of(const HistoryOptions& options);

/// A smaller world in which the seed still fails: fewer faults, jobs, workers, disturbances.
Reduction shrink(const HistoryOptions& failing);

/// The command that replays it with its trace.
std::string replay_command(const HistoryOptions& options);

}  // namespace ba::sim
