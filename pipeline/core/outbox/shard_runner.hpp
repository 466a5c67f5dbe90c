#pragma once
// SPDX-License-Identifier: Apache-2.0
// Drives the protocol of one owned shard: performs each action through the ports and feeds the
// outcome back. Owned by the publisher; completions under way hold it weakly, so dropping it stops
// it at once. Control thread only.

#include <functional>
#include <memory>
#include <string>

#include "pipeline/core/outbox/closed_topics.hpp"
#include "pipeline/core/outbox/publisher.hpp"
#include "pipeline/core/outbox/shard_protocol.hpp"

namespace ba {

/// What a runner needs of its publisher. Outlives the runner.
struct ShardRunnerContext {
  Outbox& outbox;
  Executor& executor;
  const PublisherOptions& options;
  const PublisherEvents& events;
  PublisherCounters& counters;
  IncarnationId self;
  std::function<void(int shard)> halted;     ///< the runner is of no more use: drop it
  std::function<void(const Error&)> fenced;  ///< this incarnation is dead
  std::function<void()> drained;             ///< a hurried runner has nothing left
};

class ShardRunner : public std::enable_shared_from_this<ShardRunner> {
 public:
  ShardRunner(ShardRunnerContext& context, const ShardState& ledger,
              std::unique_ptr<ShardTransport> transport);

  void start();

  /// Rows may be there: fetches after the linger, or once more when a fetch is under way.
  void nudge();

  /// The ledger says that there are rows: fetches now if nothing is under way.
  void wake();

  /// From now on without linger; drained() turns true once the ledger has nothing left but records
  /// for topics that are closed.
  void hurry();
  void unhurry() { hurry_ = false; }
  bool drained() const { return hurry_ && drained_; }

  bool failing() const { return state_.failures > 0 || closed_.any(); }
  const ClosedTopics& closed_topics() const { return closed_; }

 private:
  void feed(const shard::Event& event);
  void perform(const shard::Open&);
  void perform(const shard::Fetch& fetch);
  void perform(const shard::Send&);
  void perform(const shard::Withdraw&);
  void perform(const shard::Replace&);
  void perform(const shard::AwaitRows&);
  void perform(const shard::AwaitLinger&);
  void perform(const shard::RetryLater& retry);
  void perform(const shard::Stop& stop);
  void perform(const shard::Halt&);
  void perform(const shard::HaltAll&);

  /// A completion that does nothing once this is gone.
  template <typename T>
  Completion<T> to(void (ShardRunner::*what)(Result<T>));

  void on_opened(Result<std::optional<std::int64_t>> result);
  void on_fetched(Result<OutboxBatch> result);
  void on_sent(Result<bool> result);
  void on_withdrawn(Result<void> result);
  void on_replaced(Result<void> result);
  void on_stopped(const std::string& reason, const Result<void>& result);
  void close_topics(const ClosedTopics::Reasons& closed);
  void try_closed_topics();
  void due_after(Milliseconds delay);
  void due_now();
  void retry_now();
  void report(const Error& error, std::int64_t& counter);

  ShardRunnerContext& context_;
  std::unique_ptr<ShardTransport> transport_;
  shard::State state_;
  OutboxBatch batch_;                     ///< fetched and not yet sent
  int batch_records_ = 0;                 ///< of the batch in flight
  ClosedTopics::Topics batch_topics_;     ///< likewise
  bool in_doubt_ = false;                 ///< that batch was sent; whether it is out isn't known
  std::optional<RefusedRecord> refused_;  ///< of the last send that failed
  ClosedTopics closed_;
  Error last_error_;  ///< of the ledger
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<Timer> closed_timer_;  ///< until closed topics are tried again
  std::unique_ptr<Timer> quiet_timer_;   ///< while it runs, wake() has no effect
  bool asked_for_all_ = true;            ///< the last fetch, also for closed topics
  bool rows_pending_ = false;            ///< since the last fetch began
  bool hurry_ = false;
  bool drained_ = false;
};

}  // namespace ba
