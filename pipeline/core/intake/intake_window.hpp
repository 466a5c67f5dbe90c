#pragma once
// SPDX-License-Identifier: Apache-2.0
// Bounded admission (docs/decisions/0005-admission-and-lanes.md): which lanes may take in more
// jobs, given how many this worker holds. A lower lane stops earlier, so that a full worker has
// room for a higher.
// Hysteresis: a lane that stopped goes on only when the load has fallen clearly below its bound,
// because pausing throws away what was fetched. Pure; control thread only.

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/intake_records.hpp"

namespace ba {

struct IntakeWindowLimits {
  int jobs_max = 512;  ///< running jobs of this worker, and those that could run at once
  /// Jobs that wait in the ledger, also behind others of their conversation: bounds the ledger.
  int waiting_max = 10'000;
  std::array<int, 3> lane_percent{100, 90, 75};  ///< of both, by lane; high, normal, batch
  int resume_percent = 80;                       ///< of the lane's bounds
};

/// Records handed over whose jobs the ledger doesn't have yet count as both.
struct IntakeLoad {
  std::int64_t jobs = 0;     ///< running here or claimable
  std::int64_t waiting = 0;  ///< waiting in the ledger
};

class IntakeWindow {
 public:
  explicit IntakeWindow(IntakeWindowLimits limits);

  /// True when a lane changed between open and paused.
  bool update(const IntakeLoad& load);

  bool paused(Lane lane) const {
    return jobs_full_.at(index(lane)) || ledger_full_.at(index(lane));
  }

  /// The jobs, and the waiting ones, at which a lane stops.
  std::int64_t jobs_bound(Lane lane) const { return bound(lane, limits_.jobs_max); }
  std::int64_t waiting_bound(Lane lane) const { return bound(lane, limits_.waiting_max); }

 private:
  std::int64_t bound(Lane lane, int max) const;
  bool full(bool was_full, std::int64_t value, std::int64_t bound) const;
  static std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }

  IntakeWindowLimits limits_;
  std::array<bool, 3> jobs_full_{};    ///< by lane
  std::array<bool, 3> ledger_full_{};  ///< likewise
};

/// Where records come from, as far as the engine steers it. Control thread; none of the calls
/// waits.
class IntakeSource {
 public:
  virtual ~IntakeSource() = default;

  /// The ledger has `records` more records and everything below these offsets.
  virtual void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) = 0;

  /// From now on exactly these lanes deliver nothing; what was handed over already still comes.
  virtual void set_paused(std::set<Lane> lanes) = 0;
};

}  // namespace ba
