// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/transactions.hpp"

#include <utility>

#include "pipeline/text/contract/record.hpp"
#include "tests/simulation/plan.hpp"

namespace ba::sim {
namespace {

constexpr Microseconds kTransactionTimeout{3'000'000};
constexpr std::int64_t kMarkersUs = 4'000;

}  // namespace

bool too_large(const OutboxRecord& record) {
  return record.key.size() + record.value.size() + bytes_of(record.headers) > kRecordBytesMax;
}

Transactions::Initialised Transactions::init(int shard) {
  Shard& state = shards_[shard];
  if (state.deciding) return {Answer::Concurrent, -1};
  ++state.epoch;
  state.next_sequence = 0;
  if (state.open) {
    world_.mark(Mark::TransactionAborted);
    decide(shard, false);
    return {Answer::Concurrent, -1};
  }
  state.committed_last = false;
  return {Answer::Ok, state.epoch};
}

Transactions::Answer Transactions::add_partitions(int shard, int epoch, std::int64_t transaction) {
  Shard& state = shards_[shard];
  if (state.epoch != epoch) return Answer::Fenced;
  if (state.deciding) return Answer::Concurrent;
  if (state.open) return Answer::Ok;
  state.open = true;
  state.transaction = transaction;
  world_.at(kTransactionTimeout, [this, shard, transaction] {
    Shard& late = shards_[shard];
    if (!late.open || late.transaction != transaction) return;
    world_.mark(Mark::TransactionTimedOut);
    ++late.epoch;
    decide(shard, false);
  });
  return Answer::Ok;
}

Transactions::Answer Transactions::produce(int shard, int epoch, int sequence,
                                           const Produced& what) {
  Shard& state = shards_[shard];
  if (state.epoch != epoch) return Answer::Fenced;
  if (sequence < state.next_sequence) return Answer::Ok;  // known already
  if (!state.open || sequence > state.next_sequence) return Answer::InvalidState;
  if (!closed_among(what.records).empty()) return Answer::Closed;
  for (const OutboxRecord& record : what.records)
    if (too_large(record)) {
      listener_.record_refused(record);
      return Answer::TooLarge;
    }
  ++state.next_sequence;
  Produced& pending = state.pending;
  pending.records.insert(pending.records.end(), what.records.begin(), what.records.end());
  if (what.receipt) pending.receipt = what.receipt;
  return Answer::Ok;
}

Transactions::Answer Transactions::end(int shard, int epoch, std::int64_t transaction) {
  Shard& state = shards_[shard];
  // Of a producer that was replaced meanwhile: without that it could end another transaction.
  if (state.epoch != epoch || transaction != state.transaction) world_.mark(Mark::LateEndTxn);
  if (state.epoch != epoch) return Answer::Fenced;
  if (state.deciding) return Answer::Concurrent;
  if (!state.open) return state.committed_last ? Answer::Ok : Answer::InvalidState;
  decide(shard, true);
  return Answer::Ok;
}

void Transactions::decide(int shard, bool commit) {
  Shard& state = shards_[shard];
  state.open = false;
  state.deciding = true;
  world_.note(commit ? "commit decided" : "abort decided", shard, state.epoch);
  world_.at(world_.up_to(kMarkersUs), [this, shard, commit] { write_markers(shard, commit); });
}

void Transactions::write_markers(int shard, bool commit) {
  Shard& state = shards_[shard];
  state.deciding = false;
  state.committed_last = commit;
  const Produced decided = std::exchange(state.pending, {});
  if (!commit) return;
  if (decided.receipt) write_receipt(shard, *decided.receipt);
  for (const OutboxRecord& record : decided.records) listener_.record_visible(record);
  if (!decided.receipt) return;
  if (const auto then = std::exchange(after_receipt_, nullptr)) then();
}

void Transactions::write_receipt(int shard, std::int64_t number) {
  shards_[shard].receipt = number;
  world_.note("receipt", shard, number);
  listener_.receipt_visible(shard, number);
}

void Transactions::close_topic(const std::string& topic) {
  world_.note("topic closed", 0, 0, topic);
  closed_.insert(topic);
}

std::map<std::string, std::string> Transactions::closed_among(
    const std::vector<OutboxRecord>& records) const {
  std::map<std::string, std::string> topics;
  for (const OutboxRecord& record : records)
    if (closed_.contains(record.topic)) topics[record.topic] = record.topic + " is closed";
  return topics;
}

void Transactions::delete_receipts() {
  world_.note("receipts deleted");
  for (auto& [shard, state] : shards_) state.receipt.reset();
}

}  // namespace ba::sim
