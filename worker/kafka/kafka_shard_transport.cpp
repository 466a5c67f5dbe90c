// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_shard_transport.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/base/lifetime.hpp"
#include "worker/kafka/client.hpp"
#include "worker/kafka/shard_producer.hpp"

namespace ba::kafka {
namespace {

/// The thread of one shard: runs one blocking call after the other. Made and retired on the control
/// thread; the destructor joins.
class ShardThread {
 public:
  using Call = std::function<void(ShardProducer&)>;

  ShardThread(const KafkaOptions& options, int shard)
      : producer_(std::make_unique<ShardProducer>(options, shard)),
        thread_([this, shard] { run(shard); }) {}
  ~ShardThread() {
    retire();
    thread_.join();
  }

  void add(Call call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    wake_.notify_one();
  }

  /// Ends the thread without waiting: what waits is dropped, what is under way is abandoned.
  void retire() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(retired_, true)) return;
    producer_->abandon();
    calls_.clear();
    wake_.notify_one();
  }

  bool finished() const { return finished_; }

 private:
  void run(int shard) {
    name_this_thread("shard-" + std::to_string(shard));
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return retired_ || !calls_.empty(); });
      if (retired_) break;
      const Call call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      call(*producer_);
      lock.lock();
    }
    const auto last = std::move(producer_);
    lock.unlock();
    finished_ = true;
  }

  std::unique_ptr<ShardProducer> producer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Call> calls_;
  bool retired_ = false;
  std::atomic<bool> finished_{false};
  std::thread thread_;  ///< last: everything above is there when it starts
};

class KafkaShardTransport final : public ShardTransport {
 public:
  KafkaShardTransport(ShardThread& thread, Executor& executor)
      : thread_(thread), executor_(executor) {}
  ~KafkaShardTransport() override { thread_.retire(); }

  void open(Completion<std::optional<std::int64_t>> done) override {
    thread_.add([answer = answering(std::move(done))](ShardProducer& producer) {
      answer(producer.open());
    });
  }

  void send(OutboxBatch batch, Completion<bool> done) override {
    reasons_ = {};
    const auto told = std::make_shared<Reasons>();
    thread_.add([batch = std::move(batch), told,
                 answer = answering<bool>([this, told, done = std::move(done)](Result<bool> sent) {
                   reasons_ = std::move(*told);
                   done(std::move(sent));
                 })](ShardProducer& producer) {
      Result<bool> sent = producer.send(batch);
      *told = {producer.refused(), producer.closed()};
      answer(std::move(sent));
    });
  }

  std::optional<RefusedRecord> refused() const override { return reasons_.refused; }
  std::map<std::string, std::string> closed() const override { return reasons_.closed; }

 private:
  /// Of the last send, where it failed.
  struct Reasons {
    std::optional<RefusedRecord> refused;
    std::map<std::string, std::string> closed;
  };

  /// Brings an answer to the control thread; dropped when this transport is gone by then.
  template <typename T>
  std::function<void(Result<T>)> answering(Completion<T> done) {
    return [&executor = executor_,
            done = Completion<T>(lifetime_.guarded(std::move(done)))](Result<T> result) {
      executor.post([done, result = std::move(result)] { done(result); });
    };
  }

  ShardThread& thread_;
  Executor& executor_;
  Reasons reasons_;
  Lifetime lifetime_;
};

}  // namespace

class KafkaShardTransports::Threads {
 public:
  Threads(const KafkaOptions& options, Executor& executor)
      : options_(options), executor_(executor) {}
  ~Threads() {
    for (const auto& thread : threads_) thread->retire();  // all, before the first is waited for
  }

  std::unique_ptr<ShardTransport> create(int shard) {
    std::erase_if(threads_, [](const auto& thread) { return thread->finished(); });
    threads_.push_back(std::make_unique<ShardThread>(options_, shard));
    return std::make_unique<KafkaShardTransport>(*threads_.back(), executor_);
  }

 private:
  KafkaOptions options_;
  Executor& executor_;
  std::vector<std::unique_ptr<ShardThread>> threads_;
};

KafkaShardTransports::KafkaShardTransports(const KafkaOptions& options, Executor& executor)
    : threads_(std::make_unique<Threads>(options, executor)) {}

KafkaShardTransports::~KafkaShardTransports() = default;

std::unique_ptr<ShardTransport> KafkaShardTransports::create(int shard) {
  return threads_->create(shard);
}

}  // namespace ba::kafka
