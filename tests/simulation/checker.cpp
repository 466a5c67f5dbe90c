// SPDX-License-Identifier: Apache-2.0
// What holds after every visible change; what holds at the end is in checker_end.cpp.
#include "tests/simulation/checker.hpp"

#include <algorithm>

#include "pipeline/text/message/validate.hpp"

namespace ba::sim {
namespace {

std::size_t size_of(const FakeJob& job) {
  return job.messages.size() * 4 + static_cast<std::size_t>(job.state);
}

}  // namespace

std::string name_of(const FakeJob& job) {
  return job.intake.job.tenant.value + "/" + job.intake.job.job_id.value;
}

void Checker::fail(const std::string& what) {
  if (!violation_.empty()) return;
  violation_ = what;
  world_.note("VIOLATION", 0, 0, what);
}

/// Invariant 5: no success is told to an incarnation that has ended, since it may change nothing.
void Checker::committed(LedgerCall call, IncarnationId self) {
  const FakeLedger& rows = database_->rows();
  const bool writes = call != LedgerCall::Enter && call != LedgerCall::Leave &&
                      call != LedgerCall::Load && call != LedgerCall::LoadRemains &&
                      call != LedgerCall::PendingShards;
  if (writes && rows.has_ended(self))
    fail("a dead incarnation changed the ledger: " + std::string(to_string(call)) + " of " +
         std::to_string(self.value));
  if (call == LedgerCall::Reap && !rows.alive(self))
    fail("incarnation " + std::to_string(self.value) + " reaped others after its own lease");
  if (call == LedgerCall::Append || call == LedgerCall::Intake || call == LedgerCall::Claim ||
      call == LedgerCall::ReplaceRecord)
    check_jobs();
  if (call == LedgerCall::ReplaceRecord) check_unpublished();
  check_bills(call);
  if (call == LedgerCall::RemoveBatch) check_removed();
  if (call == LedgerCall::HandBack) check_handed_back(self);
  if (call != LedgerCall::Intake) return;
  for (const auto& [key, log] : group_->logs())
    if (const auto next = rows.intake_offset(key.first, key.second))
      check_taken_in(key, *next, "the ledger's");
}

/// Also where the database has forgotten the first one: that may still be about.
void Checker::entered(IncarnationId incarnation) {
  if (!incarnations_.insert(incarnation).second)
    fail("incarnation " + std::to_string(incarnation.value) + " was given out twice");
}

void Checker::database_was_set_back() {
  set_back_ = true;
  sizes_.clear();
  terminal_.clear();
  removed_.clear();  // those of the backup were looked at when they went
  for (const auto& [id, job] : database_->rows().removed_jobs()) removed_.insert(id);
  overdue_.clear();  // likewise
  for (const auto& [id, job] : database_->rows().jobs())
    if (job.overdue) overdue_.insert(id);
  told_.clear();
  cancelled_.clear();
  sent_.clear();
}

void Checker::check_jobs() {
  std::set<LedgerConversationId> running;
  for (const auto& [id, job] : database_->rows().jobs()) {
    if (job.state == FakeJobState::Running && !running.insert(job.conversation).second)
      fail("two jobs of one conversation run: " + name_of(job));
    std::size_t& seen = sizes_[id];
    if (seen == size_of(job) && job.state != FakeJobState::Finished) continue;
    const bool fresh = seen != size_of(job);
    seen = size_of(job);
    check_family(job);
    if (fresh) check_job(job);
    if (job.state == FakeJobState::Finished) check_terminal(job);
  }
}

void Checker::check_job(const FakeJob& job) {
  check_history(job);
  if (job.overdue) check_overdue(job);
  if (!set_back_) check_refusals(job);
  if (has_skills()) check_skills(job);
  for (const auto& [position, message] : job.messages) {
    const std::string& tenant = job.intake.job.tenant.value;
    if (const auto* ai = std::get_if<AiMessage>(&message))
      check_tenant(ai->text, tenant, "a stored reply");
    if (const auto* tool = std::get_if<ToolMessage>(&message))
      check_tenant(tool->content, tenant, "a stored observation");
  }
}

/// A sub-agent's job runs where the job that asked for it runs, and ends before it or with it.
void Checker::check_family(const FakeJob& job) {
  const FakeJob& root = root_of(job);
  if (&root == &job) {
    if (job.state != FakeJobState::Finished) return;
    for (const FakeJob* each : family_of(job))
      if (each->state != FakeJobState::Finished)
        fail(name_of(*each) + " outlives the job that asked for it, " + name_of(job));
    return;
  }
  if (job.state == FakeJobState::Held) world_.mark(Mark::SubAgentHeld);
  if (job.state == FakeJobState::Running && job.attempt > 1) world_.mark(Mark::SubAgentWentOn);
  if (job.state == FakeJobState::Ready || job.state == FakeJobState::Paused ||
      job.state == FakeJobState::Waiting)
    fail(name_of(job) + " is a sub-agent's and is " + std::string(to_string(job.state)));
  if (job.state == FakeJobState::Running &&
      (root.state != FakeJobState::Running || root.incarnation != job.incarnation))
    fail(name_of(job) + " runs where the job that asked for it, " + name_of(root) + ", does not");
}

/// Invariant 6.
void Checker::check_history(const FakeJob& job) {
  std::vector<const Message*> messages;
  messages.reserve(job.messages.size());
  for (const auto& [position, message] : job.messages) messages.push_back(&message);
  const bool finished = job.state == FakeJobState::Finished;
  // Observations are stored as they come, not in the order of the calls.
  if (!finished) {
    for (const Message* message : messages)
      if (auto valid = validate_message(*message); !valid)
        fail("the history of " + name_of(job) + " is invalid: " + valid.error().message);
    return;
  }
  if (auto valid = validate_history(messages, HistoryEnd::Answered); !valid)
    fail("the history of " + name_of(job) + " is invalid: " + valid.error().message);
}

/// Invariant 1, the ledger's half: the result never changes and is in the outbox.
void Checker::check_terminal(const FakeJob& job) {
  if (job.asked_by) return mark_outcome(job);
  const auto [known, first] = terminal_.try_emplace(job.id, job.finished->result_bytes);
  if (known->second != job.finished->result_bytes) {
    check_replaced(job);
    known->second = job.finished->result_bytes;
    return check_in_outbox(job);
  }
  if (!first) return;
  mark_outcome(job);
  if (!set_back_) check_asked_for(job);
  if (!set_back_) check_told(job);
  check_in_outbox(job);
}

/// Only in place of one that Kafka refuses, and as long as nobody can have seen it.
void Checker::check_replaced(const FakeJob& job) {
  const JobResult& result = job.finished->result;
  if (refused_.erase(result.result_id) == 0) fail("the result of " + name_of(job) + " changed");
  if (published_.contains(result.result_id))
    fail("the result of " + name_of(job) + " changed after it was published");
  if (!result.error || result.error->code != "RESULT_REFUSED")
    fail("the result of " + name_of(job) + " doesn't say that Kafka refused it");
  world_.mark(Mark::ResultReplaced);
}

void Checker::check_in_outbox(const FakeJob& job) {
  const auto of_job = [&](const FakeOutboxRow& each) {
    return each.record.result_id == job.finished->result.result_id;
  };
  const auto& outbox = database_->rows().outbox();
  const auto row = std::find_if(outbox.begin(), outbox.end(), of_job);
  const auto& gone = database_->rows().removed_outbox();
  if (row == outbox.end() && std::any_of(gone.begin(), gone.end(), of_job)) return;
  if (row == outbox.end())
    fail("the result of " + name_of(job) + " is not in the outbox");
  else if (row->record.value != job.finished->result_bytes)
    fail("the outbox has other bytes than the result of " + name_of(job));
}

void Checker::mark_outcome(const FakeJob& job) {
  const JobResult& result = job.finished->result;
  const Outcome outcome = result.outcome;
  if (job.asked_by)
    return world_.mark(outcome == Outcome::Cancelled ? Mark::SubAgentCancelled
                                                     : Mark::SubAgentEnded);
  if (outcome == Outcome::Poisoned) world_.mark(Mark::JobPoisoned);
  if (outcome == Outcome::DeadlineExceeded)
    world_.mark(waited_too_long(job) ? Mark::JobWaitedTooLong : Mark::JobOverDeadline);
  if (outcome == Outcome::StepLimit) world_.mark(Mark::JobOverLimit);
  if (outcome == Outcome::Failed) world_.mark(Mark::JobRefusedByLedger);
  if (outcome == Outcome::Cancelled) world_.mark(Mark::JobCancelled);
  if (outcome == Outcome::Completed && !job.refused_contexts.empty())
    world_.mark(Mark::AnsweredAfterRefusal);
  if (result.totals.wasted_model_calls > 0) world_.mark(Mark::ModelCallWasted);
}

/// Invariant 7.
void Checker::model_sees(const ModelQuestion& question, const ModelRequest& request,
                         const Process& process) {
  if (question.job < 0) return fail("the model was asked about no job");
  check_summaries_seen(question, request);
  const std::string& tenant =
      plan_.jobs.at(static_cast<std::size_t>(question.job)).job.tenant.value;
  for (const Message* message : request.messages) {
    if (const auto* human = std::get_if<HumanMessage>(message))
      check_tenant(human->text, tenant, "a request's question");
    if (const auto* system = std::get_if<SystemMessage>(message))
      check_tenant(system->text, tenant, "a request's summary");
    if (const auto* ai = std::get_if<AiMessage>(message))
      check_tenant(ai->text, tenant, "a request's reply");
    if (const auto* tool = std::get_if<ToolMessage>(message))
      check_tenant(tool->content, tenant, "a request's observation");
  }
  if (auto valid = validate_history(request.messages, HistoryEnd::Answered); !valid)
    fail("the model was sent an invalid history: " + valid.error().message);
  const FakeJob* job = row_of(question);
  const FakeLedger& rows = database_->rows();
  if (!job || question.summary || set_back_ || !rows.alive(process.incarnation)) return;
  if (job->state != FakeJobState::Running || job->incarnation != process.incarnation) return;
  check_nothing_removed_seen(*job, request);
  // One that was made shorter may lack any of it.
  if (!scenario_.on(Fault::LongHistories)) check_what_is_left_seen(*job, request);
  check_counts_durable(*job, question, process);
  check_same_request(*job, question, request);
  if (has_skills()) check_skills_seen(*job, question, request);
}

void Checker::check_tenant(const std::string& text, const std::string& tenant, const char* where) {
  for (const char* other : kTenants)
    if (tenant != other && text.find(other) != std::string::npos)
      fail(std::string(where) + " of " + tenant + " shows something of " + other);
}

/// Invariant 3.
void Checker::tool_ran(EffectClass effect, const ToolInvocation& call, bool fresh) {
  world_.note("effect", call.job.value, call.position.index, call.tool_name);
  if (set_back_) return;
  check_complete(call);
  const CallKey key{call.job, call.position};
  Effect& had = effects_[key];
  if (effect != EffectClass::Keyed && ++had.times > 1)
    fail("a call of " + call.tool_name + " had its effect twice");
  if (effect != EffectClass::Keyed) return;
  had.times += fresh ? 1 : 0;
  if (had.times > 1) fail("a keyed call of " + call.tool_name + " had its effect twice");
  const auto [owner, first] = keys_.try_emplace(call.idempotency_key, key);
  if (!first && owner->second != key)
    fail("two calls of " + call.tool_name + " share an idempotency key");
}

/// The client says that the call had no effect. The server never finds fault with a request.
void Checker::served_call_failed(const ToolInvocation& call, const ToolError& error,
                                 bool maybe_done) {
  if (set_back_) return;
  if (maybe_done)
    fail("a call of " + call.tool_name + " was told as failed and may have its effect");
  if (error.code == "MCP_REQUEST_REFUSED")
    fail("a call of " + call.tool_name + " was told as wrong though nothing is wrong with it");
}

/// A call of a reply that was cut may say something else than the model meant.
void Checker::check_complete(const ToolInvocation& call) {
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const FakeJob* row = row_of(static_cast<int>(i));
    if (!row || row->id != call.job) continue;
    const auto& steps = plan_.jobs[i].rounds.at(static_cast<std::size_t>(call.position.round));
    const auto step = static_cast<std::size_t>(call.position.step - 1);
    if (step < steps.size() && steps[step].kind == ReplyKind::CutCalls)
      fail("a call of " + call.tool_name + " was run although its reply was cut");
  }
}

}  // namespace ba::sim
