#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a broker does with the transactions of outbox shards, as far as the protocol depends on it:
// epochs, fencing, one open transaction per transactional id, visibility by commit, and the trap
// that an EndTxn which comes late ends whatever transaction of its epoch is open (KIP-890).

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

class FakeKafka {
 public:
  enum class Answer { Ok, Fenced, InvalidState, Closed };

  /// InitProducerId: aborts what is open and gives out a new epoch.
  int init(int shard) {
    Shard& state = shards_[shard];
    state.open = false;
    return ++state.epoch;
  }

  Answer begin(int shard, int epoch) {
    Shard& state = shards_[shard];
    if (state.epoch != epoch) return Answer::Fenced;
    if (state.open) return Answer::InvalidState;
    state.open = true;
    state.uncommitted.clear();
    state.uncommitted_receipt.reset();
    return Answer::Ok;
  }

  Answer produce(int shard, int epoch, const std::vector<OutboxRecord>& records,
                 std::optional<std::int64_t> receipt) {
    Shard& state = shards_[shard];
    if (state.epoch != epoch) return Answer::Fenced;
    if (!state.open) return Answer::InvalidState;
    if (!closed_among(records).empty()) return Answer::Closed;
    state.uncommitted.insert(state.uncommitted.end(), records.begin(), records.end());
    if (receipt) state.uncommitted_receipt = receipt;
    return Answer::Ok;
  }

  /// EndTxn with commit. Repeated after a commit, it succeeds again.
  Answer commit(int shard, int epoch) {
    Shard& state = shards_[shard];
    if (state.epoch != epoch) return Answer::Fenced;
    if (!state.open) return Answer::Ok;
    state.open = false;
    if (state.uncommitted_receipt) state.receipt = state.uncommitted_receipt;
    for (OutboxRecord& record : state.uncommitted) committed_.push_back(std::move(record));
    return Answer::Ok;
  }

  /// Takes nothing for the topic, until it is opened.
  void close_topic(const std::string& topic) { closed_.insert(topic); }
  void open_topic(const std::string& topic) { closed_.erase(topic); }
  std::map<std::string, std::string> closed_among(const std::vector<OutboxRecord>& records) const {
    std::map<std::string, std::string> topics;
    for (const OutboxRecord& record : records)
      if (closed_.contains(record.topic)) topics[record.topic] = record.topic + " is closed";
    return topics;
  }

  /// The topic was deleted and made again.
  void forget_receipts() {
    for (auto& [number, state] : shards_) state.receipt.reset();
  }

  std::optional<std::int64_t> receipt(int shard) { return shards_[shard].receipt; }
  const std::vector<OutboxRecord>& committed() const { return committed_; }

 private:
  struct Shard {
    int epoch = 0;
    bool open = false;
    std::vector<OutboxRecord> uncommitted;
    std::optional<std::int64_t> uncommitted_receipt;
    std::optional<std::int64_t> receipt;
  };

  std::map<int, Shard> shards_;
  std::vector<OutboxRecord> committed_;
  std::set<std::string> closed_;
};

}  // namespace ba
