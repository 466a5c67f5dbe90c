// SPDX-License-Identifier: Apache-2.0
#include "pipeline/intake/intake_window.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"

namespace ba {

IntakeWindow::IntakeWindow(IntakeWindowLimits limits) : limits_(limits) {
  BA_ASSERT(limits_.jobs_max > 0);
  BA_ASSERT(limits_.resume_percent > 0 && limits_.resume_percent <= 100);
}

int IntakeWindow::bound(Lane lane) const {
  const auto percent = std::int64_t{limits_.lane_percent.at(static_cast<std::size_t>(lane))};
  return std::max(1, static_cast<int>(limits_.jobs_max * percent / 100));
}

bool IntakeWindow::update(int jobs) {
  bool changed = false;
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch}) {
    bool& paused = paused_.at(static_cast<std::size_t>(lane));
    const auto resume_at = std::int64_t{bound(lane)} * limits_.resume_percent / 100;
    const bool now = paused ? jobs > resume_at : jobs >= bound(lane);
    // A bound so small that the two levels meet must not keep the lane shut on an idle worker.
    const bool next = now && jobs > 0;
    changed = changed || next != paused;
    paused = next;
  }
  return changed;
}

}  // namespace ba
