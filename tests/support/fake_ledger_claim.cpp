// SPDX-License-Identifier: Apache-2.0
// Intake and claims of the in-memory ledger.
#include <algorithm>
#include <array>

#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

struct Candidate {
  LedgerJobId id;
  std::size_t lane = 0;
  TenantId tenant;
  int turn = 0;       ///< which of its tenant's running and claimable jobs it is
  int lane_turn = 0;  ///< which of its lane's it is
  bool guaranteed = false;
};

constexpr std::size_t kLanes = 3;
constexpr int kLastAttempts = 3;

int guaranteed_slots(int slots, int percent) {
  return percent <= 0 ? 0 : std::max(1, slots * percent / 100);
}

}  // namespace

Result<ClaimAnswer> FakeLedger::take_in(IncarnationId self, const IntakeBatch& batch,
                                        const ClaimRequest& claim) {
  if (auto living = fence(self); !living) return living.error();
  if (refuses_intake && refuses_intake(batch)) return invalid_argument("no such byte");
  for (const IntakeJob& job : batch.jobs) accept(job);
  for (const DeadLetter& letter : batch.dead_letters) accept(letter);
  for (const PartitionOffset& offset : batch.offsets) {
    const PartitionKey key{offset.topic, offset.topic_id, offset.partition};
    PartitionOffset& known = offsets_.try_emplace(key, offset).first->second;
    if (known.epoch == offset.epoch || flaws_.epochs_not_compared)
      known.next_offset = std::max(known.next_offset, offset.next_offset);
  }
  return claim_now(self, claim);
}

void FakeLedger::accept(const IntakeJob& intake) {
  const LedgerJobId id(last_job_ + 1);
  const TenantId owner = flaws_.job_key_without_tenant ? TenantId() : intake.job.tenant;
  const bool fresh = job_ids_.try_emplace({owner, intake.job.job_id}, id).second;
  if (!fresh && !flaws_.no_unique_job) return;
  const TenantId speaker = flaws_.conversation_key_without_tenant ? TenantId() : intake.job.tenant;
  const LedgerConversationId next(static_cast<std::int64_t>(conversation_ids_.size()) + 1);
  const auto conversation =
      conversation_ids_.try_emplace({speaker, intake.job.conversation_id}, next).first;
  last_job_ = id.value;
  FakeJob& job = jobs_[id];
  job.id = id;
  job.conversation = conversation->second;
  job.intake = intake;
  job.accepted_at = clock_.now();
}

void FakeLedger::accept(const DeadLetter& letter) {
  const bool repeated =
      std::any_of(dead_letters_.begin(), dead_letters_.end(),
                  [&](const auto& old) { return same_record(old.source, letter.source); });
  if (repeated) return;
  dead_letters_.push_back(letter);
  letters_came_at_[letter.record.result_id] = clock_.now();
  publish_later(letter.record);
}

ClaimAnswer FakeLedger::claim_now(IncarnationId self, const ClaimRequest& request) {
  std::vector<LedgerJobId> chosen = claim_overdue(self, request.conversation_wait_max);
  for (const LedgerJobId id : choose(self, request)) {
    start(jobs_.at(id), self);
    chosen.push_back(id);
  }
  for (auto& [id, job] : jobs_) {
    if (!request.count || !ends_anyway(job)) continue;
    start(job, self);
    chosen.push_back(id);
  }
  ClaimAnswer answer;
  for (const auto& [id, job] : jobs_) {
    if (request.count && job.state == FakeJobState::Ready) {
      if (answer.waiting < request.waiting_count_max) ++answer.waiting;
      if (answer.claimable < request.claimable_count_max && claimable(job)) ++answer.claimable;
    }
    if (job.state != FakeJobState::Running || job.incarnation != self || job.asked_by) continue;
    if (job.request != JobRequest::None) answer.requests.push_back({id, job.request});
    if (std::count(request.known.begin(), request.known.end(), id) > 0) continue;
    if (flaws_.claim_lists_new_only && std::count(chosen.begin(), chosen.end(), id) == 0) continue;
    answer.jobs.push_back({id, job.conversation, job.attempt,
                           job.after_crash && !flaws_.crash_not_told, job.intake.payload,
                           *job.first_claimed_at, job.idle, std::nullopt, job.overdue,
                           job.intake.job.created_at});
  }
  return answer;
}

