// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/job_runner.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/text/message/json_text.hpp"

namespace ba::driver {
namespace {

/// Answers of tools that stand in no history yet.
void add_open_results(const ConversationState& state, CompressedHistoryRow& row) {
  std::string ids;
  for (const CallState& call : state.calls) {
    if (!call.message) continue;
    ids += ',';
    append_json_string(ids, call.message->meta.message_id.value);
    ++row.messages;
  }
  row.kept_json.insert(row.kept_json.size() - 1, ids);
}

}  // namespace

/// One function for each action.
struct JobRunner::Performer {
  JobRunner& runner;

  void operator()(action::AskModel) const { runner.ask_model(); }
  void operator()(action::GoOnAsking) const { runner.turn_.go_on(); }
  void operator()(const action::RunTool& run) const { runner.tools_.run(run.call); }
  void operator()(action::Commit& write) const { runner.commit(std::move(write.delta)); }
  void operator()(action::AbortAll) const {
    runner.turn_.drop();
    runner.tools_.drop();
  }
  void operator()(action::DropSummary) const { runner.summaries_.drop(); }
  void operator()(run::Load) const { runner.load(); }
  void operator()(const run::Open& open) const { runner.open(open.again); }
  void operator()(run::ArmDeadline) const {
    runner.deadline_ = runner.ports_.executor.after(
        runner.time_left(), [&runner = runner] { runner.feed(run::DeadlineReached{}); });
  }
  void operator()(run::DisarmDeadline) const { runner.deadline_.reset(); }
  void operator()(run::DropModel) const { runner.turn_.drop(); }
  void operator()(run::DropTools) const { runner.tools_.drop(); }
  void operator()(run::HaltSubAgents) const {
    const int lost = runner.hooks_.sub_agents->halt_all_of(runner.claimed_.id);
    runner.tools_.drop();
    runner.feed(run::SubAgentsHalted{lost});
  }
  void operator()(run::LetGo) const {
    runner.turn_.drop();
    runner.tools_.drop();
    runner.feed(run::LetGone{runner.summaries_.give_up()});
  }
  void operator()(run::RetryWrite) const {
    runner.retry_ =
        runner.ports_.executor.after(kLedgerRetry, [&runner = runner] { runner.append(); });
  }
  void operator()(const run::HandBack& back) const {
    const ConversationState& state = *runner.state();
    if (back.how == RunEnd::Unresolved)
      runner.ports_.observer.job_waits(state);
    else
      runner.ports_.observer.job_handed_back(state);
    runner.end(back.how);
  }
  void operator()(const run::End& end) const { runner.end(end.how); }
};

JobRunner::JobRunner(const RunnerPorts& ports, IncarnationId self, ClaimedJob claimed,
                     RunHooks hooks)
    : ports_(ports),
      self_(self),
      claimed_(std::move(claimed)),
      hooks_(std::move(hooks)),
      run_({ports.registry, ports.publication, ports.compression.refocus}, claimed_.overdue),
      turn_(ports, run_, [this](RunEvent event) { feed(std::move(event)); }),
      tools_(
          ports, run_, turn_, [this](RunEvent event) { feed(std::move(event)); },
          hooks_.lease_holds),
      summaries_(ports, self, run_, pending_, [this](RunEvent event) { feed(std::move(event)); }) {}

JobRunner::~JobRunner() { leave_desk(); }

void JobRunner::leave_desk() {
  if (ports_.skills && state()) ports_.skills->leave(claimed_.id, state()->skills.known);
}

void JobRunner::start() { load(); }

void JobRunner::feed(RunEvent event) {
  if (dropped_) return;
  const auto alive = shared_from_this();  // an action may end this run
  RunActions actions = run_.on(std::move(event), facts());
  for (RunAction& action : actions) {
    if (dropped_) return;
    std::visit(Performer{*this}, action);
  }
  report_spending();
}

RunFacts JobRunner::facts() const {
  return {.at = {ports_.clock.now(), ports_.clock.wall()},
          .model_paid = turn_.paid(),
          .summary = summaries_.at(),
          .summary_paid = summaries_.paid(),
          .sub_agents = sub_agents_at_work()};
}

bool JobRunner::sub_agents_at_work() const {
  return hooks_.sub_agents != nullptr && hooks_.sub_agents->any_of(claimed_.id);
}

bool JobRunner::halt() {
  const bool lost = !dropped_ && turn_.paid();
  feed(run::Halt{});
  return lost;
}

// ---- the job is loaded -------------------------------------------------------------------------

void JobRunner::load() {
  loader_ = std::make_unique<JobLoader>(ports_, self_, claimed_, hooks_.bounds);
  loader_->start([this](Result<JobStart> start) { loaded(std::move(start)); });
}

void JobRunner::loaded(Result<JobStart> start) {
  const auto finished = std::move(loader_);
  claimed_.fresh = false;
  if (!start) return feed(run::LoadFailed{start.error()});
  leave_desk();
  turn_.forget();
  feed(run::Loaded{std::move(*start)});
}

void JobRunner::open(bool again) {
  if (ports_.skills) ports_.skills->enter(claimed_.id, state()->skills.known);
  reported_ = spending_of(state()->bill.totals);
  if (!again) ports_.observer.job_started(*state());
  feed(run::Opened{});
}

Milliseconds JobRunner::time_left() const {
  const auto used = ports_.clock.wall() - claimed_.first_claimed_at - claimed_.idle;
  const auto left =
      state()->profile.limits.deadline - std::chrono::duration_cast<Milliseconds>(used);
  return std::max(left, Milliseconds{0});
}

void JobRunner::ask_model() {
  const auto alive = shared_from_this();
  if (turn_.ask() && turn_.view() != nullptr) summaries_.begin(*turn_.view());
}

// ---- what happened is made durable -------------------------------------------------------------

void JobRunner::commit(Delta delta) {
  keep_what_is_left(delta);
  pending_ = share(std::move(delta));
  append();
}

/// At the end of a round of a history that was made shorter; a job that ends has no more summaries
/// written.
void JobRunner::keep_what_is_left(Delta& delta) {
  if (delta.finished) {
    delta.finished->ends_summaries = summaries_.tried_any();
    summaries_.drop();
  }
  const ContextView* view = turn_.view();
  if (delta.rounds_closed.empty() || view == nullptr || view->compressions() == 0) return;
  CompressedHistoryRow row = view->left_of(state()->history.messages);
  row.round = delta.rounds_closed.back().round;
  add_open_results(*state(), row);
  delta.compressed_histories.push_back(std::move(row));
}

void JobRunner::append() {
  if (const auto valid = validate_messages(*pending_); !valid) {
    retry_ = ports_.executor.after(Milliseconds(0), [this, valid] { appended(valid); });
    return;
  }
  ports_.ledger.append(self_, pending_, [weak = weak_from_this()](const Result<void>& result) {
    auto self = weak.lock();
    if (self && !self->dropped_) self->appended(result);
  });
}

void JobRunner::appended(const Result<void>& result) {
  if (result) return durable();
  const bool back = run_.phase() == RunPhase::GivingBack;
  report(result.error(), back ? "record a lost model call" : "append a step");
  feed(run::WriteFailed{result.error()});
}

void JobRunner::durable() {
  const int more = pending_->wasted_model_calls - run_.lost_calls_recorded();
  if (more > 0) ports_.observer.model_calls_lost(*state(), more);
  if (run_.phase() != RunPhase::GivingBack) {
    summaries_.remember(pending_->summaries);
    ports_.observer.committed(*state(), *pending_);
  }
  if (pending_->finished) {
    if (!pending_->finished->outbox.empty()) shard_ = pending_->finished->outbox.front().shard;
    ports_.observer.job_finished(*state(), pending_->finished->result);
  } else {
    // The state has it: held twice, the last results take most of a job that waits for its model.
    Delta kept;
    kept.summaries = pending_->summaries;
    pending_ = kept.summaries.empty() ? nullptr : share(std::move(kept));
  }
  feed(run::Written{});
}

void JobRunner::report(const Error& error, const char* what) {
  LedgerAttempt attempt{.what = what, .row = claimed_.id};
  attempt.tenant = state()->job.tenant.value;
  attempt.job = state()->job.job_id.value;
  attempt.round = state()->round.number;
  attempt.step = state()->round.step;
  ports_.observer.ledger_failed(error, attempt);
}

/// As soon as it is known, also before it is durable.
void JobRunner::report_spending() {
  if (!hooks_.spent || dropped_ || !state() || run_.phase() == RunPhase::GivingBack) return;
  const Spending now = spending_of(state()->bill.totals);
  if (now == reported_) return;
  hooks_.spent(now - std::exchange(reported_, now));
}

const JobResult* JobRunner::result() const {
  return pending_ && pending_->finished ? &pending_->finished->result : nullptr;
}

// ---- the run is over ---------------------------------------------------------------------------

void JobRunner::drop() {
  dropped_ = true;
  leave_desk();
  loader_.reset();
  turn_.drop();
  summaries_.drop();
  tools_.drop();
  deadline_.reset();
  retry_.reset();
}

void JobRunner::end(RunEnd how) {
  if (dropped_) return;
  drop();
  hooks_.ended(claimed_.id, how);
}

}  // namespace ba::driver
