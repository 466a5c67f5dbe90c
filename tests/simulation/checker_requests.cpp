// SPDX-License-Identifier: Apache-2.0
// What a model is sent of a conversation: all that is left of its earlier jobs, in their order, and
// nothing that retention has removed. What a provider counts is durable before anything is decided
// by it.
#include <algorithm>

#include "tests/simulation/checker.hpp"

namespace ba::sim {

/// Also of a history that was made shorter: a summary names the round that it stands for.
void Checker::check_nothing_removed_seen(const FakeJob& job, const ModelRequest& request) {
  bool anew = false;
  for (const auto& [id, gone] : database_->rows().removed_jobs()) {
    if (gone.conversation != job.conversation) continue;
    anew = true;
    const std::string rounds = gone.intake.job.job_id.value + "/";
    for (const Message* message : request.messages)
      if (meta_of(*message).round_id.starts_with(rounds))
        fail(name_of(job) + " was sent something of " + name_of(gone) + ", which was removed");
  }
  if (anew) world_.mark(Mark::RequestAfterRemoval);
}

/// The job's own messages follow, from its first question on.
void Checker::check_what_is_left_seen(const FakeJob& job, const ModelRequest& request) {
  std::size_t at = 0;
  const auto comes_next = [&](const MessageId& id) {
    return at < request.messages.size() && meta_of(*request.messages[at++]).message_id == id;
  };
  for (const auto& [id, earlier] : database_->rows().jobs()) {
    if (earlier.conversation != job.conversation || !(id < job.id)) continue;
    for (const auto& [position, message] : earlier.messages)
      if (!comes_next(meta_of(message).message_id))
        return fail(name_of(job) + " was not sent all that is left of " + name_of(earlier));
  }
  if (!comes_next(message_id(job.intake.job.job_id, {0, 0, 0})))
    fail(name_of(job) + " was sent something else between what is left and its own question");
}

// ---- counts ------------------------------------------------------------------------------------

/// Nobody is asked for a count that is durable. One that was refused may be counted anew.
void Checker::count_asked(const ModelQuestion& question, const Process& process) {
  const FakeJob* job = row_of(question);
  if (!job || set_back_ || !database_->rows().alive(process.incarnation)) return;
  if (job->state != FakeJobState::Running || job->incarnation != process.incarnation) return;
  world_.note("count asked", question.job, question.round * 100 + question.step);
  const auto refused = [&question](const auto& entry) {
    return entry.first.round == question.round && entry.first.step == question.step;
  };
  if (std::ranges::any_of(job->refused_contexts, refused)) return;
  if (job->exact_counts.contains({question.round, question.step, 0}))
    fail("a provider was asked again for a count of " + name_of(*job) + " that is stored");
}

void Checker::counted(LedgerJobId job, const ExactCountRow& row, const Process& process) {
  world_.note("counted", job.value, row.tokens.value_or(-1));
  counts_[{job, process.incarnation}] = row;
}

/// What it is sent is decided by the count that its worker heard, so whoever takes the job over
/// must find it.
void Checker::check_counts_durable(const FakeJob& job, const ModelQuestion& question,
                                   const Process& process) {
  const auto heard = counts_.find({job.id, process.incarnation});
  if (heard != counts_.end()) {
    const auto stored = job.exact_counts.find(heard->second.at);
    if (stored == job.exact_counts.end() || !(stored->second == heard->second))
      return fail("the model was asked for a reply of " + name_of(job) +
                  " before its count was durable");
  }
  const bool by_another = heard == counts_.end() || heard->second.at.round != question.round ||
                          heard->second.at.step != question.step;
  if (by_another && job.exact_counts.contains({question.round, question.step, 0}))
    world_.mark(Mark::CountFoundDurable);
}

}  // namespace ba::sim