bool FakeLedger::claimable(const FakeJob& job) const {
  if (job.state != FakeJobState::Ready) return false;
  if (flaws_.two_of_one_conversation) return true;
  return std::none_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    const FakeJob& other = entry.second;
    return other.conversation == job.conversation &&
           (other.state == FakeJobState::Running ||
            (other.state != FakeJobState::Finished && other.id < job.id));
  });
}

/// Cancelled, or found to have waited too long by who didn't come to end it.
bool FakeLedger::ends_anyway(const FakeJob& job) const {
  if (job.request != JobRequest::Cancel && !job.overdue) return false;
  return job.state != JobState::Running && job.state != JobState::Finished &&
         !any_runs(job.conversation);
}

bool FakeLedger::any_runs(LedgerConversationId conversation) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return entry.second.conversation == conversation && entry.second.state == JobState::Running;
  });
}

std::vector<LedgerJobId> FakeLedger::claim_overdue(IncarnationId self, std::chrono::seconds max) {
  std::vector<LedgerJobId> claimed;
  if (max.count() == 0) return claimed;
  for (auto& [id, job] : jobs_) {
    const FakeJob* const behind = overdue_behind(job, max);
    if (!behind) continue;
    job.overdue = OverdueWait{behind->intake.job.job_id, max};
    start(job, self);
    claimed.push_back(id);
  }
  return claimed;
}

/// The job for which this one has waited too long, if it has and may be claimed for that.
const FakeJob* FakeLedger::overdue_behind(const FakeJob& job, std::chrono::seconds max) const {
  if (job.state != JobState::Ready || job.first_claimed_at || job.request != JobRequest::None)
    return nullptr;
  if (clock_.now() - job.accepted_at - job.idle < max && !flaws_.waits_end_early) return nullptr;
  if (any_runs(job.conversation)) return nullptr;
  for (const auto& [id, other] : jobs_)
    if (other.conversation == job.conversation && other.state != JobState::Finished)
      return id < job.id || flaws_.first_one_overdue ? &other : nullptr;
  return nullptr;
}

void FakeLedger::start(FakeJob& job, IncarnationId self) {
  stand(job, {JobState::Running, job.request});
  job.incarnation = self;
  if (!flaws_.attempt_not_counted) ++job.attempt;
  if (job.first_claimed_at) return;
  job.first_claimed_at = clock_.wall();
  if (!job.overdue) job.idle = {};  // nothing that a deadline would have counted
}

std::vector<LedgerJobId> FakeLedger::choose(IncarnationId self, const ClaimRequest& request) const {
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
    candidates.push_back({id, lane, wanted.tenant});
  }
  std::erase_if(candidates, [&, quotas](const Candidate& candidate) mutable {
    const int attempt = std::min(jobs_.at(candidate.id).attempt + 1, kLastAttempts);
    return attempt > 1 && quotas.at(static_cast<std::size_t>(attempt))-- <= 0;
  });
  for (Candidate& candidate : candidates)
    candidate.turn = ++turns.at(candidate.lane)[candidate.tenant];
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::tie(a.lane, a.turn, a.id) < std::tie(b.lane, b.turn, b.id);
  });
  for (Candidate& candidate : candidates) {
    candidate.lane_turn = ++lane_running.at(candidate.lane);
    const int percent = request.lane_share_percent.at(candidate.lane);
    candidate.guaranteed = candidate.lane_turn <= guaranteed_slots(slots, percent);
  }
  std::stable_partition(candidates.begin(), candidates.end(),
                        [](const Candidate& candidate) { return candidate.guaranteed; });
  std::vector<LedgerJobId> chosen;
  for (const Candidate& candidate : candidates)
    if (static_cast<int>(chosen.size()) < request.jobs_max) chosen.push_back(candidate.id);
  return chosen;
}

}  // namespace ba
