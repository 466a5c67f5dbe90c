// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/access_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "worker/kafka/access_check.hpp"
#include "worker/kafka/client.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{2'000};

}  // namespace

class AccessWatch::Thread {
 public:
  Thread(KafkaOptions options, Milliseconds interval, Tell tell)
      : options_(std::move(options)), interval_(interval), tell_(std::move(tell)) {
    options_.request_timeout = std::min(options_.request_timeout, kPatience);
    options_.log = {};  // brokers that are away are told of by who works with them
    thread_ = std::thread([this] { run(); });
  }
  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void run() {
    name_this_thread("kafka-access");
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return stopping_; })) {
      lock.unlock();
      if (auto lacks = worker_lacks(options_)) tell_(std::move(*lacks));
      lock.lock();
    }
  }

  KafkaOptions options_;
  const Milliseconds interval_;
  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  ///< last: everything above is there when it starts
};

AccessWatch::AccessWatch(const KafkaOptions& options, Milliseconds interval, Tell tell)
    : thread_(std::make_unique<Thread>(options, interval, std::move(tell))) {}

AccessWatch::~AccessWatch() = default;

}  // namespace ba
