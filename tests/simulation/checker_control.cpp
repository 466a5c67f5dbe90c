// SPDX-License-Identifier: Apache-2.0
// What holds of jobs that people cancel and pause, of those that wait for their conversation, and
// of what retention removes.
#include <algorithm>

#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

/// What may still become of a job whose worker has heard that it is cancelled, or is to end for its
/// wait: an attempt too many and rows that the ledger refuses come first.
bool may_end_so(Outcome outcome) {
  return outcome == Outcome::Cancelled || outcome == Outcome::Poisoned ||
         outcome == Outcome::Failed;
}

}  // namespace

bool waited_too_long(const FakeJob& job) {
  const auto& error = job.finished->result.error;
  return error && error->code == "CONVERSATION_BUSY";
}

// ---- job control -------------------------------------------------------------------------------

/// Whoever drains passes nothing on: the next one is told.
void Checker::claim_heard(IncarnationId self, const ClaimAnswer& answer, bool acts) {
  for (const ClaimedJob& begins : answer.jobs) told_.erase(begins.id);
  if (!acts) return;
  for (const RequestedJob& requested : answer.requests) worker_told(self, requested);
}

/// The worker acts on it from now on, if it has the job.
void Checker::worker_told(IncarnationId self, const RequestedJob& requested) {
  const auto& jobs = database_->rows().jobs();
  const auto found = jobs.find(requested.id);
  if (found == jobs.end() || found->second.state != JobState::Running) return;
  if (found->second.incarnation != self || ends_.contains({requested.id, self})) return;
  const bool cancel = requested.request == JobRequest::Cancel;
  world_.mark(cancel ? Mark::CancelHeard : Mark::PauseHeard);
  told_[requested.id] = {self, requested.request};
  if (cancel) cancelled_.insert(requested.id);
}

/// Who has given a job back may claim it again, and is told again.
void Checker::check_handed_back(IncarnationId self) {
  const auto& jobs = database_->rows().jobs();
  for (const auto& [id, job] : jobs)
    if (job.state == JobState::Paused && told_.contains(id) && told_.at(id).first == self)
      world_.mark(Mark::JobPaused);
  std::erase_if(told_, [&](const auto& entry) {
    const auto found = jobs.find(entry.first);
    return entry.second.first == self &&
           (found == jobs.end() || found->second.state != JobState::Running);
  });
}

/// Whoever is alive works only on jobs that it has, so on none that is paused or has ended.
void Checker::check_asks(const FakeJob* job, const Process& process, const std::string& what) {
  const FakeLedger& rows = database_->rows();
  if (!job || set_back_ || process.dead() || !rows.alive(process.incarnation)) return;
  if (job->state != JobState::Running || job->incarnation != process.incarnation)
    fail(what + " for " + name_of(*job) + ", which doesn't run there: it is " +
         std::string(to_string(job->state)));
  const auto told = told_.find(root_of(*job).id);
  if (told == told_.end() || told->second.first != process.incarnation) return;
  const bool cancel = told->second.second == JobRequest::Cancel;
  if (cancel || what == "the model was asked")
    fail(what + " for " + name_of(*job) + " after its worker was told to " +
         std::string(to_string(told->second.second)) + " it");
}

void Checker::model_asked(const ModelQuestion& question, const Process& process) {
  if (question.job >= 0) check_asks(row_of(question), process, "the model was asked");
}

void Checker::tool_asked(const ToolInvocation& call, const Process& process) {
  const auto& jobs = database_->rows().jobs();
  const auto found = jobs.find(call.job);
  if (found == jobs.end()) return;
  check_asks(&found->second, process, "a tool was run");
  if (!set_back_ && forbidden(found->second, call.position, call.tool_name))
    fail("a call of " + call.tool_name + " was run that an active skill of " +
         name_of(found->second) + " forbids");
}

