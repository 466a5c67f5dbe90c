// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/engine.hpp"

#include <algorithm>

#include "pipeline/core/ledger/ledger.hpp"

namespace ba::driver {

Engine::Engine(const RunnerPorts& ports, DecodeRecord decode, EngineOptions options,
               EngineHooks hooks)
    : ports_(ports),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      intake_(std::move(decode)),
      backlog_(options_.window, options_.conversation_wait_max),
      jobs_(ports, {[this](const JobRunner& runner, RunEnd how) { job_ended(runner, how); },
                    hooks_.fenced, hooks_.lease_holds}) {}

void Engine::start(IncarnationId self, IntakeSource* source) {
  self_ = self;
  source_ = source;
  want_claim_ = true;
  jobs_.enter(self);
  pump();
}

void Engine::take(std::vector<RawRecord> records) {
  if (phase_ != Phase::Working) return;  // not acknowledged: they are read again
  intake_.take(std::move(records));
  update_window();
  pump();
}

void Engine::look_for_work() {
  want_claim_ = true;
  pump();
}

// ---- records and claims ------------------------------------------------------------------------

void Engine::pump() {
  if (phase_ != Phase::Working || call_ != LedgerCall::None) return;
  // First, as a claim would answer with what is still owned.
  if (!to_hand_back_.empty()) return hand_back();
  if (!intake_.empty()) return send_intake();
  if (want_claim_ && (look_due_ || running() < options_.running_max)) return send_claim();
  if (!timer_) arm(options_.claim_interval);
}

void Engine::arm(Milliseconds delay) {
  timer_ = ports_.executor.after(delay, [this] {
    timer_.reset();
    want_claim_ = look_due_ = true;
    pump();
  });
}

ClaimRequest Engine::claim_request() {
  ClaimRequest request;
  request.retried_max = options_.retried_max;
  request.jobs_max = std::max(0, options_.running_max - running());
  backlog_.ask(request, ports_.clock.now());
  request.known = jobs_.known();
  return request;
}

void Engine::send_intake() {
  call_ = LedgerCall::Acquire;
  want_claim_ = false;
  IntakeBatch batch = intake_.next_batch();
  ports_.ledger.intake(self_, std::move(batch), claim_request(),
                       lifetime_.guarded([this](Result<ClaimAnswer> answer) {
                         if (phase_ == Phase::Dropped) return;
                         if (answer) taken_in();
                         acquired(std::move(answer));
                       }));
}

void Engine::taken_in() {
  const IntakeSummary& summary = intake_.summary();
  ports_.observer.taken_in(summary);
  if (source_) source_->acknowledge(intake_.batch().size(), next_offsets(intake_.batch()));
  intake_.written();
  backlog_.taken_in(summary);
  for (const DeadLetterSeen& letter : summary.dead_letters) hooks_.outbox_written(letter.shard);
}

void Engine::send_claim() {
  call_ = LedgerCall::Acquire;
  want_claim_ = look_due_ = false;
  ports_.ledger.claim(self_, claim_request(), lifetime_.guarded([this](Result<ClaimAnswer> answer) {
    if (phase_ == Phase::Dropped) return;
    acquired(std::move(answer));
  }));
}

void Engine::acquired(Result<ClaimAnswer> answer) {
  call_ = LedgerCall::None;
  if (!answer) return failed(answer.error());
  ledger_ok_ = true;
  std::int64_t fresh = 0;
  for (ClaimedJob& job : answer.value().jobs) {
    if (!jobs_.is_new(job.id)) continue;
    ++fresh;
    if (phase_ == Phase::Working)
      jobs_.start(std::move(job));
    else
      to_hand_back_.push_back({job.id});
  }
  backlog_.answered(answer.value(), fresh);
  update_window();
  // A request stays with its job, for who claims it next.
  if (phase_ != Phase::Working) return hand_back();
  for (const RequestedJob& requested : answer.value().requests) jobs_.ask_of(requested);
  pump();
}

void Engine::failed(const Error& error) {
  ports_.observer.ledger_failed(error, {.what = "take in or claim jobs"});
  if (error.code == ErrorCode::Fenced) return ports_.executor.post(hooks_.fenced);
  want_claim_ = true;
  if (phase_ == Phase::Working && intake_.refused(error)) return pump();
  ledger_ok_ = false;
  if (phase_ != Phase::Working) return hand_back();
  arm(options_.intake_retry);
}

void Engine::update_window() {
  auto paused = backlog_.newly_paused(running(), intake_.size());
  if (paused && source_) source_->set_paused(std::move(*paused));
}

// ---- jobs end, and go back ---------------------------------------------------------------------

void Engine::job_ended(const JobRunner& runner, RunEnd how) {
  if (how == RunEnd::Fenced) return ports_.executor.post(hooks_.fenced);
  if (how == RunEnd::AtBoundary || how == RunEnd::Unresolved)
    to_hand_back_.push_back({runner.job(), how == RunEnd::Unresolved});
  if (how == RunEnd::Finished) hooks_.outbox_written(runner.shard());
  if (runner.overdue()) backlog_.overdue_ended();
  if (phase_ != Phase::Working) return hand_back();
  if (waiting() > 0) want_claim_ = true;
  update_window();
  pump();
}

void Engine::hand_back() {
  if (call_ != LedgerCall::None || phase_ == Phase::Dropped) return;
  if (to_hand_back_.empty()) return finish_drain();
  call_ = LedgerCall::HandBack;
  ports_.ledger.hand_back(self_, std::exchange(to_hand_back_, {}),
                          lifetime_.guarded([this](Result<void> result) {
                            if (phase_ == Phase::Dropped) return;
                            call_ = LedgerCall::None;
                            if (!result) return not_handed_back(result.error());
                            if (phase_ != Phase::Working) return hand_back();
                            want_claim_ = true;
                            pump();
                          }));
}

/// One that may be done yet must find no job that runs again under this incarnation: it would take
/// it away from its run, with a model call in flight that nobody counts. In a drain none runs
/// again, and what is left goes back when the incarnation leaves.
void Engine::not_handed_back(const Error& error) {
  ports_.observer.ledger_failed(error, {.what = "hand back"});
  if (phase_ != Phase::Working) return hand_back();
  if (error.maybe_done) return ports_.executor.post(hooks_.fenced);
  want_claim_ = true;
  pump();
}

// ---- the end -----------------------------------------------------------------------------------

void Engine::drain(std::function<void()> done) {
  if (phase_ != Phase::Working) return;
  phase_ = Phase::Draining;
  drained_ = std::move(done);
  timer_.reset();
  jobs_.drain();
  hand_back();
}

void Engine::abandon() { jobs_.abandon(); }

void Engine::finish_drain() {
  if (phase_ != Phase::Draining || running() > 0) return;
  phase_ = Phase::Drained;
  ports_.executor.post(std::exchange(drained_, nullptr));
}

void Engine::drop() {
  phase_ = Phase::Dropped;
  timer_.reset();
  jobs_.drop();
}

}  // namespace ba::driver
