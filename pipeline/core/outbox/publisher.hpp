#pragma once
// SPDX-License-Identifier: Apache-2.0
// Publishes the outbox: owns the shards the ledger gave this incarnation and drives the protocol
// of each (shard_protocol.hpp) through the ports. At most one batch of a shard is in flight; the
// shards go on independently. Control thread only; callbacks come there, and none after stop().

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/outbox/shard_transport.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba {

struct PublisherOptions {
  int batch_records_max = 500;
  Milliseconds linger{20};                ///< rows wait this long for company
  Milliseconds poll_interval{100};        ///< for rows that another worker committed
  Milliseconds ownership_interval{2000};  ///< between two looks at which shards are ours
  Milliseconds retry_min{100};            ///< back-off after a failure, doubling
  Milliseconds retry_max{5000};
  Milliseconds closed_topic_min{5000};    ///< so long records for a topic that is closed wait, then
  Milliseconds closed_topic_max{60'000};  ///< twice as long each time, up to this
  Milliseconds closed_topic_poll{1000};   ///< between two looks, while only such records wait
};

/// Told what a person or a metric should know. Any may be empty. None may destroy the publisher.
struct PublisherEvents {
  std::function<void(const Error&)> fenced;  ///< this incarnation is dead; nothing goes on here
  std::function<void(int shard, const std::string& reason)> shard_stopped;
  std::function<void(int shard, const Error&)> trouble;  ///< a step failed and will be repeated
  std::function<void(int shard, std::int64_t batch, int records)> published;
};

struct PublisherCounters {
  std::int64_t batches = 0;  ///< known to be committed
  std::int64_t records = 0;
  std::int64_t opens = 0;    ///< producers initialised
  std::int64_t tainted = 0;  ///< committed batches after which the producer was replaced
  std::int64_t open_failures = 0;
  std::int64_t send_failures = 0;
  std::int64_t ledger_failures = 0;
  std::int64_t withdrawn = 0;  ///< batches that had records for topics that are closed
  std::int64_t replaced = 0;   ///< records that Kafka refused and smaller ones stand for
  int shards_owned = 0;
  int shards_stopped = 0;
  int shards_failing = 0;  ///< whose last step failed, or that hold records for a closed topic
};

struct ShardRunnerContext;
class ShardRunner;

class Publisher {
 public:
  /// The references outlive the publisher.
  Publisher(Outbox& outbox, ShardTransports& transports, Executor& executor,
            PublisherOptions options, PublisherEvents events);
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// Takes this incarnation's shards and publishes from now on.
  void start(IncarnationId self);

  /// Rows of this shard were just committed. A shard that isn't ours: no effect, its owner polls.
  void nudge(int shard);

  /// The set of live workers changed: looks at once which shards are ours.
  void ownership_changed();

  /// Publishes what is pending now, without lingering. `done(true)`: every owned shard is empty and
  /// its last batch marked; `done(false)`: `limit` passed first, a shard is stopped, or all that is
  /// left is for topics that are closed. It must not destroy the publisher.
  void drain(Milliseconds limit, std::function<void(bool everything)> done);

  /// Drops all shards at once, as a crash would: what is in flight is decided by the next owner.
  void stop();

  PublisherCounters counters() const;

  /// Why records for some topics wait, for a person, with each topic's name; empty: none do.
  std::string closed_topics() const;

 private:
  void adopt(const std::vector<ShardState>& owned);
  void poll();
  void drop(int shard);
  void fence(const Error& error);
  void check_drained();
  void finish_drain(bool everything);
  bool give_up(const Error& error);

  Outbox& outbox_;
  ShardTransports& transports_;
  Executor& executor_;
  PublisherOptions options_;
  PublisherEvents events_;
  PublisherCounters counters_;
  std::unique_ptr<ShardRunnerContext> context_;
  bool running_ = false;
  std::map<int, std::shared_ptr<ShardRunner>> runners_;  ///< shared with nobody for long
  std::unique_ptr<Timer> poll_timer_;
  std::unique_ptr<Timer> ownership_timer_;
  bool looking_at_ownership_ = false;
  bool look_again_ = false;
  bool ownership_known_ = false;
  std::function<void(bool)> drain_done_;
  std::unique_ptr<Timer> drain_timer_;
  bool dropped_while_draining_ = false;
  Lifetime lifetime_;
};

}  // namespace ba
