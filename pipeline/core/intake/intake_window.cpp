// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/intake/intake_window.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"

namespace ba {

IntakeWindow::IntakeWindow(IntakeWindowLimits limits) : limits_(limits) {
  BA_ASSERT(limits_.jobs_max > 0 && limits_.waiting_max > 0);
  BA_ASSERT(limits_.resume_percent > 0 && limits_.resume_percent <= 100);
}

std::int64_t IntakeWindow::bound(Lane lane, int max) const {
  const auto percent = std::int64_t{limits_.lane_percent.at(index(lane))};
  return std::max<std::int64_t>(1, max * percent / 100);
}

bool IntakeWindow::full(bool was_full, std::int64_t value, std::int64_t bound) const {
  // A bound so small that the two levels meet must not keep the lane shut on an idle worker.
  if (value <= 0) return false;
  return was_full ? value > bound * limits_.resume_percent / 100 : value >= bound;
}

bool IntakeWindow::update(const IntakeLoad& load) {
  bool changed = false;
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch}) {
    const bool before = paused(lane);
    bool& jobs_full = jobs_full_.at(index(lane));
    bool& ledger_full = ledger_full_.at(index(lane));
    jobs_full = full(jobs_full, load.jobs, jobs_bound(lane));
    ledger_full = full(ledger_full, load.waiting, waiting_bound(lane));
    changed = changed || before != paused(lane);
  }
  return changed;
}

}  // namespace ba
