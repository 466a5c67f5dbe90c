// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "tests/simulation/campaign.hpp"

namespace ba::sim {
namespace {

/// Tries smaller worlds, keeps each in which the seed still fails.
class Shrinker {
 public:
  explicit Shrinker(HistoryOptions failing) : best_(std::move(failing)) { best_.print = false; }

  Reduction run() {
    while (drop_faults() || lower(&Reduction::jobs_max, 5) || lower(&Reduction::workers_max, 3) ||
           lower(&Reduction::disturbances_max, 12)) {
    }
    return best_.reduction;
  }

 private:
  bool keep_if_failing(const HistoryOptions& smaller) {
    if (violation_of(smaller).empty()) return false;
    best_ = smaller;
    return true;
  }

  bool drop_faults() {
    bool any = false;
    Dice dice(best_.seed);
    const Scenario scenario = draw_scenario(dice, best_.reduction);
    for (std::size_t i = 0; i < kFaults; ++i) {
      if (scenario.faults[i] == 0) continue;
      HistoryOptions smaller = best_;
      smaller.reduction.without.push_back(static_cast<Fault>(i));
      any = keep_if_failing(smaller) || any;
    }
    return any;
  }

  bool lower(int Reduction::*bound, int from) {
    const int now = best_.reduction.*bound;
    const int unset = Reduction{}.*bound;
    const int least = unset + 1;
    for (int next = (now == unset ? from : now) - 1; next >= least; --next) {
      HistoryOptions smaller = best_;
      smaller.reduction.*bound = next;
      if (keep_if_failing(smaller)) return true;
    }
    return false;
  }

  HistoryOptions best_;
};

}  // namespace

Reduction shrink(const HistoryOptions& failing) { return Shrinker(failing).run(); }

std::string replay_command(const HistoryOptions& options) {
  std::string command = "ops/simulate --seed " + std::to_string(options.seed) + " --trace";
  const Reduction& reduction = options.reduction;
  if (options.mutant != Mutant::None)
    command += " --mutant " + std::string(to_string(options.mutant));
  std::string without;
  for (const Fault fault : reduction.without)
    without += (without.empty() ? "" : ",") + std::string(to_string(fault));
  if (!without.empty()) command += " --without " + without;
  if (reduction.jobs_max > 0) command += " --jobs-max " + std::to_string(reduction.jobs_max);
  if (reduction.workers_max > 0)
    command += " --workers-max " + std::to_string(reduction.workers_max);
  if (reduction.disturbances_max >= 0)
    command += " --disturbances-max " + std::to_string(reduction.disturbances_max);
  return command;
}

}  // namespace ba::sim
