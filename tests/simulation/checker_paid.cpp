// SPDX-License-Identifier: Apache-2.0
// Invariant 4: what a call of the model costs is stored or counted as wasted, and nothing else is.
#include <algorithm>

#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

int wasted(const FakeJob& job) {
  int sum = 0;
  for (const auto& [incarnation, calls] : job.wasted_model_calls) sum += calls;
  return sum;
}

/// What a call that nobody has heard the end of may still be counted for.
template <typename Bill>
int left(const FakeJob& job, const Bill& bill) {
  return bill.sent - bill.failed + bill.empty_crashes - static_cast<int>(job.steps.size()) -
         wasted(job);
}

}  // namespace

void Checker::model_sent(const ModelQuestion& question) {
  if (const FakeJob* job = row_of(question.job)) ++bills_[job->id].sent;
}

/// By one that no longer has the job it comes too late: a crash with a call under way was counted.
/// Neither a job that has ended nor a process between two lives has an incarnation.
void Checker::model_failure_heard(const ModelQuestion& question, const Process& process) {
  const FakeJob* job = row_of(question.job);
  if (job && job->state == FakeJobState::Running && job->incarnation == process.incarnation)
    ++bills_[job->id].failed;
}

/// Nobody who is alive and owns the job asks for what the ledger has.
void Checker::model_paid(const ModelQuestion& question, const Process& process) {
  world_.note("model paid", question.job, question.round * 100 + question.step);
  ++paid_[question.job];
  const FakeJob* job = row_of(question.job);
  const FakeLedger& rows = database_->rows();
  if (!job || set_back_) return;
  const bool owner = job->state == FakeJobState::Running && job->incarnation == process.incarnation;
  if (!owner || !rows.alive(process.incarnation) || process.dead()) return;
  if (job->steps.contains({question.round, question.step}))
    fail("the model was asked again for a reply of " + name_of(*job) + " that is stored");
}

/// Every change of who runs a job passes here, so that a reaper's is told from a hand-back.
void Checker::check_bills(LedgerCall call) {
  if (set_back_) return;
  for (const auto& [id, job] : database_->rows().jobs()) {
    Bill& bill = bills_[id];
    const bool runs = job.state == FakeJobState::Running;
    const IncarnationId runner = runs ? job.incarnation : IncarnationId();
    if (call == LedgerCall::Reap && bill.runner.value != 0 && bill.runner != runner)
      crashed(job, bill);
    bill.runner = runner;
    if (left(job, bill) < 0)
      fail("more calls of " + name_of(job) + " are counted than were sent: " +
           std::to_string(bill.sent) + " sent, " + std::to_string(bill.failed) + " failed, " +
           std::to_string(job.steps.size()) + " stored, " + std::to_string(wasted(job)) +
           " counted as wasted, " + std::to_string(bill.empty_crashes) + " by crashes without one");
  }
}

/// Nobody can know whether it had a call of the model under way, unless it was in tool calls.
void Checker::crashed(const FakeJob& job, Bill& bill) const {
  if (!in_calls(job) && left(job, bill) <= 0) ++bill.empty_crashes;
}

/// The result says what the rows say.
void Checker::check_told(const FakeJob& job) {
  const int told = job.finished->result.totals.wasted_model_calls;
  if (told != wasted(job))
    fail("the result of " + name_of(job) + " says that " + std::to_string(told) +
         " calls were wasted, its rows say " + std::to_string(wasted(job)));
}

/// At the end: every paid call is stored, or counted as wasted.
void Checker::check_paid() {
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const int paid_here = paid(static_cast<int>(i));
    const FakeJob& job = *row_of(static_cast<int>(i));
    const int stored = static_cast<int>(job.steps.size());
    const std::string text = job.intake.job.job_id.value + ": " + std::to_string(paid_here) +
                             " calls paid, " + std::to_string(stored) + " stored, " +
                             std::to_string(wasted(job)) + " counted as wasted";
    if (paid_here > stored + wasted(job)) fail("paid calls are missing: " + text);
    if (paid_here < stored) fail("a stored reply was never asked for: " + text);
  }
}

}  // namespace ba::sim
