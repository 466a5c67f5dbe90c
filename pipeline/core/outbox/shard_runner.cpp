// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/shard_runner.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/text/contract/replacement.hpp"

namespace ba {
ShardRunner::ShardRunner(ShardRunnerContext& context, const ShardState& ledger,
                         std::unique_ptr<ShardTransport> transport)
    : context_(context), transport_(std::move(transport)) {
  state_.ledger = ledger;
}

template <typename T>
Completion<T> ShardRunner::to(void (ShardRunner::*what)(Result<T>)) {
  return [weak = weak_from_this(), what](Result<T> result) {
    if (const auto self = weak.lock()) ((*self).*what)(std::move(result));
  };
}

void ShardRunner::start() { feed(shard::Owned{}); }

void ShardRunner::nudge() {
  rows_pending_ = true;
  if (state_.phase == shard::Phase::Ready && !timer_) due_after(context_.options.linger);
}

void ShardRunner::wake() {
  if (quiet_timer_) return;
  if (state_.phase == shard::Phase::Ready && !timer_) due_now();
}

void ShardRunner::hurry() {
  hurry_ = true;
  drained_ = false;
  rows_pending_ = true;
  if (state_.phase == shard::Phase::Ready) due_now();
}

void ShardRunner::feed(const shard::Event& event) {
  const shard::Action action = shard::advance(state_, event);
  std::visit([this](const auto& what) { perform(what); }, action);
}

void ShardRunner::perform(const shard::Open&) {
  ++context_.counters.opens;
  transport_->open(to(&ShardRunner::on_opened));
}

void ShardRunner::on_opened(Result<std::optional<std::int64_t>> result) {
  if (result) {
    const bool out = std::exchange(in_doubt_, false) && *result == state_.ledger.assigned_batch;
    if (out) closed_.sent(batch_topics_);
    return feed(shard::Opened{*result});
  }
  report(result.error(), context_.counters.open_failures);
  feed(shard::OpenFailed{result.error()});
}

void ShardRunner::perform(const shard::Fetch& fetch) {
  rows_pending_ = false;
  asked_for_all_ = closed_.left_out().empty();
  context_.outbox.next_batch(context_.self,
                             {state_.ledger.shard, fetch.published,
                              context_.options.batch_records_max, closed_.left_out()},
                             to(&ShardRunner::on_fetched));
}

void ShardRunner::on_fetched(Result<OutboxBatch> result) {
  if (result) {
    batch_ = std::move(*result);
    if (batch_.number == 0 && asked_for_all_) closed_.none_pending();
    return feed(shard::Fetched{batch_.number});
  }
  last_error_ = result.error();
  report(last_error_, context_.counters.ledger_failures);
  feed(shard::FetchFailed{last_error_});
}

void ShardRunner::perform(const shard::Send&) {
  batch_records_ = static_cast<int>(batch_.records.size());
  batch_topics_.clear();
  for (const OutboxRecord& record : batch_.records) batch_topics_.insert(record.topic);
  in_doubt_ = true;
  transport_->send(std::exchange(batch_, {}), to(&ShardRunner::on_sent));
}

void ShardRunner::on_sent(Result<bool> result) {
  if (!result) {
    report(result.error(), context_.counters.send_failures);
    refused_ = transport_->refused();
    const auto closed = transport_->closed();
    if (!closed.empty()) close_topics(closed);
    return feed(shard::SendFailed{result.error(), refused_.has_value(), !closed.empty()});
  }
  ++context_.counters.batches;
  context_.counters.records += batch_records_;
  if (!*result) ++context_.counters.tainted;
  in_doubt_ = false;
  closed_.sent(batch_topics_);
  if (context_.events.published)
    context_.events.published(state_.ledger.shard, state_.ledger.assigned_batch, batch_records_);
  feed(shard::Committed{*result});
}

/// What goes out meanwhile overtakes these records; each topic keeps its own order.
void ShardRunner::perform(const shard::Withdraw&) {
  context_.outbox.withdraw_batch(context_.self, state_.ledger.shard, batch_.version,
                                 to(&ShardRunner::on_withdrawn));
}

void ShardRunner::on_withdrawn(Result<void> result) {
  if (result) {
    ++context_.counters.withdrawn;
    return feed(shard::Withdrawn{});
  }
  last_error_ = result.error();
  report(last_error_, context_.counters.ledger_failures);
  feed(shard::WithdrawFailed{last_error_});
}

/// Whatever becomes of the batch that told of them.
void ShardRunner::close_topics(const ClosedTopics::Reasons& closed) {
  closed_.close(batch_topics_, closed);
  if (closed_timer_) return;
  const Milliseconds wait =
      closed_.wait(context_.options.closed_topic_min, context_.options.closed_topic_max);
  closed_timer_ = context_.executor.after(wait, [this] { try_closed_topics(); });
}

/// With the next batch.
void ShardRunner::try_closed_topics() {
  closed_timer_.reset();
  quiet_timer_.reset();
  closed_.try_again();
  drained_ = false;
  rows_pending_ = true;
  wake();
}

void ShardRunner::perform(const shard::Replace&) {
  auto replacement = replacement_for(batch_.records.at(refused_->index), refused_->reason);
  if (!replacement) {
    const Error error =
        make_error(ErrorCode::LimitExceeded,
                   "Kafka refuses record " + batch_.records.at(refused_->index).result_id.value +
                       " and there is no smaller one of its kind: " + refused_->reason);
    return context_.executor.post([done = to(&ShardRunner::on_replaced), error] { done(error); });
  }
  ++context_.counters.replaced;
  context_.outbox.replace_record(context_.self, state_.ledger.shard, std::move(*replacement),
                                 to(&ShardRunner::on_replaced));
}

void ShardRunner::on_replaced(Result<void> result) {
  if (result) return feed(shard::Replaced{});
  last_error_ = result.error();
  report(last_error_, context_.counters.ledger_failures);
  feed(shard::ReplaceFailed{last_error_});
}

void ShardRunner::perform(const shard::AwaitRows&) {
  if (!rows_pending_) {
    drained_ = true;
    // The ledger goes on saying that rows are there.
    if (closed_.any())
      quiet_timer_ = context_.executor.after(context_.options.closed_topic_poll,
                                             [this] { quiet_timer_.reset(); });
    if (hurry_) context_.drained();
    return;
  }
  due_after(hurry_ ? Milliseconds(0) : context_.options.linger);
}

void ShardRunner::perform(const shard::AwaitLinger&) {
  const bool full = batch_records_ >= context_.options.batch_records_max;
  due_after(full || hurry_ ? Milliseconds(0) : context_.options.linger);
}

void ShardRunner::perform(const shard::RetryLater& retry) {
  const int doublings = std::min(retry.failures - 1, 16);
  const Milliseconds delay =
      std::min(context_.options.retry_max, context_.options.retry_min * (1 << doublings));
  timer_ = context_.executor.after(delay, [this] { retry_now(); });
}

void ShardRunner::perform(const shard::Stop& stop) {
  transport_.reset();
  context_.outbox.stop_shard(context_.self, state_.ledger, stop.reason,
                             [weak = weak_from_this(), reason = stop.reason](Result<void> result) {
                               if (const auto self = weak.lock()) self->on_stopped(reason, result);
                             });
}

void ShardRunner::on_stopped(const std::string& reason, const Result<void>& result) {
  if (result) {
    ++context_.counters.shards_stopped;
    const PublisherEvents& events = context_.events;
    if (events.shard_stopped) events.shard_stopped(state_.ledger.shard, reason);
    return feed(shard::StopRecorded{});
  }
  last_error_ = result.error();
  report(last_error_, context_.counters.ledger_failures);
  feed(shard::StopFailed{last_error_});
}

void ShardRunner::perform(const shard::Halt&) { context_.halted(state_.ledger.shard); }

void ShardRunner::perform(const shard::HaltAll&) { context_.fenced(last_error_); }

void ShardRunner::due_after(Milliseconds delay) {
  timer_ = context_.executor.after(delay, [this] { due_now(); });
}

void ShardRunner::due_now() {
  timer_.reset();
  feed(shard::Due{});
}

void ShardRunner::retry_now() {
  timer_.reset();
  feed(shard::RetryDue{});
}

void ShardRunner::report(const Error& error, std::int64_t& counter) {
  ++counter;
  if (context_.events.trouble) context_.events.trouble(state_.ledger.shard, error);
}

}  // namespace ba
