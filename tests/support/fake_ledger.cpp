// SPDX-License-Identifier: Apache-2.0
// The calls of the ports, membership and loading; claims, deltas, the outbox and retention are
// beside it.
#include "tests/support/fake_ledger.hpp"

#include <algorithm>

#include "pipeline/core/tool/observation.hpp"
#include "pipeline/text/message/langchain_json.hpp"

namespace ba {
namespace {

Error not_found() {
  Error error;
  error.code = ErrorCode::NotFound;
  error.message = "there is no such job";
  return error;
}

/// The state in which a job that its worker gave up goes on; `waits`: for a person's answer. A
/// pause that was asked for comes first: the job waits once it is resumed.
JobStanding given_back(JobRequest request, bool waits = false) {
  if (request == JobRequest::Pause) return {JobState::Paused, JobRequest::None};
  if (waits) return {JobState::Waiting, request};
  return {JobState::Ready, request};
}

}  // namespace

/// Some are open.
Savings savings_of(const StepReplied& step) {
  Savings savings = step.savings;
  if (step.savings_priced) return savings;
  for (Saving* saving : {&savings.cache, &savings.encoding, &savings.compression})
    saving->micro_usd = 0;
  return savings;
}

bool in_calls(const FakeJob& job) {
  return std::any_of(job.calls.begin(), job.calls.end(), [](const auto& entry) {
    const ToolCallState state = entry.second.state;
    return state == ToolCallState::Intended || state == ToolCallState::Running;
  });
}

FakeLedger::FakeLedger(Executor& executor, const Clock& clock, int shards, LedgerFlaws flaws)
    : executor_(executor),
      clock_(clock),
      flaws_(flaws),
      shards_(static_cast<std::size_t>(shards)) {}

template <typename T>
void FakeLedger::answer(LedgerCall call, Completion<T> done, std::function<Result<T>()> work) {
  executor_.post([this, call, done = std::move(done), work = std::move(work)] {
    auto& faults = faults_[call];
    if (faults.empty()) return done(work());
    const Fault fault = faults.front();
    faults.erase(faults.begin());
    if (!fault.before) (void)work();
    done(fault.error);
  });
}

void FakeLedger::fail_next(LedgerCall call, Error error) {
  faults_[call].push_back({true, std::move(error)});
}

void FakeLedger::lose_next_answer(LedgerCall call) {
  Error error;
  error.code = ErrorCode::Timeout;
  error.retry = Retry::Later;
  error.message = "the answer was lost";
  error.maybe_done = true;
  faults_[call].push_back({false, std::move(error)});
}

void FakeLedger::expire(IncarnationId incarnation) {
  incarnations_.at(incarnation).lease_until = clock_.now();
}

const FakeJob* FakeLedger::find_job(const TenantId& tenant, const JobId& job) const {
  const TenantId owner = flaws_.job_key_without_tenant ? TenantId() : tenant;
  const auto found = job_ids_.find({owner, job});
  return found == job_ids_.end() ? nullptr : &jobs_.at(found->second);
}

Result<JobStanding> FakeLedger::control(const TenantId& tenant, const JobId& job,
                                        JobAction action) {
  const auto found = job_ids_.find({tenant, job});
  if (found == job_ids_.end()) return not_found();
  FakeJob& row = jobs_.at(found->second);
  if (row.asked_by)
    return ask_its_job(job.value, jobs_.at(row.asked_by->job).intake.job.job_id.value);
  auto after = apply_action(action, {row.state, row.request}, job.value);
  if (after) stand(row, *after);
  return after;
}

Result<UnresolvedCall> FakeLedger::resolve(const TenantId& tenant, const JobId& job,
                                           const CallAnswer& answer) {
  const auto found = job_ids_.find({tenant, job});
  if (found == job_ids_.end()) return not_found();
  FakeJob& row = jobs_.at(found->second);
  if (auto may = may_resolve({row.state, row.request}, job.value); !may) return may.error();
  std::vector<UnresolvedCall> calls;
  for (const auto& [position, call] : row.calls)
    if (call.state == ToolCallState::Running)
      calls.push_back({position, call.tool_call_id, call.tool_name});
  const auto meant = call_meant(calls, answer, job.value);
  if (!meant) return meant.error();
  auto result = resolved_result(answer, meant->id);
  if (!result) return result.error();
  StoredToolCall& call = row.calls.at(meant->position);
  call.state = *result ? (*result)->state : ToolCallState::Intended;
  if (*result) {
    const MessageOwner owner{job, row.intake.job.conversation_id, row.intake.job.user_id};
    row.messages.try_emplace(
        meant->position, observation_message(message_meta(owner, meant->position, clock_.wall()),
                                             meant->tool, **result));
  }
  if (calls.size() == 1) stand(row, {JobState::Ready, row.request});
  return meant;
}

void FakeLedger::stand(FakeJob& job, const JobStanding& standing) {
  const bool idle = standing.state == JobState::Paused || standing.state == JobState::Waiting ||
                    standing.state == JobState::Held;
  if (job.idle_since && !idle) {
    job.idle += std::chrono::duration_cast<Milliseconds>(clock_.now() - *job.idle_since);
    job.idle_since.reset();
  }
  if (idle && !job.idle_since) job.idle_since = clock_.now();
  job.state = standing.state;
  job.request = standing.request;
}

bool FakeLedger::alive(IncarnationId incarnation) const {
  const auto found = incarnations_.find(incarnation);
  return found != incarnations_.end() && (!found->second.ended || flaws_.ended_may_write) &&
         found->second.lease_until > clock_.now();
}

bool FakeLedger::has_ended(IncarnationId incarnation) const {
  const auto found = incarnations_.find(incarnation);
  return found != incarnations_.end() && found->second.ended;
}

std::optional<std::int64_t> FakeLedger::intake_offset(const std::string& topic,
                                                      int partition) const {
  const auto found = offsets_.find({topic, "", partition});
  if (found == offsets_.end() || found->second.next_offset < 0) return std::nullopt;
  return found->second.next_offset;
}

int FakeLedger::intake_epoch(const std::string& topic, int partition) const {
  const auto found = offsets_.find({topic, "", partition});
  return found == offsets_.end() ? 0 : found->second.epoch;
}

void FakeLedger::lose_newest(IncarnationId incarnation) {
  for (auto& [slot, mark] : incarnations_.at(incarnation).marks) --mark;
}

Error FakeLedger::dead(IncarnationId self) const {
  if (!incarnations_.contains(self)) return history().unknown(self);
  return storage::fenced_because("incarnation " + std::to_string(self.value) + " is dead");
}

Result<void> FakeLedger::same_history(IncarnationId self) const {
  const auto expected = session_ ? session_->expected : own_history_->expected(self);
  if (!expected) return expected.error();
  const auto found = incarnations_.find(self);
  if (found == incarnations_.end() || (found->second.ended && !flaws_.ended_may_write))
    return flaws_.no_fence ? Result<void>() : dead(self);
  return history().compare(self, *expected, found->second.marks);
}

/// As the real one's, it raises the session's mark.
Result<void> FakeLedger::fence(IncarnationId self) {
  if (!alive(self) && !flaws_.no_fence) return dead(self);
  if (auto same = same_history(self); !same) return same;
  const std::int64_t raised = ++incarnations_[self].marks[session_ ? session_->slot : 0];
  if (session_) session_->raised = raised;
  if (!session_) own_history_->acknowledged(self, 0, raised);
  return {};
}

// ---- membership --------------------------------------------------------------------------------

void FakeLedger::enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) {
  answer<IncarnationId>(LedgerCall::Enter, std::move(done), [=, this]() -> Result<IncarnationId> {
    const IncarnationId id = fresh_incarnation();
    incarnations_[id] = {identity, clock_.now() + lease, false, {}};
    if (!session_) own_history_->entered(id);
    return id;
  });
}

