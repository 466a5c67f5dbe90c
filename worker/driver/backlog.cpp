// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/backlog.hpp"

#include <algorithm>

namespace ba::driver {
namespace {

/// Between two counts of what waits: one goes through as many jobs as may wait. In between it is
/// reckoned from what is taken in and claimed.
constexpr Milliseconds kCountInterval{1000};

/// Between two looks for jobs that are to end.
constexpr Milliseconds kEndingInterval{100};

/// At most so long between two looks for jobs that wait too long, and a tenth of what is allowed:
/// where many wait, a look costs.
constexpr Milliseconds kOverdueInterval{10'000};

/// Whether a queue is gone through, and what stands in its rest isn't known.
bool digs(const LanePlaces& places) {
  return std::ranges::any_of(places,
                             [](const LanePlace& place) { return place.deep_after.value > 0; });
}

}  // namespace

void Backlog::ask(ClaimRequest& request, SteadyTime now) {
  const auto due = [now](std::optional<SteadyTime>& last, Milliseconds interval) {
    if (last && now < *last + interval) return false;
    last = now;
    return true;
  };
  counting_ = due(counted_at_, kCountInterval);
  asked_ = request.jobs_max;
  request.conversation_wait_max = overdue_after(now);
  request.ending = due(ending_sought_at_, kEndingInterval);
  request.count = counting_;
  request.waiting_count_max = limits_.waiting_max;
  request.claimable_count_max = limits_.jobs_max;
  request.places = places_;
}

/// The limit of waiting if it is time to look for jobs that are over it, else 0.
std::chrono::seconds Backlog::overdue_after(SteadyTime now) {
  const auto interval = std::min(kOverdueInterval, Milliseconds(wait_max_) / 10);
  if (overdue_sought_at_ && now < *overdue_sought_at_ + interval) return {};
  overdue_sought_at_ = now;
  return wait_max_;
}

void Backlog::answered(const ClaimAnswer& answer, std::int64_t fresh) {
  places_ = answer.places;
  if (!counting_) return reckon(fresh);
  waiting_ = answer.waiting;
  claimable_ = answer.claimable;
  if (found_all(fresh)) out_of_reach_ = claimable_;
  if (asked_ > 0 && fresh >= asked_) out_of_reach_ = 0;
}

/// Whether a claim that found so many found all that could run.
bool Backlog::found_all(std::int64_t fresh) const { return fresh < asked_ && !digs(places_); }

/// Other workers take in and claim as well, and a job's end makes the next of its conversation
/// claimable. What a claim finds tells of that: less than was asked for, and there is no more that
/// could run; all of it, and there may be more.
void Backlog::reckon(std::int64_t fresh) {
  waiting_ = std::max<std::int64_t>(0, waiting_ - fresh);
  claimable_ = std::max<std::int64_t>(0, claimable_ - fresh);
  if (asked_ == 0) return;
  if (found_all(fresh)) claimable_ = std::min(claimable_, out_of_reach_);
  if (fresh >= asked_) waiting_ = std::max<std::int64_t>(1, waiting_);
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
