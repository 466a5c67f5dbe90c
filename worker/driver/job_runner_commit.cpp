// SPDX-License-Identifier: Apache-2.0
// How a run makes what happened durable, and what it does where the ledger refuses that.
#include "worker/driver/job_runner.hpp"

#include <iterator>

namespace ba {
namespace {

/// The rows themselves are refused; everything else is the ledger's trouble and may pass.
bool refuses_data(const Error& error) {
  return error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::Conflict ||
         error.code == ErrorCode::LimitExceeded;
}

template <class Row>
void put_before(std::vector<Row>& rows, std::vector<Row>&& earlier) {
  rows.insert(rows.begin(), std::make_move_iterator(earlier.begin()),
              std::make_move_iterator(earlier.end()));
}

}  // namespace

void JobRunner::commit(Delta delta) {
  if (giving_back_) {  // the job ends meanwhile, and nobody has heard that this is durable
    put_before(delta.summaries, std::move(pending_.summaries));
    put_before(delta.reminders, std::move(pending_.reminders));
    put_before(delta.compressions, std::move(pending_.compressions));
  }
  pending_ = std::move(delta);
  pending_.alone = claimed_.attempt > 1;
  keep_what_is_left();
  append();
}

void JobRunner::append() {
  if (const auto valid = validate_messages(pending_); !valid) {
    retry_ = ports_.executor.after(Milliseconds(0), [this, valid] { appended(valid); });
    return;
  }
  ports_.ledger.append(self_, pending_, [weak = weak_from_this()](Result<void> result) {
    auto self = weak.lock();
    if (self && !self->over_) self->appended(std::move(result));
  });
}

void JobRunner::appended(Result<void> result) {
  if (!result) {
    const Error& error = result.error();
    report(error, "append a step");
    if (error.code == ErrorCode::Fenced) return end(RunEnd::Fenced);
    if (!refuses_data(error)) return later([this] { append(); });
    return refused(error);
  }
  report_lost_calls();
  remember(pending_.summaries);
  ports_.observer.committed(*state_, pending_);
  if (halted_ && !pending_.finished) return end(RunEnd::AtBoundary);
  if (pending_.finished) {
    if (!pending_.finished->outbox.empty()) shard_ = pending_.finished->outbox.front().shard;
    ports_.observer.job_finished(*state_, pending_.finished->result);
  }
  if (once_alone_) {
    committed_meanwhile_ = true;
    return;
  }
  dispatch(event::Committed{});
}

/// What the last write has put on record.
void JobRunner::report_lost_calls() {
  const int more =
      pending_.wasted_model_calls - std::exchange(wasted_stored_, pending_.wasted_model_calls);
  if (more > 0) ports_.observer.model_calls_lost(*state_, more);
}

/// The database refuses this job's data: the job ends with that as its error, from what is durable.
void JobRunner::refused(const Error& error) {
  if (halted_) return end(RunEnd::AtBoundary);
  if (refusal_) return end(RunEnd::Broken);  // even the end was refused
  refusal_ = error;
  for (const Position& at : summaries_not_paid()) summaries_unpaid_.push_back(at);
  model_call_.reset();
  count_call_.reset();
  summary_.reset();
  deadline_.reset();
  once_alone([this] {
    // Replies that were paid and can't be stored.
    wasted_before_ = state_->bill.wasted_here - summaries_not_counted();
    wasted_before_ += static_cast<int>(pending_.steps.size());
    tool_runs_.clear();
    load();
  });
}

void JobRunner::later(std::function<void()> task) {
  retry_ = ports_.executor.after(kLedgerRetry, std::move(task));
}

}  // namespace ba
