// SPDX-License-Identifier: Apache-2.0
// Invariant 4: what a call of the model costs is stored or counted as wasted, and nothing else is.
#include <algorithm>

#include "pipeline/core/context/narrow_window.hpp"
#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

int wasted(const FakeJob& job) {
  int sum = 0;
  for (const auto& [incarnation, calls] : job.wasted_model_calls) sum += calls;
  return sum;
}

/// That a model was paid for.
std::size_t written_summaries(const FakeJob& job) {
  return static_cast<std::size_t>(std::ranges::count_if(job.summaries, [](const auto& entry) {
    return !entry.second.row.model.empty() && !entry.second.row.reused;
  }));
}

int summaries_begun(const FakeJob& job) {
  return static_cast<int>(std::ranges::count_if(job.summaries, [](const auto& entry) {
    return entry.second.row.state == SummaryState::Writing;
  }));
}

}  // namespace

/// The family's: a job counts what its sub-agents had under way when it ended.
int Checker::stored_of(const FakeJob& root) const {
  std::size_t stored = 0;
  for (const FakeJob* job : family_of(root)) stored += job->steps.size() + written_summaries(*job);
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
  const FakeJob* job = row_of(question);
  if (!job) return;
  ++bills_[root_of(*job).id].sent;
  if (question.summary) check_summary_asked(*job, question);
}

void Checker::context_full(const ModelQuestion& question) {
  if (const FakeJob* job = row_of(question)) ++full_[job->id];
}

/// Each that is on record was made, none twice, and no more for a reply than there may be. Nobody
/// gives up who was refused nothing.
void Checker::check_refusals(const FakeJob& job) {
  const auto made = full_.find(job.id);
  const int times = made == full_.end() ? 0 : made->second;
  if (std::ssize(job.refused_contexts) > times)
    fail("more refused contexts of " + name_of(job) + " are on record than there were: " +
         std::to_string(job.refused_contexts.size()) + " of " + std::to_string(times));
  for (const auto& [at, row] : job.refused_contexts)
    if (at.index > kRefusalsOfReplyMax)
      fail("a reply of " + name_of(job) + " was asked for after it had been refused " +
           std::to_string(at.index) + " times");
  const bool gave_up = job.finished && job.finished->result.error &&
                       job.finished->result.error->code == "CONTEXT_EXCEEDED";
  if (gave_up && times == 0) fail(name_of(job) + " gave up, and its context was never full");
}

/// By one that no longer has the job it comes too late: a crash with a call under way was counted.
/// Neither a job that has ended nor a process between two lives has an incarnation.
void Checker::model_failure_heard(const ModelQuestion& question, const Process& process) {
  const FakeJob* job = row_of(question);
  if (job && question.summary) --summaries_sent_[{job->id, *question.summary}];
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
  if (!question.summary && job->steps.contains({question.round, question.step}))
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
  const int counted = (in_calls(root) ? 0 : 1) + summaries_begun(root);
  bill.empty_crashes += std::max(0, counted - left(root, bill));
}

/// The result says what the rows say.
void Checker::check_told(const FakeJob& job) {
  const JobTotals& told = job.finished->result.totals;
  if (told.wasted_model_calls != wasted_of(job))
    fail("the result of " + name_of(job) + " says that " + std::to_string(told.wasted_model_calls) +
         " calls were wasted, its rows say " + std::to_string(wasted_of(job)));
  std::int64_t tokens = 0;
  for (const FakeJob* each : family_of(job)) {
    for (const auto& [where, step] : each->steps) tokens += step.message.usage.total();
    for (const auto& [at, summary] : each->summaries)
      if (!summary.row.reused) tokens += summary.row.usage.total();
  }
  if (told.usage.total() != tokens)
    fail("the result of " + name_of(job) + " says " + std::to_string(told.usage.total()) +
         " tokens, its rows " + std::to_string(tokens));
}

const FakeJob* Checker::running_in(std::uint64_t conversation) const {
  for (const auto& [id, job] : database_->rows().jobs())
    if (job.state == FakeJobState::Running &&
        static_cast<std::uint64_t>(job.conversation.value) == conversation)
      return &job;
  return nullptr;
}

std::optional<int> Checker::next_step(std::uint64_t conversation, int round) const {
  const FakeJob* job = running_in(conversation);
  if (!job) return std::nullopt;
  return 1 + static_cast<int>(std::ranges::count_if(
                 job->steps, [round](const auto& entry) { return entry.first.first == round; }));
}

ModelQuestion Checker::question_of_summary(const ModelRequest& request,
                                           const Process& process) const {
  ModelQuestion question;
  question.summary = Position{-2, 0, 0};
  const FakeJob* job = running_in(request.affinity);
  const std::string& text = std::get<HumanMessage>(*request.messages.at(0)).text;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const Job& planned = plan_.jobs[i].job;
    const bool named = text.find("User: " + planned.tenant.value + "/" + planned.job_id.value +
                                 "#") != std::string::npos;
    const FakeJob* row = row_of(static_cast<int>(i));
    // Asked for late, of a history that was cut before the question: by the conversation alone.
    const bool alike = row != nullptr && question.job < 0 &&
                       static_cast<std::uint64_t>(row->conversation.value) == request.affinity;
    if (job ? row == job : named || alike) question.job = static_cast<int>(i);
  }
  if (!job || job->incarnation != process.incarnation) return question;
  question.summary = Position{-1, 0, 0};
  for (const auto& [at, summary] : job->summaries)
    if (summary.row.state == SummaryState::Writing) question.summary = at;
  return question;
}

/// Each is on record before it is asked for, and asked for once.
void Checker::check_summary_asked(const FakeJob& job, const ModelQuestion& question) {
  world_.mark(Mark::SummaryAsked);
  if (set_back_ || question.summary->round == -2) return;
  if (question.summary->round == -1)
    return fail("a summary of " + name_of(job) + " was asked for that is not on record");
  if (++summaries_sent_[{job.id, *question.summary}] > 1)
    fail("the model was asked twice for one summary of " + name_of(job));
}

/// What a model is sent follows from durable rows: of its own job, as a worker that stood still may
/// ask for one that has ended while the next of its conversation runs.
void Checker::check_summaries_seen(const ModelQuestion& question, const ModelRequest& request) {
  const FakeJob* job = row_of(question);
  if (set_back_ || !job) return;
  for (const Message* message : request.messages) {
    const auto* system = std::get_if<SystemMessage>(message);
    if (!system || !system->text.starts_with("Summary of the conversation")) continue;
    world_.mark(Mark::SummaryUsed);
    const std::string text = system->text.substr(system->text.find('\n') + 1);
    const bool durable = std::ranges::any_of(job->summaries, [&text](const auto& entry) {
      return entry.second.row.state == SummaryState::Ready && entry.second.row.text == text;
    });
    if (!durable) fail(name_of(*job) + " was sent a summary that is not durable");
  }
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
