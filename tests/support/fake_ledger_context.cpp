// SPDX-License-Identifier: Apache-2.0
// What the in-memory ledger keeps of histories that were made shorter.
#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

bool is_of(const SummaryOrder& order, const SummaryRow& row) {
  return row.round_id == order.round_id && row.content_hash == order.content_hash;
}

}  // namespace

void FakeLedger::write_context(FakeJob& job, const Delta& delta) {
  for (const ReminderRow& row : delta.reminders)
    job.messages.try_emplace(row.position, row.message);
  for (const CompressionRow& row : delta.compressions) job.compressions.try_emplace(row.at, row);
  for (const RefusedContextRow& row : delta.refused_contexts)
    job.refused_contexts.try_emplace(row.at, row);
  for (const ExactCountRow& row : delta.exact_counts) job.exact_counts.try_emplace(row.at, row);
  for (const CompressedHistoryRow& row : delta.compressed_histories)
    job.compressed_histories.try_emplace(row.round, row);
  for (const SummaryRow& row : delta.summaries) {
    FakeSummary& known =
        job.summaries.try_emplace(row.at, FakeSummary{{}, 0, clock_.now(), {}}).first->second;
    if (known.row.state != SummaryState::Writing) continue;
    known.row = row;
    known.ended_at = clock_.now();
  }
}

/// Those that a job of its conversation knows of, in order.
std::vector<RefusedContextRow> FakeLedger::refused_contexts_of(const FakeJob& job) const {
  std::vector<RefusedContextRow> refused;
  for (const auto& [id, other] : jobs_) {
    if (other.conversation != job.conversation || id > job.id) continue;
    for (const auto& [at, row] : other.refused_contexts) {
      refused.push_back(row);
      if (id != job.id || at.round < 0) refused.back().at = {-1, 0, 0};
    }
  }
  return refused;
}

/// The newest of this content that may be used again; null: there is none.
const FakeSummary* FakeLedger::reusable(const SummaryOrder& order) const {
  const FakeSummary* newest = nullptr;
  for (const auto& [id, job] : jobs_)
    for (const auto& [at, each] : job.summaries)
      if (job.conversation == order.conversation && is_of(order, each.row) &&
          each.row.state == SummaryState::Ready && !each.row.reused &&
          each.ended_at > clock_.now() - order.reuse_within &&
          (newest == nullptr || each.ended_at > newest->ended_at))
        newest = &each;
  return newest;
}

bool FakeLedger::being_written(const SummaryOrder& order) const {
  for (const auto& [id, job] : jobs_)
    for (const auto& [at, each] : job.summaries)
      if (job.conversation == order.conversation && is_of(order, each.row) &&
          each.row.state == SummaryState::Writing)
        return true;
  return false;
}

/// Micro-dollars, of all jobs in the last hour. One whose price isn't known counts as estimated.
std::int64_t FakeLedger::spent_on_summaries() const {
  std::int64_t spent = 0;
  for (const auto& [id, job] : jobs_)
    for (const auto& [at, each] : job.summaries)
      if (!each.row.reused && each.began_at > clock_.now() - std::chrono::hours(1))
        spent += each.row.cost_micro_usd.value_or(each.estimate_micro_usd);
  return spent;
}

Result<SummaryStanding> FakeLedger::begin_now(IncarnationId self, const SummaryOrder& order) {
  const auto found = jobs_.find(order.job);
  if (found == jobs_.end() || found->second.incarnation != self ||
      found->second.state != FakeJobState::Running) {
    Error error;
    error.code = ErrorCode::Fenced;
    error.message = "the job does not run under this incarnation";
    return error;
  }
  auto& own = found->second.summaries;
  if (const auto here = own.find(order.at); here != own.end()) {
    if (here->second.row.state == SummaryState::Writing) return SummaryStanding(summary::Begun{});
    if (!flaws_.summary_asked_again)
      return SummaryStanding(summary::Refused{"there was one at this place"});
  }
  if (const FakeSummary* same = reusable(order))
    return SummaryStanding(
        summary::Reused{same->row.text, same->row.usage, same->row.cost_micro_usd});
  if (being_written(order))
    return SummaryStanding(summary::Refused{"another job is having it written"});
  const std::int64_t spent = spent_on_summaries();
  if (spent + order.estimate_micro_usd > order.hour_micro_usd_max)
    return SummaryStanding(summary::Refused{std::to_string(spent) + " micro-dollars were spent"});
  FakeSummary begun{{}, order.estimate_micro_usd, clock_.now(), {}};
  begun.row.at = order.at;
  begun.row.round_id = order.round_id;
  begun.row.content_hash = order.content_hash;
  own.insert_or_assign(order.at, begun);
  return SummaryStanding(summary::Begun{});
}

}  // namespace ba
