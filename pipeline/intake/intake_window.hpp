#pragma once
// SPDX-License-Identifier: Apache-2.0
// Bounded admission (design "Intake"): which lanes may take in more jobs, given how many jobs this
// worker holds. A lower lane stops earlier, so that a full worker still has room for a higher one.
// Hysteresis: a lane that stopped goes on only when the load has fallen clearly below its bound,
// because pausing throws away what was fetched. Pure; control thread only.

#include <array>

#include "pipeline/job/job.hpp"

namespace ba {

struct IntakeWindowLimits {
  int jobs_max = 512;                            ///< waiting and running jobs of this worker
  std::array<int, 3> lane_percent{100, 90, 75};  ///< of jobs_max, by lane; high, normal, batch
  int resume_percent = 80;                       ///< of the lane's bound
};

class IntakeWindow {
 public:
  explicit IntakeWindow(IntakeWindowLimits limits);

  /// Takes the current load: jobs waiting and running here, and records handed over whose jobs the
  /// ledger doesn't have yet. True when a lane changed between open and paused.
  bool update(int jobs);

  bool paused(Lane lane) const { return paused_.at(static_cast<std::size_t>(lane)); }

  /// The load at which a lane stops.
  int bound(Lane lane) const;

 private:
  IntakeWindowLimits limits_;
  std::array<bool, 3> paused_{};
};

}  // namespace ba
