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

}  // namespace

/// The family's: a job counts what its sub-agents had under way when it ended.
int Checker::stored_of(const FakeJob& root) const {
  std::size_t stored = 0;
  for (const FakeJob* job : family_of(root)) stored += job->steps.size();
  return static_cast<int>(stored);
}

int Checker::wasted_of(const FakeJob& root) const {
  int sum = 0;
  for (const FakeJob* job : family_of(root)) sum += wasted(*job);
  return sum;
}

/// What a call that nobody has heard the end of may still be counted for.
int Checker::left(const FakeJob& root, const Bill& bill) const {
  return bill.sent - bill.failed + bill.empty_crashes - stored_of(root) - wasted_of(root);
}

void Checker::model_sent(const ModelQuestion& question) {
  if (const FakeJob* job = row_of(question)) ++bills_[root_of(*job).id].sent;
}

/// By one that no longer has the job it comes too late: a crash with a call under way was counted.
/// Neither a job that has ended nor a process between two lives has an incarnation.
void Checker::model_failure_heard(const ModelQuestion& question, const Process& process) {
  const FakeJob* job = row_of(question);
  if (job && job->state == FakeJobState::Running && job->incarnation == process.incarnation)
    ++bills_[root_of(*job).id].failed;
}

/// Nobody who is alive and owns the job asks for what the ledger has.
void Checker::model_paid(const ModelQuestion& question, const Process& process) {
  world_.note("model paid", question.job, question.round * 100 + question.step);
  ++paid_[question.job];
  const FakeJob* job = row_of(question);
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
    if (job.asked_by) continue;
    Bill& bill = bills_[id];
    const bool runs = job.state == FakeJobState::Running;
    const IncarnationId runner = runs ? job.incarnation : IncarnationId();
    if (call == LedgerCall::Reap && bill.runner.value != 0 && bill.runner != runner)
      crashed(job, bill);
    bill.runner = runner;
    if (left(job, bill) < 0)
      fail("more calls of " + name_of(job) + " are counted than were sent: " +
           std::to_string(bill.sent) + " sent, " + std::to_string(bill.failed) + " failed, " +
           std::to_string(stored_of(job)) + " stored, " + std::to_string(wasted_of(job)) +
           " counted as wasted, " + std::to_string(bill.empty_crashes) + " by crashes without one");
  }
}

/// Nobody can know whether it had a call of the model under way, unless it was in tool calls.
/// Those of its sub-agents are counted by whoever found it dead.
void Checker::crashed(const FakeJob& root, Bill& bill) const {
  bill.empty_crashes += std::max(0, -left(root, bill));
  if (!in_calls(root) && left(root, bill) <= 0) ++bill.empty_crashes;
}

/// The result says what the rows say.
void Checker::check_told(const FakeJob& job) {
  const JobTotals& told = job.finished->result.totals;
  if (told.wasted_model_calls != wasted_of(job))
    fail("the result of " + name_of(job) + " says that " + std::to_string(told.wasted_model_calls) +
         " calls were wasted, its rows say " + std::to_string(wasted_of(job)));
  std::int64_t tokens = 0;
  for (const FakeJob* each : family_of(job))
    for (const auto& [where, step] : each->steps) tokens += step.message.usage.total();
  if (told.usage.total() != tokens)
    fail("the result of " + name_of(job) + " says " + std::to_string(told.usage.total()) +
         " tokens, its rows " + std::to_string(tokens));
}

/// At the end: every paid call is stored, or counted as wasted.
void Checker::check_paid() {
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const int paid_here = paid(static_cast<int>(i));
    const FakeJob& job = *row_of(static_cast<int>(i));
    const int stored = stored_of(job);
    const std::string text = job.intake.job.job_id.value + ": " + std::to_string(paid_here) +
                             " calls paid, " + std::to_string(stored) + " stored, " +
                             std::to_string(wasted_of(job)) + " counted as wasted";
    if (paid_here > stored + wasted_of(job)) fail("paid calls are missing: " + text);
    if (paid_here < stored) fail("a stored reply was never asked for: " + text);
  }
}

}  // namespace ba::sim