/// Of a job that has just ended.
void Checker::check_asked_for(const FakeJob& job) {
  const Outcome outcome = job.finished->result.outcome;
  if (cancelled_.contains(job.id) && !may_end_so(outcome))
    fail(name_of(job) + " ended as " + std::string(to_string(outcome)) +
         " although its worker had been told to cancel it");
  if (outcome == Outcome::Cancelled && job.request != JobRequest::Cancel)
    fail(name_of(job) + " was cancelled and nobody had asked for it");
  check_waited(job);
  const auto& removed = database_->rows().removed_jobs();
  const bool anew = std::any_of(removed.begin(), removed.end(), [&](const auto& entry) {
    return entry.second.conversation == job.conversation;
  });
  if (anew) world_.mark(Mark::ConversationBeganAnew);
  const bool clocks_agree = !scenario_.on(Fault::ClockDrift) && !scenario_.on(Fault::WallJump) &&
                            !scenario_.on(Fault::LedgerClock);
  if (outcome != Outcome::DeadlineExceeded || waited_too_long(job) || !clocks_agree) return;
  const auto ended = std::chrono::duration_cast<Microseconds>(job.finished_at.time_since_epoch());
  const auto lasted = WallTime(ended) - *job.first_claimed_at - job.idle;
  if (lasted + Milliseconds(2) < job.intake.job.limits.deadline)
    fail(name_of(job) + " ended at its deadline before that was over");
}

// ---- waiting for a conversation ----------------------------------------------------------------

/// Of a job that has just been claimed for that.
void Checker::check_overdue(const FakeJob& job) {
  if (!overdue_.insert(job.id).second) return;
  const auto& jobs = database_->rows().jobs();
  const bool behind = std::any_of(jobs.begin(), jobs.end(), [&](const auto& entry) {
    const FakeJob& other = entry.second;
    return other.conversation == job.conversation && other.id < job.id &&
           other.state != JobState::Finished;
  });
  if (!behind) fail(name_of(job) + " is to end for its wait and was first in its conversation");
  if (!job.rounds.empty()) fail(name_of(job) + " is to end for its wait and had been begun");
  if (scenario_.on(Fault::LedgerClock)) return;
  const auto came = std::chrono::duration_cast<Microseconds>(job.accepted_at.time_since_epoch());
  const auto waited = *job.first_claimed_at - WallTime(came) - job.idle;
  const std::chrono::seconds max(scenario_.conversation_wait_s);
  if (max.count() == 0 || waited + Milliseconds(2) < max)
    fail(name_of(job) + " is to end for its wait, which wasn't too long");
}

/// Of a job that has just ended.
void Checker::check_waited(const FakeJob& job) {
  const Outcome outcome = job.finished->result.outcome;
  if (waited_too_long(job) && !job.overdue)
    fail(name_of(job) + " ended for its wait and was not claimed for that");
  if (job.overdue && !waited_too_long(job) && !may_end_so(outcome))
    fail(name_of(job) + " was to end for its wait and ended as " + std::string(to_string(outcome)));
}

// ---- retention ---------------------------------------------------------------------------------

/// What was removed is done with, and nothing is left that would need it.
void Checker::check_removed() {
  const FakeLedger& rows = database_->rows();
  for (const auto& [id, job] : rows.removed_jobs()) {
    if (!removed_.insert(id).second) continue;
    world_.mark(Mark::JobRemoved);
    if (job.state != JobState::Finished) return fail(name_of(job) + " was removed unfinished");
    const ResultId& result = job.finished->result.result_id;
    if (std::any_of(rows.outbox().begin(), rows.outbox().end(), [&](const FakeOutboxRow& row) {
          return row.record.result_id == result && row.batch == 0;
        }))
      fail(name_of(job) + " was removed before its result was published");
    for (const auto& [left, other] : rows.jobs())
      if (other.conversation == job.conversation)
        fail("a part of a conversation was removed: " + name_of(job) + " without " +
             name_of(other));
  }
  if (!rows.removed_outbox().empty()) world_.mark(Mark::OutboxRowRemoved);
  if (!rows.removed_letters().empty()) world_.mark(Mark::DeadLetterRemoved);
}

}  // namespace ba::sim
