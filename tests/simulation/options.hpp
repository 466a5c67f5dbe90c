#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line of the simulation. A value.

#include <optional>

#include "tests/simulation/campaign.hpp"
#include "tests/simulation/kept_seeds.hpp"

namespace ba::sim {

struct Options {
  CampaignOptions campaign;
  bool gentle_is_failure = true;           ///< a mark that was never reached fails the run
  bool mutants = false;                    ///< then each protection left out, too
  std::int64_t mutant_histories = 30'000;  ///< within which each must be caught
  std::optional<HistoryOptions> one;       ///< a single history instead
  KeptSeeds kept_seeds;                    ///< of protections; tried before any others
  bool twice = false;                      ///< that history two times: is its trace the same?
};

const char* usage();

/// None, with a message on the console, when it makes no sense.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace ba::sim
