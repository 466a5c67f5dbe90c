// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/backlog.hpp"

#include <algorithm>

namespace ba::driver {
namespace {

/// Between two counts of what waits; in between it is reckoned from what is taken in and claimed.
constexpr Milliseconds kCountInterval{100};

/// At most so long between two looks for jobs that wait too long, and a tenth of what is allowed:
/// where many wait, a look costs.
constexpr Milliseconds kOverdueInterval{10'000};

}  // namespace

void Backlog::ask(ClaimRequest& request, SteadyTime now) {
  counting_ = !counted_at_ || now >= *counted_at_ + kCountInterval;
  if (counting_) counted_at_ = now;
  request.conversation_wait_max = overdue_after(now);
  request.count = counting_;
  request.waiting_count_max = limits_.waiting_max;
  request.claimable_count_max = limits_.jobs_max;
}

/// The limit of waiting if it is time to look for jobs that are over it, else 0.
std::chrono::seconds Backlog::overdue_after(SteadyTime now) {
  const auto interval = std::min(kOverdueInterval, Milliseconds(wait_max_) / 10);
  if (overdue_sought_at_ && now < *overdue_sought_at_ + interval) return {};
  overdue_sought_at_ = now;
  return wait_max_;
}

void Backlog::answered(const ClaimAnswer& answer, std::int64_t fresh) {
  waiting_ = counting_ ? answer.waiting : std::max<std::int64_t>(0, waiting_ - fresh);
  claimable_ = counting_ ? answer.claimable : std::max<std::int64_t>(0, claimable_ - fresh);
}

void Backlog::taken_in(const IntakeSummary& summary) {
  for (const int jobs : summary.jobs) {
    waiting_ += jobs;
    claimable_ += jobs;
  }
}

std::optional<std::set<Lane>> Backlog::newly_paused(int running, std::int64_t unwritten) {
  if (!window_.update({running + claimable_ + unwritten, waiting_ + unwritten})) return {};
  std::set<Lane> paused;
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch})
    if (window_.paused(lane)) paused.insert(lane);
  return paused;
}

}  // namespace ba::driver
