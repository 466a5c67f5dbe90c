#pragma once
// SPDX-License-Identifier: Apache-2.0
// One history: a world drawn from a seed, disturbed for a while, healed, and judged.

#include <string>

#include "tests/simulation/faults.hpp"
#include "tests/simulation/marks.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/tools.hpp"

namespace ba::sim {

struct HistoryOptions {
  std::uint64_t seed = 1;
  Mutant mutant = Mutant::None;
  Reduction reduction;
  bool print = false;  ///< the trace, to the console
};

struct Verdict {
  std::string violation;  ///< empty: none
  std::uint64_t trace_hash = 0;
  MarkCounts marks{};
  std::int64_t tasks = 0;
  Scenario scenario;
};

/// `tools` must have been made for the same mutant.
Verdict run_history(const HistoryOptions& options, ToolBox& tools);

}  // namespace ba::sim
