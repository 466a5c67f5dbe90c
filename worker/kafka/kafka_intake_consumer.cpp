// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_intake_consumer.hpp"

#include <thread>

#include "pipeline/base/assert.hpp"
#include "worker/kafka/intake_loop.hpp"

namespace ba::kafka {
namespace {

/// The control thread's side. What the loop posts is dropped once this object is closed or gone.
class Consumer final : public IntakeConsumer {
 public:
  Consumer(const KafkaOptions& options, Executor& executor, IntakeEvents events)
      : events_(std::make_shared<IntakeEvents>(std::move(events))),
        loop_(options, loop_events(executor)) {}

  ~Consumer() override {
    if (!thread_.joinable()) return;
    if (!closing_) loop_.close();
    thread_.join();
  }

  Result<void> start() {
    if (auto subscribed = loop_.subscribe(); !subscribed) return subscribed;
    thread_ = std::thread([this] { loop_.run(); });
    return {};
  }

  void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) override {
    loop_.acknowledge(records, std::move(next_offsets));
  }

  void set_paused(std::set<std::string> topics) override { loop_.set_paused(std::move(topics)); }

  void close(std::function<void()> done) override {
    BA_ASSERT(!closing_);
    closing_ = true;
    events_.reset();
    *closed_ = std::move(done);
    loop_.close();
  }

  IntakeState state() const override { return loop_.state(); }

 private:
  IntakeLoopEvents loop_events(Executor& executor) {
    const std::weak_ptr<IntakeEvents> weak = events_;
    IntakeLoopEvents events;
    events.assigned = [this, &executor, weak](std::int64_t assignment,
                                              std::vector<PartitionOffset> partitions) {
      executor.post([this, weak, assignment, partitions = std::move(partitions)] {
        if (const auto alive = weak.lock()) ask(weak, *alive, assignment, partitions);
      });
    };
    events.out_of_range = [this, &executor, weak](std::int64_t assignment,
                                                  PartitionOffset partition) {
      executor.post([this, weak, assignment, partition = std::move(partition)] {
        if (const auto alive = weak.lock()) begin_epoch(weak, *alive, assignment, partition);
      });
    };
    events.records = [&executor, weak](std::vector<RawRecord> records) {
      executor.post([weak, records = std::move(records)]() mutable {
        if (const auto alive = weak.lock()) alive->records(std::move(records));
      });
    };
    events.trouble = [&executor, weak](Error error) {
      executor.post([weak, error = std::move(error)] {
        if (const auto alive = weak.lock()) alive->trouble(error);
      });
    };
    events.closed = [&executor, closed = std::weak_ptr(closed_)] {
      executor.post([closed] {
        if (const auto done = closed.lock(); done && *done) (*done)();
      });
    };
    return events;
  }

  void ask(const std::weak_ptr<IntakeEvents>& weak, const IntakeEvents& events,
           std::int64_t assignment, const std::vector<PartitionOffset>& partitions) {
    events.start_offsets(partitions,
                         [this, weak, assignment](Result<std::vector<PartitionOffset>> offsets) {
                           if (weak.lock()) loop_.start_at(assignment, std::move(offsets));
                         });
  }

  void begin_epoch(const std::weak_ptr<IntakeEvents>& weak, const IntakeEvents& events,
                   std::int64_t assignment, const PartitionOffset& partition) {
    events.begin_epoch(partition,
                       [this, weak, assignment, partition](Result<PartitionOffset> begun) {
                         if (weak.lock())
                           loop_.epoch_begun(assignment, partition, std::move(begun));
                       });
  }

  std::shared_ptr<IntakeEvents> events_;  ///< posted tasks hold it weakly; none: closed
  std::shared_ptr<std::function<void()>> closed_ = std::make_shared<std::function<void()>>();
  IntakeLoop loop_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<IntakeConsumer>> make_intake_consumer(const KafkaOptions& options,
                                                             Executor& executor,
                                                             IntakeEvents events) {
  if (auto checked = validate(options); !checked) return checked.error();
  auto consumer = std::make_unique<Consumer>(options, executor, std::move(events));
  if (auto started = consumer->start(); !started) return started.error();
  return std::unique_ptr<IntakeConsumer>(std::move(consumer));
}

}  // namespace ba::kafka
