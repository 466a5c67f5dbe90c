#pragma once
// SPDX-License-Identifier: Apache-2.0
// One worker's way over FakeNetwork to the outbox of a ledger in memory. Its thread only.

#include "tests/support/fake_network.hpp"
#include "tests/support/outbox_ledger.hpp"

namespace ba {

class OutboxClient final : public Outbox {
 public:
  OutboxClient(OutboxLedger& ledger, FakeNetwork& network, Executor& executor)
      : ledger_(ledger), network_(network), executor_(executor) {}

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override {
    call<std::vector<ShardState>>(
        std::move(done), [=](Outbox& outbox, auto answer) { outbox.own_shards(self, answer); });
  }
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override {
    call<std::vector<int>>(
        std::move(done), [=](Outbox& outbox, auto answer) { outbox.pending_shards(self, answer); });
  }
  void next_batch(IncarnationId self, BatchRequest request, Completion<OutboxBatch> done) override {
    ++fetches;
    call<OutboxBatch>(std::move(done), [=](Outbox& outbox, auto answer) {
      outbox.next_batch(self, request, answer);
    });
  }
  void withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                      Completion<void> done) override {
    call<void>(std::move(done), [=](Outbox& outbox, auto answer) {
      outbox.withdraw_batch(self, shard, version, answer);
    });
  }
  void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                      Completion<void> done) override {
    call<void>(std::move(done), [=](Outbox& outbox, auto answer) {
      outbox.replace_record(self, shard, replacement, answer);
    });
  }
  void stop_shard(IncarnationId self, ShardState known, std::string reason,
                  Completion<void> done) override {
    call<void>(std::move(done), [=](Outbox& outbox, auto answer) {
      outbox.stop_shard(self, known, reason, answer);
    });
  }

  int fetches = 0;  ///< calls of next_batch

 private:
  template <typename T, typename Request>
  void call(Completion<T> done, Request request) {
    network_.call<Result<T>>(
        executor_, [&ledger = ledger_, request] { return ledger.now<T>(request); },
        [done = std::move(done)](std::optional<Result<T>> answer) {
          if (answer) return done(std::move(*answer));
          done(Error{ErrorCode::Timeout, Retry::Later, "the ledger didn't answer", "", {}, true});
        });
  }

  OutboxLedger& ledger_;
  FakeNetwork& network_;
  Executor& executor_;
};

}  // namespace ba
