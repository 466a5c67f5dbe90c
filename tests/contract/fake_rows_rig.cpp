// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/fake_rows_rig.hpp"

#include <algorithm>
#include <sstream>

namespace ba {

std::vector<std::string> FakeRowsRig::job_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, job] : rows().jobs()) ids.push_back(job.intake.job.job_id.value);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string FakeRowsRig::dump() {
  std::ostringstream out;
  for (const auto& [id, job] : rows().jobs()) {
    out << id.value << ' ' << static_cast<int>(job.state) << ' ' << job.incarnation.value << ' '
        << to_string(job.request) << ' ' << job.attempt << ' ' << job.after_crash << ' '
        << job.rounds.size() << ' ' << job.steps.size() << ' ' << job.messages.size() << ' ';
    for (const auto& [position, call] : job.calls)
      out << to_string(call.state) << position.index << ' ';
    for (const auto& [position, use] : job.skills)
      out << use.used.skill << use.used.depth << use.done_step.value_or(0) << ' ';
    for (const auto& [incarnation, calls] : job.wasted_model_calls)
      out << incarnation.value << '=' << calls << ' ';
    for (const auto& [at, row] : job.compressions) out << at.step << ':' << row.tokens_after << ' ';
    for (const auto& [at, row] : job.refused_contexts)
      out << at.step << '.' << at.index << ':' << row.window << ' ';
    for (const auto& [at, row] : job.exact_counts)
      out << at.step << ',' << at.index << ':' << row.tokens.value_or(0) << ' ';
    for (const auto& [round, row] : job.compressed_histories)
      out << round << ':' << row.tokens << ' ';
    for (const auto& [at, summary] : job.summaries)
      out << at.step << name_of(kSummaryStateNames, summary.row.state) << summary.row.text << ' ';
    if (job.finished && job.finished->result.error) out << job.finished->result.error->code;
    out << '\n';
  }
  for (const FakeShard& shard : rows().shards())
    out << shard.owner.value << ' ' << shard.assigned_batch << ' ' << shard.published_batch << ' '
        << shard.stopped_reason << '\n';
  out << rows().outbox().size() << ' ' << rows().dead_letters().size();
  return out.str();
}

}  // namespace ba
