// SPDX-License-Identifier: Apache-2.0
// What the in-memory ledger keeps of histories that were made shorter.
#include "tests/support/fake_ledger.hpp"

namespace ba {

void FakeLedger::write_context(FakeJob& job, const Delta& delta) {
  for (const ReminderRow& row : delta.reminders)
    job.messages.try_emplace(row.position, row.message);
  for (const CompressionRow& row : delta.compressions) job.compressions.try_emplace(row.at, row);
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

Result<SummaryStanding> FakeLedger::begin_now(IncarnationId self, const SummaryOrder& order) {
  using std::chrono::hours;
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
  std::int64_t spent = 0;
  for (const auto& [id, job] : jobs_)
    for (const auto& [at, each] : job.summaries) {
      const SummaryRow& row = each.row;
      const bool same = job.conversation == order.conversation && row.round_id == order.round_id &&
                        row.content_hash == order.content_hash;
      if (same && row.state == SummaryState::Ready && !row.reused &&
          each.ended_at > clock_.now() - order.reuse_within)
        return SummaryStanding(summary::Reused{row.text});
      if (same && row.state == SummaryState::Writing)
        return SummaryStanding(summary::Refused{"another job is having it written"});
      if (!row.reused && each.began_at > clock_.now() - hours(1))
        spent += row.cost_micro_usd.value_or(each.estimate_micro_usd);
    }
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
