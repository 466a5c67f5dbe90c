// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/shard_protocol.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba::shard {
namespace {

std::string batch_text(std::int64_t number) { return "batch " + std::to_string(number); }

Action open(State& state) {
  state.open = false;
  state.phase = Phase::Opening;
  return Open{};
}

Action fetch(State& state) {
  BA_ASSERT(state.open);
  state.phase = Phase::Fetching;
  return Fetch{state.ledger.published_batch};
}

Action stop(State& state, std::string reason) {
  state.phase = Phase::Stopping;
  state.stopping = std::move(reason);
  return Stop{state.stopping};
}

Action retry_later(State& state) {
  state.phase = Phase::Waiting;
  return RetryLater{++state.failures};
}

Action withdraw(State& state) {
  state.phase = Phase::Withdrawing;
  return Withdraw{};
}

/// Why a receipt can't be explained, or empty. `receipt` 0: there is none.
std::string contradiction(const ShardState& ledger, std::int64_t receipt) {
  const std::string where = "shard " + std::to_string(ledger.shard) + ": the receipt in Kafka is ";
  const std::string found = receipt == 0 ? "missing" : batch_text(receipt);
  if (receipt < ledger.published_batch)
    return where + found + " but " + batch_text(ledger.published_batch) +
           " is known to be published: the receipts topic was deleted, recreated or lost data; "
           "`ba-agent outbox verify` compares the result topics with the outbox";
  if (receipt > ledger.assigned_batch)
    return where + found + " but the ledger assigned only " +
           (ledger.assigned_batch == 0 ? "none" : batch_text(ledger.assigned_batch)) +
           ": the database was restored to an earlier state; `ba-agent outbox verify` compares the "
           "result topics with the outbox";
  if (receipt != ledger.published_batch && receipt != ledger.assigned_batch)
    return where + found +
           ", which the ledger withdrew before it was out; `ba-agent outbox verify` "
           "compares the result topics with the outbox";
  return {};
}

Action on_opened(State& state, const Opened& opened) {
  const std::int64_t receipt = opened.receipt.value_or(0);
  if (std::string reason = contradiction(state.ledger, receipt); !reason.empty())
    return stop(state, std::move(reason));
  state.open = true;
  state.ledger.published_batch = receipt;
  return fetch(state);
}

Action on_fetched(State& state, const Fetched& fetched) {
  ShardState& ledger = state.ledger;
  if (fetched.number == 0) {
    state.failures = 0;
    state.phase = Phase::Ready;
    return AwaitRows{};
  }
  // The one that was assigned last, or the next; numbers of batches that were withdrawn are gaps.
  const bool in_order =
      fetched.number > ledger.published_batch &&
      (fetched.number == ledger.assigned_batch || fetched.number == ledger.assigned_batch + 1);
  if (!in_order)
    return stop(state, "shard " + std::to_string(ledger.shard) + ": the ledger gave " +
                           batch_text(fetched.number) + " after " +
                           batch_text(ledger.published_batch) + ", out of order");
  ledger.assigned_batch = fetched.number;
  // The receipt has shown that a batch that failed is not out: it may still change.
  if (fetched.number == state.closed_batch) return withdraw(state);
  if (fetched.number == state.refused_batch) {
    state.phase = Phase::Replacing;
    return Replace{};
  }
  state.phase = Phase::Sending;
  return Send{};
}

Action on_committed(State& state, const Committed& committed) {
  state.ledger.published_batch = state.ledger.assigned_batch;
  state.failures = 0;
  if (!committed.clean) return open(state);
  state.phase = Phase::Ready;
  return AwaitLinger{};
}

/// What a failed call of the ledger means; everything else is repeated.
Action on_ledger_failure(State& state, const Error& error) {
  if (error.code == ErrorCode::Fenced) {
    state.phase = Phase::Halted;
    return HaltAll{};
  }
  if (error.code == ErrorCode::Conflict) {
    state.phase = Phase::Halted;
    return Halt{};
  }
  return retry_later(state);
}

/// The first failed send opens at once; one after another waits, so that a batch the broker always
/// refuses doesn't become a busy loop.
Action on_send_failed(State& state, const SendFailed& failed) {
  state.open = false;
  if (failed.refused) state.refused_batch = state.ledger.assigned_batch;
  if (failed.closed) state.closed_batch = state.ledger.assigned_batch;
  if (state.failures > 0) return retry_later(state);
  ++state.failures;
  return open(state);
}

Action on_retry_due(State& state) {
  if (!state.stopping.empty()) return stop(state, std::move(state.stopping));
  return state.open ? fetch(state) : open(state);
}

struct Machine {
  State& state;

  Action operator()(const Owned&) const { return from(Phase::New), open(state); }
  Action operator()(const Opened& event) const {
    return from(Phase::Opening), on_opened(state, event);
  }
  Action operator()(const OpenFailed&) const { return from(Phase::Opening), retry_later(state); }
  Action operator()(const Due&) const { return from(Phase::Ready), fetch(state); }
  Action operator()(const Fetched& event) const {
    return from(Phase::Fetching), on_fetched(state, event);
  }
  Action operator()(const FetchFailed& event) const {
    return from(Phase::Fetching), on_ledger_failure(state, event.error);
  }
  Action operator()(const Committed& event) const {
    return from(Phase::Sending), on_committed(state, event);
  }
  Action operator()(const SendFailed& event) const {
    return from(Phase::Sending), on_send_failed(state, event);
  }
  Action operator()(const Withdrawn&) const {
    from(Phase::Withdrawing);
    state.closed_batch = 0;
    state.failures = 0;  // the trouble is these topics' alone
    return fetch(state);
  }
  Action operator()(const WithdrawFailed& event) const {
    // It may be carried out late. The batch isn't sent before a call was answered: the shard has
    // changed then, and a late one has no effect.
    return from(Phase::Withdrawing), on_ledger_failure(state, event.error);
  }
  Action operator()(const Replaced&) const {
    from(Phase::Replacing);
    state.refused_batch = 0;
    return fetch(state);
  }
  Action operator()(const ReplaceFailed& event) const {
    from(Phase::Replacing);
    // The replacement may be written all the same, and then the refusal says nothing of the batch
    // as it is now: it is fetched again and sent before it is judged. Forgetting loses nothing: the
    // transaction that held the refused record was not committed, as the receipt has shown, so the
    // batch is still the next one, and a record that was not replaced is simply refused again.
    state.refused_batch = 0;
    return on_ledger_failure(state, event.error);
  }
  Action operator()(const StopRecorded&) const {
    from(Phase::Stopping);
    state.phase = Phase::Halted;
    return Halt{};
  }
  Action operator()(const StopFailed& event) const {
    return from(Phase::Stopping), on_ledger_failure(state, event.error);
  }
  Action operator()(const RetryDue&) const { return from(Phase::Waiting), on_retry_due(state); }

  void from(Phase phase) const { BA_ASSERT(state.phase == phase); }
};

}  // namespace

Action advance(State& state, const Event& event) { return std::visit(Machine{state}, event); }

}  // namespace ba::shard
