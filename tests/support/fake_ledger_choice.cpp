// SPDX-License-Identifier: Apache-2.0
// Which jobs a claim of the in-memory ledger takes, and where the next one goes on.
#include <algorithm>
#include <array>

#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

/// Where a tenant stands in the ring that begins after another one.
using RingPlace = std::pair<bool, TenantId>;

RingPlace ring_place(const TenantId& tenant, const TenantId& after) {
  return {tenant <= after, tenant};
}

struct Candidate {
  LedgerJobId id;
  std::size_t lane = 0;
  RingPlace place;
  int turn = 0;       ///< which of its tenant's running and claimable jobs it is
  int lane_turn = 0;  ///< which of its lane's it is
  bool guaranteed = false;

  const TenantId& tenant() const { return place.second; }
};

constexpr std::size_t kLanes = 3;
constexpr int kLastAttempts = 3;

int guaranteed_slots(int slots, int percent) {
  return percent <= 0 ? 0 : std::max(1, slots * percent / 100);
}

/// The first `taken` candidates were chosen. The ring goes on at the first tenant that has nothing
/// running and got nothing; else behind the last that got something.
void move_on(std::size_t lane, const std::vector<Candidate>& candidates, std::size_t taken,
             LanePlace& place) {
  std::optional<RingPlace> skipped;
  std::optional<RingPlace> served;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    if (one.lane != lane) continue;
    if (i < taken && (!served || *served < one.place)) served = one.place;
    if (i >= taken && one.turn == 1 && (!skipped || one.place < *skipped)) skipped = one.place;
  }
  if (!skipped) {
    if (served) place.after = served->second;
    return;
  }
  std::optional<RingPlace> before;  // of those that had something to be claimed
  for (const Candidate& one : candidates)
    if (one.lane == lane && one.place < *skipped && (!before || *before < one.place))
      before = one.place;
  if (before) place.after = before->second;
}

}  // namespace

/// It looks at all tenants, which a real ledger doesn't: so no queue is gone through piece by
/// piece.
FakeLedger::Choice FakeLedger::choose(IncarnationId self, const ClaimRequest& request) const {
  Choice choice{{}, request.places};
  if (request.jobs_max <= 0) return choice;
  std::map<TenantId, int> tenant_running;
  std::array<int, kLanes> lane_running{};
  std::array<int, 4> quotas{0, 0, request.retried_max, 1};  // by attempt; the last: third or later
  int slots = request.jobs_max;
  for (const auto& [id, job] : jobs_) {
    if (job.state != FakeJobState::Running || job.incarnation != self || job.asked_by) continue;
    ++tenant_running[job.intake.job.tenant];
    ++lane_running.at(static_cast<std::size_t>(job.intake.job.lane));
    --quotas.at(static_cast<std::size_t>(std::clamp(job.attempt, 0, kLastAttempts)));
    ++slots;
  }
  std::vector<Candidate> candidates;
  std::array<std::map<TenantId, int>, kLanes> turns{tenant_running, tenant_running, tenant_running};
  for (const auto& [id, job] : jobs_) {
    if (!claimable(job)) continue;
    const Job& wanted = job.intake.job;
    const auto lane = static_cast<std::size_t>(wanted.lane);
    candidates.push_back({id, lane, ring_place(wanted.tenant, request.places.at(lane).after)});
  }
  std::erase_if(candidates, [&, quotas](const Candidate& candidate) mutable {
    const int attempt = std::min(jobs_.at(candidate.id).attempt + 1, kLastAttempts);
    return attempt > 1 && quotas.at(static_cast<std::size_t>(attempt))-- <= 0;
  });
  for (Candidate& candidate : candidates)
    candidate.turn = ++turns.at(candidate.lane)[candidate.tenant()];
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::tie(a.lane, a.turn, a.place, a.id) < std::tie(b.lane, b.turn, b.place, b.id);
  });
  for (Candidate& candidate : candidates) {
    candidate.lane_turn = ++lane_running.at(candidate.lane);
    const int percent = request.lane_share_percent.at(candidate.lane);
    candidate.guaranteed = candidate.lane_turn <= guaranteed_slots(slots, percent);
  }
  std::stable_partition(candidates.begin(), candidates.end(),
                        [](const Candidate& candidate) { return candidate.guaranteed; });
  const auto taken = std::min(candidates.size(), static_cast<std::size_t>(request.jobs_max));
  for (std::size_t i = 0; i < taken; ++i) choice.jobs.push_back(candidates[i].id);
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    move_on(lane, candidates, taken, choice.places.at(lane));
  return choice;
}

}  // namespace ba