/// Without order, like the real one's.
IncarnationId FakeLedger::fresh_incarnation() {
  const std::int64_t number = flaws_.incarnation_ids_come_again
                                  ? static_cast<std::int64_t>(incarnations_.size()) + 1
                                  : ++*incarnations_entered_;
  return IncarnationId(1 + number * 7919 % 1'000'003);
}

void FakeLedger::renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) {
  answer<void>(LedgerCall::Renew, std::move(done), [=, this]() -> Result<void> {
    if (!alive(incarnation) && !flaws_.no_fence) return dead(incarnation);
    if (auto same = same_history(incarnation); !same) return same;
    incarnations_[incarnation].lease_until = clock_.now() + lease;
    return {};
  });
}

void FakeLedger::reap(IncarnationId self, Completion<int> done) {
  answer<int>(LedgerCall::Reap, std::move(done), [=, this]() -> Result<int> {
    const auto living = fence(self);
    if (!living && !flaws_.reaper_ignores_own_lease) return living.error();
    int died = 0;
    for (const auto& [id, incarnation] : incarnations_) {
      if (incarnation.ended || alive(id)) continue;
      end(id, true);
      ++died;
    }
    return died;
  });
}

void FakeLedger::leave(IncarnationId incarnation, Completion<void> done) {
  answer<void>(LedgerCall::Leave, std::move(done), [=, this]() -> Result<void> {
    const auto found = incarnations_.find(incarnation);
    if (found != incarnations_.end() && found->second.ended) return {};
    if (auto living = fence(incarnation); !living) return living;
    end(incarnation, false);
    return {};
  });
}

