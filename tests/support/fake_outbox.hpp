#pragma once
// SPDX-License-Identifier: Apache-2.0
// The outbox of a test: rows, batches, shards and their owners in memory, with the fencing of the
// real one, reached over FakeNetwork. OutboxTable is the database, FakeOutbox one worker's view.

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "pipeline/port/ledger.hpp"
#include "tests/support/fake_network.hpp"

namespace ba {

class OutboxTable {
 public:
  explicit OutboxTable(int shards) {
    for (int shard = 0; shard < shards; ++shard) shards_[shard].state.shard = shard;
  }

  IncarnationId enter() {
    live_.insert(IncarnationId(++incarnations_));
    return IncarnationId(incarnations_);
  }

  /// The lease ran out and somebody reaped it.
  void die(IncarnationId incarnation) {
    live_.erase(incarnation);
    for (auto& [number, shard] : shards_)
      if (shard.owner == incarnation) shard.owner = {};
  }

  void add(OutboxRecord record) { shards_.at(record.shard).pending.push_back(std::move(record)); }

  Result<std::vector<ShardState>> own_shards(IncarnationId self) {
    if (!live_.contains(self)) return fenced();
    const std::size_t share = (shards_.size() + live_.size() - 1) / live_.size();
    std::vector<Shard*> mine = owned_by(self);
    for (Shard* shard : mine) {
      if (owned_by(self).size() <= share) break;
      if (shard->state.assigned_batch == shard->state.published_batch) shard->owner = {};
    }
    for (Shard* shard : owned_by({})) {
      if (owned_by(self).size() >= share) break;
      if (shard->stopped.empty()) shard->owner = self;
    }
    std::vector<ShardState> states;
    for (const Shard* shard : owned_by(self)) states.push_back(shard->state);
    return states;
  }

  Result<std::vector<int>> pending_shards(IncarnationId self) {
    std::vector<int> pending;
    for (const Shard* shard : owned_by(self))
      if (!shard->pending.empty() || !shard->batch.empty()) pending.push_back(shard->state.shard);
    return pending;
  }

  Result<OutboxBatch> next_batch(IncarnationId self, int number, std::int64_t published,
                                 int records_max) {
    if (!live_.contains(self)) return fenced();
    Shard& shard = shards_.at(number);
    if (shard.owner != self) return not_owned();
    ShardState& state = shard.state;
    if (published > state.published_batch) {
      state.published_batch = published;
      shard.batch.clear();
    }
    if (state.assigned_batch == state.published_batch) {
      if (shard.pending.empty()) return OutboxBatch{number, 0, {}};
      ++state.assigned_batch;
      while (!shard.pending.empty() && static_cast<int>(shard.batch.size()) < records_max) {
        shard.batch.push_back(std::move(shard.pending.front()));
        shard.pending.pop_front();
      }
    }
    return OutboxBatch{number, state.assigned_batch, shard.batch};
  }

  Result<void> replace_record(IncarnationId self, int number, const OutboxRecord& record) {
    if (!live_.contains(self)) return fenced();
    Shard& shard = shards_.at(number);
    if (shard.owner != self) return not_owned();
    for (OutboxRecord& old : shard.batch) {
      if (old.result_id != record.result_id) continue;
      old = record;
      return {};
    }
    return not_owned();
  }

  Result<void> stop_shard(IncarnationId self, int number, std::string reason) {
    if (!live_.contains(self)) return fenced();
    Shard& shard = shards_.at(number);
    if (shard.owner != self) return not_owned();
    shard.stopped = std::move(reason);
    shard.owner = {};
    return {};
  }

  bool all_published() const {
    return std::all_of(shards_.begin(), shards_.end(), [](const auto& entry) {
      return entry.second.pending.empty() && entry.second.batch.empty();
    });
  }

  ShardState state(int shard) const { return shards_.at(shard).state; }
  ShardState& edit(int shard) { return shards_.at(shard).state; }
  std::string stopped(int shard) const { return shards_.at(shard).stopped; }
  bool any_stopped() const {
    return std::any_of(shards_.begin(), shards_.end(),
                       [](const auto& entry) { return !entry.second.stopped.empty(); });
  }

 private:
  struct Shard {
    ShardState state;
    IncarnationId owner;
    std::deque<OutboxRecord> pending;
    std::vector<OutboxRecord> batch;
    std::string stopped;
  };

  std::vector<Shard*> owned_by(IncarnationId owner) {
    std::vector<Shard*> owned;
    for (auto& [number, shard] : shards_)
      if (shard.owner == owner) owned.push_back(&shard);
    return owned;
  }

  static Error fenced() {
    return {ErrorCode::Fenced, Retry::Never, "the incarnation is dead", "", {}, false};
  }
  static Error not_owned() {
    return {ErrorCode::Conflict, Retry::Never, "not your shard", "", {}, false};
  }

  std::map<int, Shard> shards_;
  std::set<IncarnationId> live_;
  std::int64_t incarnations_ = 0;
};

class FakeOutbox final : public Outbox {
 public:
  FakeOutbox(OutboxTable& table, FakeNetwork& network, Executor& executor)
      : table_(table), network_(network), executor_(executor) {}

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override {
    call<std::vector<ShardState>>([&table = table_, self] { return table.own_shards(self); },
                                  std::move(done));
  }
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override {
    call<std::vector<int>>([&table = table_, self] { return table.pending_shards(self); },
                           std::move(done));
  }
  void next_batch(IncarnationId self, int shard, std::int64_t published, int records_max,
                  Completion<OutboxBatch> done) override {
    call<OutboxBatch>(
        [&table = table_, self, shard, published, records_max] {
          return table.next_batch(self, shard, published, records_max);
        },
        std::move(done));
  }
  void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                      Completion<void> done) override {
    call<void>(
        [&table = table_, self, shard, record = std::move(replacement.record)] {
          return table.replace_record(self, shard, record);
        },
        std::move(done));
  }
  void stop_shard(IncarnationId self, int shard, std::string reason,
                  Completion<void> done) override {
    call<void>(
        [&table = table_, self, shard, reason] { return table.stop_shard(self, shard, reason); },
        std::move(done));
  }

 private:
  template <typename T>
  void call(std::function<Result<T>()> request, Completion<T> done) {
    network_.call<Result<T>>(
        executor_, std::move(request), [done = std::move(done)](std::optional<Result<T>> answer) {
          if (answer) return done(std::move(*answer));
          done(Error{ErrorCode::Timeout, Retry::Later, "the ledger didn't answer", "", {}, true});
        });
  }

  OutboxTable& table_;
  FakeNetwork& network_;
  Executor& executor_;
};

}  // namespace ba
