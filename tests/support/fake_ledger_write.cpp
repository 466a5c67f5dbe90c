// SPDX-License-Identifier: Apache-2.0
// Deltas and outbox batches of the in-memory ledger.
#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/ledger/ledger.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

Error refused(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

bool ended(ToolCallState state) {
  return state != ToolCallState::Intended && state != ToolCallState::Running;
}

}  // namespace

Result<void> FakeLedger::write(IncarnationId self, const Delta& delta) {
  if (auto living = fence(self); !living) return living;
  const auto found = jobs_.find(delta.job);
  const bool own = found != jobs_.end() && found->second.incarnation == self;
  if (own && found->second.state == FakeJobState::Finished && delta.finished) {
    if (flaws_.final_delta_repeats)
      for (const OutboxRecord& record : delta.finished->outbox) outbox_.push_back({record});
    return {};
  }
  if (!own || found->second.state != FakeJobState::Running)
    return refused(ErrorCode::Fenced, "job " + std::to_string(delta.job.value) +
                                          " does not run under incarnation " +
                                          std::to_string(self.value));
  FakeJob& job = found->second;
  BA_ASSERT(job.conversation == delta.conversation);
  if (delta.alone) ++deltas_alone_;
  write_steps(job, delta);
  write_calls(job, delta);
  write_context(job, delta);
  write_skills(job, delta);
  if (delta.wasted_model_calls > 0) {
    const bool one = flaws_.wasted_calls_overwritten;
    int& wasted = job.wasted_model_calls[one ? IncarnationId() : self];
    wasted = one ? delta.wasted_model_calls : std::max(wasted, delta.wasted_model_calls);
  }
  const bool settles = delta.alone || delta.wasted_model_calls > 0;
  if (settles && !flaws_.crash_told_again) job.after_crash = false;
  if (delta.finished) finish(job, *delta.finished);
  return {};
}

void FakeLedger::write_steps(FakeJob& job, const Delta& delta) {
  for (const RoundOpened& opened : delta.rounds_opened) {
    StoredRound round;
    round.round = opened.round;
    round.idle_before = opened.idle_before;
    job.rounds.try_emplace(opened.round, round);
    job.messages.try_emplace({opened.round, 0, 0}, opened.message);
  }
  for (const StepReplied& step : delta.steps) {
    BA_ASSERT(flaws_.orphans_pass || job.rounds.contains(step.round));
    job.steps.try_emplace({step.round, step.step}, step);
    job.messages.try_emplace({step.round, step.step, 0}, step.message);
    if (step.answer_repair)
      job.messages.try_emplace({step.round, step.step, 1}, *step.answer_repair);
  }
  for (const RoundClosed& closed : delta.rounds_closed) {
    BA_ASSERT(flaws_.orphans_pass || job.rounds.contains(closed.round));
    StoredRound& round = job.rounds[closed.round];
    if (round.status != RoundStatus::InProgress) continue;
    round.status = closed.status;
    round.final_answer = closed.final_answer;
    round.usage = closed.usage;
  }
}

void FakeLedger::write_calls(FakeJob& job, const Delta& delta) {
  for (const ToolCallIntended& intended : delta.calls_intended) {
    StoredToolCall call;
    call.position = intended.position;
    call.tool_call_id = intended.tool_call_id;
    call.tool_name = intended.tool_name;
    call.tool_version = intended.tool_version;
    call.parameters = intended.parameters;
    call.effect = intended.effect;
    job.calls.try_emplace(intended.position, call);
  }
  for (const ToolCallStarted& started : delta.calls_started) {
    BA_ASSERT(flaws_.orphans_pass || job.calls.contains(started.position));
    StoredToolCall& call = job.calls[started.position];
    if (call.state != ToolCallState::Intended) continue;
    call.state = ToolCallState::Running;
    if (!started.tool_version.empty()) call.tool_version = started.tool_version;
  }
  for (const ToolCallFinished& finished : delta.calls_finished) {
    BA_ASSERT(flaws_.orphans_pass || job.calls.contains(finished.position));
    StoredToolCall& call = job.calls[finished.position];
    if (ended(call.state)) continue;
    call.state = finished.result.state;
    call.retry_count = finished.result.retry_count;
    call.duration = finished.result.duration;
    call.cache_hit = finished.result.telemetry.cache_hit;
    call.note = finished.result.note;
    call.saved_tokens = finished.result.saved_tokens;
    if (!finished.result.telemetry.execution_id.empty())
      call.tokens = total_tokens(finished.result.telemetry);
    job.messages.try_emplace(finished.position, finished.message);
  }
}