void FakeLedger::end(IncarnationId incarnation, bool crashed) {
  incarnations_[incarnation].ended = true;
  if (!flaws_.ended_may_write) incarnations_[incarnation].marks.clear();
  for (auto& [id, job] : jobs_)
    if (job.state == FakeJobState::Running && job.incarnation == incarnation &&
        !flaws_.jobs_stay_with_the_dead)
      give_back(job, crashed);
  for (FakeShard& shard : shards_)
    if (shard.owner == incarnation && !flaws_.shards_stay_with_the_dead) shard.owner = {};
}

void FakeLedger::give_back(FakeJob& job, bool crashed) {
  stand(job,
        job.asked_by ? JobStanding{JobState::Held, JobRequest::None} : given_back(job.request));
  if (crashed && job.asked_by && !in_calls(job)) ++job.wasted_model_calls[job.incarnation];
  job.incarnation = {};
  job.after_crash = (crashed || job.after_crash) && !job.asked_by;
  if (!crashed) --job.attempt;
}

void FakeLedger::leave_waiting(FakeJob& job) {
  stand(job, given_back(job.request, true));
  job.incarnation = {};
  job.after_crash = false;
  --job.attempt;
}

// ---- ledger ------------------------------------------------------------------------------------

void FakeLedger::intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
                        Completion<ClaimAnswer> done) {
  answer<ClaimAnswer>(LedgerCall::Intake, std::move(done),
                      [=, this] { return take_in(self, batch, claim); });
}

void FakeLedger::claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) {
  answer<ClaimAnswer>(LedgerCall::Claim, std::move(done), [=, this]() -> Result<ClaimAnswer> {
    if (auto living = fence(self); !living) return living.error();
    return claim_now(self, claim);
  });
}

void FakeLedger::intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                                Completion<std::vector<PartitionOffset>> done) {
  using Offsets = std::vector<PartitionOffset>;
  answer<Offsets>(LedgerCall::IntakeOffsets, std::move(done), [=, this]() -> Result<Offsets> {
    if (auto living = fence(self); !living) return living.error();
    Offsets known = partitions;
    for (PartitionOffset& partition : known) {
      const auto found = offsets_.find({partition.topic, partition.topic_id, partition.partition});
      partition.next_offset = found == offsets_.end() ? -1 : found->second.next_offset;
      partition.epoch = found == offsets_.end() ? 0 : found->second.epoch;
    }
    return known;
  });
}

void FakeLedger::reset_intake(IncarnationId self, PartitionOffset partition,
                              Completion<PartitionOffset> done) {
  using Offset = PartitionOffset;
  answer<Offset>(LedgerCall::ResetIntake, std::move(done), [=, this]() -> Result<Offset> {
    if (auto living = fence(self); !living) return living.error();
    const PartitionKey key{partition.topic, partition.topic_id, partition.partition};
    PartitionOffset none = partition;
    none.next_offset = -1;
    none.epoch = 0;
    const auto known = offsets_.try_emplace(key, none).first;
    if (known->second.epoch != partition.epoch) {
      Error error;
      error.code = ErrorCode::Conflict;
      error.message = "another epoch has begun";
      return error;
    }
    known->second.next_offset = -1;
    ++known->second.epoch;
    return known->second;
  });
}

