// SPDX-License-Identifier: Apache-2.0
// Retention of the in-memory ledger.
#include <algorithm>

#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

RetentionRules::Age age_for(const RetentionRules& rules, const TenantId& tenant) {
  const auto own = rules.tenants.find(tenant);
  return own == rules.tenants.end() ? rules.jobs : own->second;
}

}  // namespace

const FakeJob* FakeLedger::find_removed(const TenantId& tenant, const JobId& job) const {
  const auto found =
      std::find_if(removed_jobs_.begin(), removed_jobs_.end(), [&](const auto& entry) {
        const Job& removed = entry.second.intake.job;
        return removed.tenant == tenant && removed.job_id == job;
      });
  return found == removed_jobs_.end() ? nullptr : &found->second;
}

void FakeLedger::age(Milliseconds by) {
  for (auto& [id, job] : jobs_) {
    job.finished_at -= by;
    job.accepted_at -= by;
    if (job.idle_since) *job.idle_since -= by;
    for (auto& [at, summary] : job.summaries) {
      summary.began_at -= by;
      summary.ended_at -= by;
    }
  }
  for (FakeOutboxRow& row : outbox_) row.published_at -= by;
  for (FakeShard& shard : shards_) shard.published_at -= by;
  for (auto& [letter, came_at] : letters_came_at_) came_at -= by;
}

RemovedRows FakeLedger::remove_now(const RetentionRules& rules) {
  const std::vector<LedgerJobId> old = old_jobs(rules);
  RemovedRows removed;
  removed.jobs = remove_jobs(old);
  if (rules.outbox) removed.outbox_rows = remove_outbox(*rules.outbox, rules.batch_rows_max);
  if (rules.dead_letters)
    removed.dead_letters = remove_letters(*rules.dead_letters, rules.batch_rows_max);
  const auto most = std::max<std::int64_t>(
      {static_cast<std::int64_t>(old.size()), removed.outbox_rows, removed.dead_letters});
  removed.more = most >= rules.batch_rows_max;
  return removed;
}

/// At most a batch of those that may go, oldest first.
std::vector<LedgerJobId> FakeLedger::old_jobs(const RetentionRules& rules) const {
  std::vector<LedgerJobId> old;
  for (const auto& [id, job] : jobs_) {
    const auto age = age_for(rules, job.intake.job.tenant);
    if (age && !needed(job, clock_.now() - *age)) old.push_back(id);
  }
  std::stable_sort(old.begin(), old.end(), [this](LedgerJobId a, LedgerJobId b) {
    return jobs_.at(a).finished_at < jobs_.at(b).finished_at;
  });
  old.resize(std::min(old.size(), static_cast<std::size_t>(rules.batch_rows_max)));
  return old;
}

/// A conversation's history stays as long as one of its jobs is not over, young or unpublished.
bool FakeLedger::needed(const FakeJob& job, SteadyTime until) const {
  const auto over = [&](const FakeJob& each) {
    return each.state == FakeJobState::Finished && each.finished_at < until &&
           (flaws_.removes_unpublished || !unpublished(each.finished->result.result_id));
  };
  if (flaws_.removes_part_of_history) return !over(job);
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    const FakeJob& other = entry.second;
    const bool asked = job.asked_by && other.id == job.asked_by->job;
    return (other.conversation == job.conversation && !over(other)) ||
           (asked && other.state != FakeJobState::Finished);
  });
}

bool FakeLedger::unpublished(const ResultId& result) const {
  return std::any_of(outbox_.begin(), outbox_.end(), [&](const FakeOutboxRow& row) {
    return row.record.result_id == result && row.batch == 0;
  });
}

/// Conversations go whole, so that no job finds half a history: those that the batch holds all of,
/// and the oldest one.
std::int64_t FakeLedger::remove_jobs(const std::vector<LedgerJobId>& old) {
  std::set<LedgerJobId> going(old.begin(), old.end());
  std::set<LedgerConversationId> broken;
  for (const auto& [id, job] : jobs_) {
    const bool oldest = !old.empty() && job.conversation == jobs_.at(old.front()).conversation;
    if (oldest && !flaws_.removes_part_of_history) going.insert(id);
    if (!going.contains(id)) broken.insert(job.conversation);
  }
  if (flaws_.removes_part_of_history) broken.clear();
  std::erase_if(going, [&](LedgerJobId id) { return broken.contains(jobs_.at(id).conversation); });
  for (const LedgerJobId id : going) removed_jobs_.insert(jobs_.extract(id));
  std::erase_if(job_ids_, [&](const auto& entry) { return going.contains(entry.second); });
  std::erase_if(inherited_, [&](const auto& entry) {
    return std::ranges::none_of(
        jobs_, [&](const auto& job) { return job.second.conversation == entry.first; });
  });
  return static_cast<std::int64_t>(going.size());
}

std::int64_t FakeLedger::remove_outbox(Milliseconds age, int rows_max) {
  std::vector<FakeOutboxRow> kept;
  std::map<std::size_t, std::size_t> moved;
  std::int64_t removed = 0;
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    const FakeOutboxRow& row = outbox_[i];
    const FakeShard& shard = shards_.at(static_cast<std::size_t>(row.record.shard));
    if (removed < rows_max && row.batch > 0 && row.published_at < clock_.now() - age &&
        row.published_at < shard.published_at - compared_ && shard.stopped_reason.empty()) {
      result_ids_.erase(row.record.result_id);
      removed_outbox_.push_back(row);
      ++removed;
      continue;
    }
    moved[i] = kept.size();
    kept.push_back(row);
  }
  for (FakeShard& shard : shards_)
    for (std::size_t& index : shard.in_flight) index = moved.at(index);
  outbox_ = std::move(kept);
  return removed;
}

std::int64_t FakeLedger::remove_letters(Milliseconds age, int rows_max) {
  std::int64_t removed = 0;
  std::erase_if(dead_letters_, [&](const DeadLetter& letter) {
    const ResultId& id = letter.record.result_id;
    if (removed == rows_max || letters_came_at_.at(id) >= clock_.now() - age) return false;
    if (unpublished(id)) return false;
    removed_letters_.push_back(letter);
    ++removed;
    return true;
  });
  return removed;
}

}  // namespace ba
