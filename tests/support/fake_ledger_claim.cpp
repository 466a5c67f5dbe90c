// SPDX-License-Identifier: Apache-2.0
// Intake and claims of the in-memory ledger.
#include <algorithm>

#include "tests/support/fake_ledger.hpp"

namespace ba {

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
  ClaimAnswer answer;
  std::vector<LedgerJobId> chosen = claim_overdue(self, request.conversation_wait_max);
  const Choice next = choose(self, request);
  answer.places = next.places;
  std::set<LedgerJobId> fresh_ones;
  for (const LedgerJobId id : next.jobs) {
    start(jobs_.at(id), self);
    chosen.push_back(id);
    if (fresh(jobs_.at(id))) fresh_ones.insert(id);
  }
  for (auto& [id, job] : jobs_) {
    if (!request.ending || !ends_anyway(job)) continue;
    start(job, self);
    chosen.push_back(id);
  }
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
                           job.intake.job.created_at, fresh_ones.contains(id)});
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

/// Nothing is stored of it or of its conversation.
bool FakeLedger::fresh(const FakeJob& job) const {
  if (flaws_.all_jobs_fresh) return true;
  if (job.claims != 1 || job.copied_rounds > 0 || job.copied_step >= 0) return false;
  const auto none = [&](const auto& of_conversations) {
    const auto found = of_conversations.find(job.conversation);
    return found == of_conversations.end() || found->second == 0;
  };
  return none(conversation_rounds_) && none(inherited_saved_tokens_) &&
         inherited_by(job.conversation).empty() &&
         std::none_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
           const FakeJob& other = entry.second;
           return other.conversation == job.conversation &&
                  !(other.rounds.empty() && other.refused_contexts.empty());
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
  ++job.claims;
  if (!flaws_.attempt_not_counted) ++job.attempt;
  if (job.first_claimed_at) return;
  job.first_claimed_at = clock_.wall();
  if (!job.overdue) job.idle = {};  // nothing that a deadline would have counted
}

}  // namespace ba