void FakeLedger::load(IncarnationId self, LedgerJobId job, LedgerConversationId,
                      Completion<StoredJob> done) {
  answer<StoredJob>(LedgerCall::Load, std::move(done), [=, this]() -> Result<StoredJob> {
    if (auto same = same_history(self); !same) return same.error();
    const auto found = jobs_.find(job);
    if (found == jobs_.end()) return not_found();
    return stored(found->second);
  });
}

void FakeLedger::load_remains(IncarnationId self, LedgerJobId id, LedgerConversationId,
                              std::int64_t excerpt_bytes_max, Completion<JobRemains> done) {
  answer<JobRemains>(LedgerCall::LoadRemains, std::move(done), [=, this]() -> Result<JobRemains> {
    if (auto same = same_history(self); !same) return same.error();
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return not_found();
    const FakeJob& job = found->second;
    StoredJob rows = stored(job);
    JobRemains remains;
    remains.tenant = job.intake.job.tenant;
    remains.job_id = job.intake.job.job_id;
    remains.conversation_id = job.intake.job.conversation_id;
    remains.user_id = job.intake.job.user_id;
    remains.lane = job.intake.job.lane;
    remains.created_at = job.intake.job.created_at;
    remains.rounds = std::move(rows.rounds);
    remains.calls = std::move(rows.calls);
    for (StoredToolCall& call : remains.calls) call.parameters.clear();
    remains.wasted_model_calls = rows.wasted_model_calls;
    remains.sub_agents = rows.sub_agents;
    remains.summaries = std::move(rows.summaries);
    for (SummaryRow& row : remains.summaries) row.text.clear();
    remains.skills = skill_uses(job, false);
    remains.tally = tally_of(job);
    remains.conversation = excerpt(job, excerpt_bytes_max);
    return remains;
  });
}

ConversationExcerpt FakeLedger::excerpt(const FakeJob& job, std::int64_t bytes_max) const {
  constexpr std::int64_t kOverhead = 64;
  std::vector<ExcerptMessage> all;
  for (const Message& message : inherited_by(job.conversation))
    all.push_back({message_to_json(message), 0});
  for (const auto& [id, other] : jobs_)
    if (other.conversation == job.conversation && id <= job.id)
      for (const auto& [position, message] : other.messages)
        all.push_back({message_to_json(message), 0});
  ConversationExcerpt excerpt;
  std::int64_t bytes = 0;
  for (auto message = all.rbegin(); message != all.rend(); ++message) {
    const auto size = static_cast<std::int64_t>(message->json.size());
    if (size > bytes_max / 4) *message = {"", size};
    bytes += kOverhead + static_cast<std::int64_t>(message->json.size());
    if (bytes > bytes_max) break;
    excerpt.messages.insert(excerpt.messages.begin(), std::move(*message));
  }
  excerpt.messages_left_out = static_cast<std::int64_t>(all.size() - excerpt.messages.size());
  return excerpt;
}

void FakeLedger::append(IncarnationId self, SharedDelta delta, Completion<void> done) {
  answer<void>(LedgerCall::Append, std::move(done), [=, this] { return write(self, *delta); });
}

void FakeLedger::hand_back(IncarnationId self, std::vector<ReturnedJob> jobs,
                           Completion<void> done) {
  answer<void>(LedgerCall::HandBack, std::move(done), [=, this]() -> Result<void> {
    if (auto living = fence(self); !living) return living;
    for (const ReturnedJob& returned : jobs) {
      const auto found = jobs_.find(returned.id);
      if (found == jobs_.end()) continue;
      FakeJob& job = found->second;
      if (job.state != FakeJobState::Running || job.incarnation != self) continue;
      if (returned.waits)
        leave_waiting(job);
      else
        give_back(job, false);
      hold_sub_agents(job.id);
    }
    return {};
  });
}

void FakeLedger::begin_sub_agent(IncarnationId self, SubAgentOrder order,
                                 Completion<SubAgentStanding> done) {
  answer<SubAgentStanding>(LedgerCall::BeginSubAgent, std::move(done),
                           [=, this]() -> Result<SubAgentStanding> {
                             if (auto living = fence(self); !living) return living.error();
                             return begin_now(self, order);
                           });
}