void FakeLedger::write_skills(FakeJob& job, const Delta& delta) {
  for (const MessageRow& row : delta.messages_injected)
    job.messages.try_emplace(row.position, row.message);
  for (const SkillUsed& used : delta.skills_used) {
    if (!used.content.empty()) skill_contents_.try_emplace(used.hash, used.content);
    BA_ASSERT(flaws_.orphans_pass || skill_contents_.contains(used.hash));
    job.skills.try_emplace(used.position, StoredSkillUse{used, std::nullopt});
  }
  for (const SkillDone& done : delta.skills_done) {
    BA_ASSERT(flaws_.orphans_pass || job.skills.contains(done.used));
    std::optional<int>& step = job.skills[done.used].done_step;
    if (!step) step = done.step;
  }
}

void FakeLedger::finish(FakeJob& job, const JobFinished& finished) {
  job.state = FakeJobState::Finished;
  job.finished = finished;
  job.finished_at = clock_.now();
  if (finished.ends_summaries)
    for (auto& [at, summary] : job.summaries)
      if (summary.row.state == SummaryState::Writing) summary.row.state = SummaryState::Failed;
  conversation_rounds_[job.conversation] += finished.result.totals.rounds;
  for (const OutboxRecord& record : finished.outbox) publish_later(record);
  if (finished.ends_sub_agents && !flaws_.sub_agents_outlive) end_sub_agents(job.id);
}

void FakeLedger::publish_later(const OutboxRecord& record) {
  if (result_ids_.insert(record.result_id).second) outbox_.push_back({record});
}

// ---- outbox ------------------------------------------------------------------------------------

Result<FakeShard*> FakeLedger::owned_shard(IncarnationId self, int shard) {
  if (auto living = fence(self); !living) return living.error();
  FakeShard& row = shards_.at(static_cast<std::size_t>(shard));
  if (row.owner == self && row.stopped_reason.empty()) return &row;
  return refused(ErrorCode::Conflict, "outbox shard " + std::to_string(shard) +
                                          " does not belong to incarnation " +
                                          std::to_string(self.value));
}

bool FakeLedger::pending(std::size_t shard) const {
  return std::any_of(outbox_.begin(), outbox_.end(), [&](const FakeOutboxRow& row) {
    return row.record.shard == static_cast<int>(shard) && row.batch == 0;
  });
}

std::vector<ShardState> FakeLedger::share_shards(IncarnationId self) {
  const auto living = std::count_if(incarnations_.begin(), incarnations_.end(),
                                    [&](const auto& entry) { return alive(entry.first); });
  const auto total = static_cast<std::ptrdiff_t>(shards_.size());
  const std::ptrdiff_t share = (total + living - 1) / living;
  auto own = std::count_if(shards_.begin(), shards_.end(),
                           [&](const FakeShard& shard) { return shard.owner == self; });
  for (auto shard = shards_.rbegin(); shard != shards_.rend() && own > share; ++shard) {
    if (shard->owner != self || !shard->in_flight.empty()) continue;
    shard->owner = {};
    ++shard->version;
    --own;
  }
  for (FakeShard& shard : shards_) {
    if (own >= share) break;
    if (shard.owner != IncarnationId{} || !shard.stopped_reason.empty()) continue;
    shard.owner = self;
    ++shard.version;
    ++own;
  }
  std::vector<ShardState> states;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (shards_[i].owner == self)
      states.push_back(
          {static_cast<int>(i), shards_[i].assigned_batch, shards_[i].published_batch});
  return states;
}

OutboxBatch FakeLedger::advance(const BatchRequest& request) {
  const int shard = request.shard;
  FakeShard& row = shards_.at(static_cast<std::size_t>(shard));
  if (request.published == row.assigned_batch && !row.in_flight.empty()) {
    ++row.version;
    row.published_at = clock_.now();
    for (const std::size_t index : row.in_flight) {
      outbox_[index].batch = row.assigned_batch;
      outbox_[index].published_at = row.published_at;
    }
    row.in_flight.clear();
    row.published_batch = row.assigned_batch;
  }
  const bool under_way = !row.in_flight.empty();
  if (!under_way || flaws_.batch_grows_under_way) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < outbox_.size(); ++i) {
      if (outbox_[i].record.shard != shard || outbox_[i].batch != 0) continue;
      if (request.without.contains(outbox_[i].record.topic)) continue;
      if (std::count(row.in_flight.begin(), row.in_flight.end(), i) != 0) continue;
      if (static_cast<int>(row.in_flight.size()) >= request.records_max) break;
      bytes += outbox_[i].record.value.size();
      if (!row.in_flight.empty() && bytes > kOutboxBatchBytesMax) break;
      row.in_flight.push_back(i);
    }
    if (!row.in_flight.empty() && !under_way) ++row.assigned_batch, ++row.version;
  }
  OutboxBatch batch;
  batch.shard = shard;
  if (row.in_flight.empty()) return batch;
  batch.number = row.assigned_batch;
  batch.version = row.version;
  for (const std::size_t index : row.in_flight) batch.records.push_back(outbox_[index].record);
  return batch;
}

}  // namespace ba
