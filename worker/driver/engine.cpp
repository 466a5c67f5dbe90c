// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/engine.hpp"

#include <algorithm>

#include "pipeline/core/ledger/ledger.hpp"

namespace ba {
namespace {

/// Between two counts of what waits; in between it is reckoned from what is taken in and claimed.
constexpr Milliseconds kCountInterval{100};

/// At most so long between two looks for jobs that wait too long, and a tenth of what is allowed:
/// where many wait, a look costs.
constexpr Milliseconds kOverdueInterval{10'000};

IntakeSummary summarise(const IntakeBatch& batch) {
  IntakeSummary summary;
  for (const IntakeJob& job : batch.jobs) ++summary.jobs.at(static_cast<std::size_t>(job.job.lane));
  for (const DeadLetter& letter : batch.dead_letters)
    summary.dead_letters.push_back(
        {letter.source, letter.reason, letter.field, letter.message, letter.record.shard});
  return summary;
}

}  // namespace

Engine::Engine(const RunnerPorts& ports, DecodeRecord decode, EngineOptions options,
               EngineHooks hooks)
    : ports_(ports),
      decode_(std::move(decode)),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      window_(options_.window) {}

Engine::~Engine() = default;

void Engine::start(IncarnationId self, IntakeSource* source) {
  self_ = self;
  source_ = source;
  want_claim_ = true;
  host_sub_agents();
  pump();
}

void Engine::take(std::vector<RawRecord> records) {
  if (draining_ || over_) return;  // not acknowledged: they are read again
  std::move(records.begin(), records.end(), std::back_inserter(records_));
  update_window();
  pump();
}

void Engine::pump() {
  if (over_ || acquiring_ || draining_) return;
  // First, as a claim would answer with what is still owned.
  if (handing_back_ || !to_hand_back_.empty()) return hand_back();
  if (!in_flight_.empty() || !records_.empty()) return send_intake();
  if (want_claim_ && (look_due_ || running() < options_.running_max)) return send_claim();
  if (!timer_) arm(options_.claim_interval);
}

ClaimRequest Engine::claim_request() {
  const SteadyTime now = ports_.clock.now();
  counting_ = !counted_at_ || now >= *counted_at_ + kCountInterval;
  if (counting_) counted_at_ = now;
  ClaimRequest request;
  request.retried_max = options_.retried_max;
  request.conversation_wait_max = overdue_after(now);
  request.count = counting_;
  request.waiting_count_max = options_.window.waiting_max;
  request.jobs_max = std::max(0, options_.running_max - running());
  request.claimable_count_max = options_.window.jobs_max;
  request.known.reserve(runners_.size() + broken_.size());
  for (const auto& [id, runner] : runners_) request.known.push_back(id);
  request.known.insert(request.known.end(), broken_.begin(), broken_.end());
  return request;
}

/// The limit of waiting if it is time to look for jobs that are over it, else 0.
std::chrono::seconds Engine::overdue_after(SteadyTime now) {
  const auto max = options_.conversation_wait_max;
  const auto interval = std::min(kOverdueInterval, Milliseconds(max) / 10);
  if (overdue_sought_at_ && now < *overdue_sought_at_ + interval) return {};
  overdue_sought_at_ = now;
  return max;
}

/// By number and by weight: what one statement and one task can carry, however large the records.
std::size_t Engine::next_batch_size() const {
  const std::size_t most = singles_ > 0 ? 1 : std::min(records_.size(), kBatchMax);
  std::size_t bytes = bytes_of(records_.front());
  for (std::size_t count = 1; count < most; ++count) {
    bytes += bytes_of(records_[count]);
    if (bytes > kIntakeBatchBytesMax) return count;
  }
  return most;
}

void Engine::send_intake() {
  if (in_flight_.empty()) {
    const auto end = records_.begin() + static_cast<std::ptrdiff_t>(next_batch_size());
    in_flight_.assign(std::make_move_iterator(records_.begin()), std::make_move_iterator(end));
    records_.erase(records_.begin(), end);
    if (singles_ > 0) --singles_;
  }
  acquiring_ = true;
  want_claim_ = false;
  ended_meanwhile_.clear();
  IntakeBatch batch = build_intake_batch(in_flight_, decode_);
  summary_ = summarise(batch);
  ports_.ledger.intake(self_, std::move(batch), claim_request(),
                       [this, alive = std::weak_ptr(alive_)](Result<ClaimAnswer> answer) {
                         if (alive.expired() || over_) return;
                         if (answer) taken_in();
                         acquired(std::move(answer));
                       });
}

void Engine::taken_in() {
  ports_.observer.taken_in(summary_);
  if (source_) source_->acknowledge(in_flight_.size(), next_offsets(in_flight_));
  in_flight_.clear();
  for (const int jobs : summary_.jobs) {
    waiting_ += jobs;
    claimable_ += jobs;
  }
  for (const DeadLetterSeen& letter : summary_.dead_letters) hooks_.outbox_written(letter.shard);
}

void Engine::send_claim() {
  acquiring_ = true;
  want_claim_ = look_due_ = false;
  ended_meanwhile_.clear();
  ports_.ledger.claim(self_, claim_request(),
                      [this, alive = std::weak_ptr(alive_)](Result<ClaimAnswer> answer) {
                        if (!alive.expired() && !over_) acquired(std::move(answer));
                      });
}

void Engine::acquired(Result<ClaimAnswer> answer) {
  acquiring_ = false;
  if (!answer) return failed(answer.error());
  ledger_ok_ = true;
  std::int64_t fresh = 0;
  for (ClaimedJob& job : answer.value().jobs) {
    if (runners_.contains(job.id) || ended_meanwhile_.contains(job.id)) continue;
    if (broken_.contains(job.id)) continue;
    ++fresh;
    if (draining_) {
      to_hand_back_.push_back({job.id});
    } else {
      start_job(std::move(job));
    }
  }
  note_waiting(answer.value(), fresh);
  update_window();
  if (draining_) return hand_back();  // a request stays with its job, for who claims it next
  for (const RequestedJob& requested : answer.value().requests) ask_of(requested);
  pump();
}

void Engine::note_waiting(const ClaimAnswer& answer, std::int64_t fresh) {
  waiting_ = counting_ ? answer.waiting : std::max<std::int64_t>(0, waiting_ - fresh);
  claimable_ = counting_ ? answer.claimable : std::max<std::int64_t>(0, claimable_ - fresh);
}

/// A job that has just ended, or that another life owns by now, is asked nothing.
void Engine::ask_of(const RequestedJob& requested) {
  const auto found = runners_.find(requested.id);
  if (found == runners_.end()) return;
  const auto runner = found->second;  // it may end meanwhile
  if (requested.request == JobRequest::Cancel) runner->feed(run::Cancel{});
  if (requested.request == JobRequest::Pause) {
    runner->feed(run::Pause{});
    sub_agents_->pause(requested.id);
  }
}

void Engine::failed(const Error& error) {
  ports_.observer.ledger_failed(error, {.what = "take in or claim jobs"});
  if (error.code == ErrorCode::Fenced) return ports_.executor.post(hooks_.fenced);
  want_claim_ = true;
  if (!draining_ && refused(error)) return pump();
  ledger_ok_ = false;
  if (draining_) return hand_back();
  arm(options_.intake_retry);
}

/// Whether the ledger refuses a record, which holds up no other: those of its batch go on one by
/// one, and itself becomes a dead letter, if need be one that says less.
bool Engine::refused(const Error& error) {
  if (error.retry != Retry::Never || error.code != ErrorCode::InvalidArgument) return false;
  if (in_flight_.size() > 1) {
    singles_ += in_flight_.size();
    records_.insert(records_.begin(), std::make_move_iterator(in_flight_.begin()),
                    std::make_move_iterator(in_flight_.end()));
    in_flight_.clear();
    return true;
  }
  if (in_flight_.empty()) return false;
  auto& refusal = in_flight_.front().refusal;
  if (refusal && refusal->of_letter) return false;
  refusal = LedgerRefusal{error.message, refusal.has_value()};
  return true;
}

void Engine::arm(Milliseconds delay) {
  timer_ = ports_.executor.after(delay, [this] {
    timer_.reset();
    want_claim_ = look_due_ = true;
    pump();
  });
}

void Engine::host_sub_agents() {
  SubAgents::Hooks hooks;
  hooks.runner = [this](LedgerJobId job) {
    const auto found = runners_.find(job);
    return found == runners_.end() ? nullptr : found->second;
  };
  hooks.fenced = hooks_.fenced;
  hooks.lease_holds = hooks_.lease_holds;
  sub_agents_ = std::make_unique<SubAgents>(ports_, self_, std::move(hooks));
}

void Engine::start_job(ClaimedJob job) {
  const LedgerJobId id = job.id;
  RunHooks hooks;
  hooks.ended = [this](LedgerJobId ended, RunEnd how) { job_ended(ended, how); };
  hooks.lease_holds = hooks_.lease_holds;
  hooks.sub_agents = sub_agents_.get();
  auto runner = std::make_shared<JobRunner>(ports_, self_, std::move(job), std::move(hooks));
  if (const auto recorded = lost_calls_.extract(id))
    runner->count_lost_calls_from(recorded.mapped());
  runners_.emplace(id, runner);
  runner->start();
}

void Engine::job_ended(LedgerJobId job, RunEnd how) {
  const auto found = runners_.find(job);
  if (found == runners_.end()) return;
  // The runner is on the stack: it goes when its shared owners in there let go.
  const auto runner = std::move(found->second);
  runners_.erase(found);
  ended_meanwhile_.insert(job);
  if (how == RunEnd::Fenced) return ports_.executor.post(hooks_.fenced);
  if (how == RunEnd::Broken) broken_.insert(job);
  if (how == RunEnd::AtBoundary || how == RunEnd::Unresolved)
    to_hand_back_.push_back({job, how == RunEnd::Unresolved});
  if (const int lost = runner->lost_calls_recorded(); lost > 0 && how != RunEnd::Finished)
    lost_calls_[job] = lost;
  if (how == RunEnd::Finished) hooks_.outbox_written(runner->shard());
  if (runner->overdue()) overdue_sought_at_.reset();  // the next of its conversation comes after it
  if (draining_) return hand_back();
  if (waiting_ > 0) want_claim_ = true;
  update_window();
  pump();
}

void Engine::update_window() {
  const auto unwritten = static_cast<std::int64_t>(records_.size());
  if (!window_.update({running() + claimable_ + unwritten, waiting_ + unwritten})) return;
  std::set<Lane> paused;
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch})
    if (window_.paused(lane)) paused.insert(lane);
  if (source_) source_->set_paused(std::move(paused));
}

