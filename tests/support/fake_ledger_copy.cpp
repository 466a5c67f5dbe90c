// SPDX-License-Identifier: Apache-2.0
// New jobs from old ones, in the in-memory ledger.
#include <algorithm>

#include "tests/support/fake_ledger.hpp"

namespace ba {
namespace {

Error refused(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

int answered_rounds(const FakeJob& job) {
  return static_cast<int>(std::ranges::count_if(
      job.rounds, [](const auto& entry) { return entry.second.status == RoundStatus::Completed; }));
}

/// Copies a job's rows, as far as they are kept.
class JobCopier {
 public:
  JobCopier(const FakeJob& source, FakeJob& copy, const storage::CopiedRows& rows)
      : source_(source), copy_(copy), rows_(rows) {}

  void run() {
    copy_rounds();
    copy_steps();
    copy_calls();
    for (const auto& [at, message] : source_.messages)
      if (keeps_message(at)) copy_.messages.emplace(at, message);
    for (const auto& [at, use] : source_.skills)
      if (keeps(at.round)) copy_.skills.emplace(at, use);
    for (const auto& [at, row] : source_.refused_contexts)
      if (keeps_refusal(at)) copy_.refused_contexts.emplace(at, row);
    for (const auto& [at, row] : source_.exact_counts)
      if (keeps_refusal(at)) copy_.exact_counts.emplace(at, row);
    mark();
  }

 private:
  bool keeps(int round) const {
    return round < rows_.rounds || (rows_.goes_on && round == rows_.rounds);
  }

  /// Of the round that goes on, steps that asked for tools.
  bool keeps_step(int round, int step) const {
    if (round < rows_.rounds || !keeps(round)) return keeps(round);
    return std::ranges::any_of(source_.calls, [&](const auto& entry) {
      return entry.first.round == round && entry.first.step == step;
    });
  }

  /// With its reply; what was refused for one that doesn't come along is known from before.
  bool keeps_refusal(const Position& at) const {
    return source_.steps.contains({at.round, at.step}) && keeps_step(at.round, at.step);
  }

  bool keeps_message(const Position& at) const {
    const auto step = source_.steps.find({at.round, at.step});
    if (step == source_.steps.end()) return keeps(at.round);
    const bool of_step = at.index == 0 || (at.index == 1 && step->second.answer_repair);
    return of_step ? keeps_step(at.round, at.step) : keeps(at.round);
  }

  void copy_rounds() {
    for (const auto& [number, round] : source_.rounds) {
      if (!keeps(number)) continue;
      StoredRound& copied = copy_.rounds.emplace(number, round).first->second;
      copied.usage = {};
      if (number < rows_.rounds) continue;
      copied.status = RoundStatus::InProgress;
      copied.final_answer.clear();
    }
  }

  /// They were paid for by the source.
  void copy_steps() {
    for (const auto& [at, step] : source_.steps) {
      if (!keeps_step(at.first, at.second)) continue;
      StepReplied& copied = copy_.steps.emplace(at, step).first->second;
      copied.message.usage = {};
      if (copied.cost_micro_usd) copied.cost_micro_usd = 0;
      copied.estimated_input_tokens.reset();
      copied.savings = {};
    }
  }

  void copy_calls() {
    for (const auto& [at, call] : source_.calls) {
      if (!keeps(at.round)) continue;
      StoredToolCall& copied = copy_.calls.emplace(at, call).first->second;
      copied.copied = call.state != ToolCallState::Intended && call.state != ToolCallState::Running;
    }
  }

  void mark() {
    copy_.copied_rounds = rows_.rounds;
    copy_.copied_step = copy_.rounds.contains(rows_.rounds) ? 0 : -1;
    for (const auto& [at, step] : copy_.steps)
      if (at.first == rows_.rounds) copy_.copied_step = std::max(copy_.copied_step, at.second);
  }

  const FakeJob& source_;
  FakeJob& copy_;
  const storage::CopiedRows& rows_;
};

}  // namespace

Result<storage::CopiedRows> FakeLedger::copy_job(const storage::JobCopy& wanted) {
  const auto named = job_ids_.find({wanted.source.tenant, wanted.source.job});
  if (named == job_ids_.end()) return refused(ErrorCode::NotFound, "there is no such job");
  const FakeJob& source = jobs_.at(named->second);
  const int answered = answered_rounds(source);
  if (!wanted.from_round && source.state != JobState::Finished)
    return refused(ErrorCode::Conflict, "the job has not ended");
  if (wanted.from_round && *wanted.from_round > answered)
    return refused(ErrorCode::Conflict, "the job has fewer answered rounds");
  for (const auto& [id, other] : jobs_)
    if (other.conversation == source.conversation && id < source.id &&
        other.state != JobState::Finished)
      return refused(ErrorCode::Conflict, "a job before it in its conversation has not ended");
  const Job& made = wanted.job.job;
  if (job_ids_.contains({made.tenant, made.job_id}))
    return refused(ErrorCode::Conflict, "there is such a job");
  if (conversation_ids_.contains({made.tenant, made.conversation_id}))
    return refused(ErrorCode::Conflict, "there is such a conversation");
  accept(wanted.job);
  FakeJob& copy = jobs_.at(job_ids_.at({made.tenant, made.job_id}));
  const storage::CopiedRows rows{wanted.from_round.value_or(answered), !wanted.from_round};
  JobCopier(source, copy, rows).run();
  Position before{-1, 0, 0};
  for (const RefusedContextRow& row : refused_contexts_of(source)) {
    const bool kept = row.at.round < rows.rounds || (rows.goes_on && row.at.round == rows.rounds);
    if (!kept || copy.refused_contexts.contains(row.at)) continue;
    ++before.index;
    copy.refused_contexts.emplace(before, row).first->second.at = before;
  }
  inherited_[copy.conversation] = history_before(source);
  inherited_saved_tokens_[copy.conversation] = saved_before(source);
  return rows;
}

/// What the conversation had before this job.
std::vector<Message> FakeLedger::history_before(const FakeJob& job) const {
  std::vector<Message> history = inherited_by(job.conversation);
  for (const auto& [id, other] : jobs_)
    if (other.conversation == job.conversation && id < job.id)
      for (const auto& [at, message] : other.messages) history.push_back(message);
  return history;
}

/// The history that a conversation began with: of the one that its first job was copied from.
std::vector<Message> FakeLedger::inherited_by(LedgerConversationId conversation) const {
  const auto found = inherited_.find(conversation);
  return found == inherited_.end() ? std::vector<Message>() : found->second;
}

}  // namespace ba