void FakeLedger::begin_summary(IncarnationId self, SummaryOrder order,
                               Completion<SummaryStanding> done) {
  answer<SummaryStanding>(LedgerCall::BeginSummary, std::move(done),
                          [=, this]() -> Result<SummaryStanding> {
                            if (auto living = fence(self); !living) return living.error();
                            return begin_now(self, order);
                          });
}

StoredJob FakeLedger::stored(const FakeJob& job) const {
  StoredJob stored;
  stored.history = inherited_by(job.conversation);
  if (flaws_.removed_messages_stay)
    for (const auto& [id, gone] : removed_jobs_)
      if (gone.conversation == job.conversation)
        for (const auto& [position, message] : gone.messages) stored.history.push_back(message);
  for (const auto& [id, other] : jobs_) {
    if (other.conversation != job.conversation || other.state != FakeJobState::Finished) continue;
    for (const auto& [position, message] : other.messages) stored.history.push_back(message);
  }
  const auto rounds = conversation_rounds_.find(job.conversation);
  stored.conversation_rounds = rounds == conversation_rounds_.end() ? 0 : rounds->second;
  for (const auto& [position, message] : job.messages)
    stored.messages.push_back({position, message});
  for (const auto& [number, closed] : job.rounds) {
    StoredRound round = closed;
    const bool open = round.status == RoundStatus::InProgress;
    for (const auto& [where, step] : job.steps) {
      if (where.first != number) continue;
      ++round.steps;
      round.last_model = step.provider + "/" + step.model;
      if (open) round.usage += step.message.usage;
      round.cost_micro_usd += step.cost_micro_usd.value_or(0);
      round.cost_known = round.cost_known && step.cost_micro_usd.has_value();
      round.savings += savings_of(step);
    }
    stored.rounds.push_back(round);
  }
  for (const auto& [position, call] : job.calls) stored.calls.push_back(call);
  for (const auto& [incarnation, calls] : job.wasted_model_calls)
    stored.wasted_model_calls += calls;
  stored.sub_agents = use_of_sub_agents(job.id);
  stored.earlier_saved_tokens = saved_before(job);
  for (const auto& [at, summary] : job.summaries) stored.summaries.push_back(summary.row);
  stored.refused_contexts = refused_contexts_of(job);
  for (const auto& [at, row] : job.exact_counts) stored.exact_counts.push_back(row);
  stored.skills = skill_uses(job, true);
  stored.tally = tally_of(job);
  return stored;
}

/// By how many tokens the results of the conversation's earlier jobs are shorter than indented
/// JSON.
std::int64_t FakeLedger::saved_before(const FakeJob& job) const {
  const auto inherited = inherited_saved_tokens_.find(job.conversation);
  std::int64_t tokens = inherited == inherited_saved_tokens_.end() ? 0 : inherited->second;
  for (const auto& [id, other] : jobs_)
    if (other.conversation == job.conversation && id < job.id &&
        other.state == FakeJobState::Finished)
      for (const auto& [at, call] : other.calls) tokens += call.saved_tokens;
  return tokens;
}

StoredTally FakeLedger::tally_of(const FakeJob& job) const {
  StoredTally tally;
  tally.compressions = static_cast<int>(job.compressions.size());
  tally.copied_rounds = job.copied_rounds;
  tally.copied_step = job.copied_step;
  tally.messages = std::ranges::count_if(
      job.messages, [&](const auto& entry) { return !tally.is_copy(entry.first); });
  const bool first = std::ranges::none_of(jobs_, [&](const auto& one) {
    return one.first < job.id && one.second.conversation == job.conversation &&
           !one.second.rounds.empty();
  });
  const auto rounds = conversation_rounds_.find(job.conversation);
  tally.opens_conversation = first && (rounds == conversation_rounds_.end() || rounds->second == 0);
  return tally;
}

std::vector<StoredSkillUse> FakeLedger::skill_uses(const FakeJob& job, bool contents) const {
  std::vector<StoredSkillUse> uses;
  std::set<std::string> hashes;
  for (const auto& [position, use] : job.skills) {
    uses.push_back(use);
    const bool first = hashes.insert(use.used.hash).second;
    uses.back().used.content = contents && first ? skill_contents_.at(use.used.hash) : "";
  }
  return uses;
}

// ---- outbox ------------------------------------------------------------------------------------