void Engine::drain(std::function<void()> done) {
  draining_ = true;
  drained_ = std::move(done);
  timer_.reset();
  std::vector<std::shared_ptr<JobRunner>> runners;
  for (const auto& [id, runner] : runners_) runners.push_back(runner);
  for (const auto& runner : runners) runner->feed(run::Drain{});
  if (sub_agents_) sub_agents_->drain();
  hand_back();
}

void Engine::abandon() {
  if (sub_agents_) sub_agents_->abandon();
  std::vector<std::shared_ptr<JobRunner>> runners;
  for (const auto& [id, runner] : runners_) runners.push_back(runner);
  for (const auto& runner : runners) runner->feed(run::GraceOver{});
}

void Engine::hand_back() {
  if (handing_back_ || acquiring_ || over_) return;
  if (to_hand_back_.empty()) return finish_drain();
  handing_back_ = true;
  ports_.ledger.hand_back(self_, std::move(to_hand_back_),
                          [this, alive = std::weak_ptr(alive_)](Result<void> result) {
                            if (alive.expired() || over_) return;
                            handing_back_ = false;
                            if (!result) return not_handed_back(result.error());
                            if (draining_) return hand_back();
                            want_claim_ = true;
                            pump();
                          });
  to_hand_back_.clear();
}

/// One that may be done yet must find no job that runs again under this incarnation: it would take
/// it away from its run, with a model call in flight that nobody counts. In a drain none runs
/// again, and what is left goes back when the incarnation leaves.
void Engine::not_handed_back(const Error& error) {
  ports_.observer.ledger_failed(error, {.what = "hand back"});
  if (draining_) return hand_back();
  if (error.maybe_done) return ports_.executor.post(hooks_.fenced);
  want_claim_ = true;
  pump();
}

void Engine::finish_drain() {
  if (!draining_ || !runners_.empty() || !drained_) return;
  const auto done = std::move(drained_);
  drained_ = nullptr;
  ports_.executor.post(done);
}

void Engine::look_for_work() {
  want_claim_ = true;
  pump();
}

void Engine::drop() {
  over_ = true;
  timer_.reset();
  if (sub_agents_) sub_agents_->drop();
  for (auto& [id, runner] : runners_) runner->drop();
}

}  // namespace ba