void FakeLedger::own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) {
  using Shards = std::vector<ShardState>;
  answer<Shards>(LedgerCall::OwnShards, std::move(done), [=, this]() -> Result<Shards> {
    if (auto living = fence(self); !living) return living.error();
    return share_shards(self);
  });
}

void FakeLedger::pending_shards(IncarnationId self, Completion<std::vector<int>> done) {
  using Shards = std::vector<int>;
  answer<Shards>(LedgerCall::PendingShards, std::move(done), [=, this]() -> Result<Shards> {
    Shards shards;
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (shards_[i].owner == self && pending(i)) shards.push_back(static_cast<int>(i));
    return shards;
  });
}

void FakeLedger::next_batch(IncarnationId self, BatchRequest request,
                            Completion<OutboxBatch> done) {
  answer<OutboxBatch>(LedgerCall::NextBatch, std::move(done), [=, this]() -> Result<OutboxBatch> {
    const auto owned = owned_shard(self, request.shard);
    if (!owned) return owned.error();
    if (request.published <= (*owned)->assigned_batch) return advance(request);
    Error error;
    error.code = ErrorCode::Conflict;
    error.message = "batch " + std::to_string(request.published) + " was never assigned";
    return error;
  });
}

void FakeLedger::withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                                Completion<void> done) {
  answer<void>(LedgerCall::WithdrawBatch, std::move(done), [=, this]() -> Result<void> {
    const auto owned = owned_shard(self, shard);
    if (!owned) return owned.error();
    FakeShard& row = **owned;
    if (row.version != version && !flaws_.late_withdrawal_counts) return {};
    row.in_flight.clear();
    if (flaws_.withdrawn_number_comes_again) row.assigned_batch = row.published_batch;
    ++row.version;
    return {};
  });
}

void FakeLedger::replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                                Completion<void> done) {
  answer<void>(LedgerCall::ReplaceRecord, std::move(done), [=, this]() -> Result<void> {
    const auto owned = owned_shard(self, shard);
    if (!owned) return owned.error();
    for (const std::size_t index : (*owned)->in_flight) {
      OutboxRecord& record = outbox_[index].record;
      if (record.result_id != replacement.record.result_id) continue;
      record = replacement.record;
      record.shard = shard;
      if (replacement.result && !flaws_.replaced_result_kept) replace_result(replacement);
      return {};
    }
    Error error;
    error.code = ErrorCode::Conflict;
    error.message = "no such record is in flight";
    return error;
  });
}

void FakeLedger::replace_result(const RecordReplacement& replacement) {
  const JobResult& result = *replacement.result;
  const auto named = job_ids_.find({result.tenant, result.job_id});
  if (named == job_ids_.end() || !jobs_.at(named->second).finished) return;
  JobFinished& finished = *jobs_.at(named->second).finished;
  const bool its_own = finished.result.result_id == replacement.record.result_id;
  if (!its_own && !flaws_.replaces_by_name) return;
  finished.result = result;
  finished.result_bytes = replacement.record.value;
}

void FakeLedger::stop_shard(IncarnationId self, ShardState known, std::string reason,
                            Completion<void> done) {
  answer<void>(LedgerCall::StopShard, std::move(done), [=, this]() -> Result<void> {
    if (auto living = fence(self); !living) return living;
    if (!shards_.at(static_cast<std::size_t>(known.shard)).stopped_reason.empty()) return {};
    const auto owned = owned_shard(self, known.shard);
    if (!owned) return owned.error();
    if ((*owned)->assigned_batch != known.assigned_batch) {
      Error error;
      error.code = ErrorCode::Conflict;
      error.message = "another batch is assigned";
      return error;
    }
    (*owned)->owner = {};
    (*owned)->stopped_reason = reason;
    return {};
  });
}

// ---- retention ----------------------------------------------------------------------------------

void FakeLedger::remove_batch(IncarnationId self, RetentionRules rules,
                              Completion<RemovedRows> done) {
  using Rows = RemovedRows;
  answer<Rows>(LedgerCall::RemoveBatch, std::move(done), [=, this]() -> Result<Rows> {
    if (auto living = fence(self); !living) return living.error();
    return another_removes_ ? Rows{} : remove_now(rules);
  });
}

}  // namespace ba
