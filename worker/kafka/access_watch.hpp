#pragma once
// SPDX-License-Identifier: Apache-2.0
// Asks the brokers every half minute, on a thread of its own, whether a worker may still use its
// topics and its group: rights can be taken away from a running worker, which then learns of it
// only by what it happens to do next. Made and destroyed on the control thread; the destructor
// waits for a question under way, at most a few seconds.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/kafka/kafka_options.hpp"

namespace ba {

class AccessWatch {
 public:
  /// What is lacking, one text for each; empty: nothing. On the watch's thread, after each answer.
  using Tell = std::function<void(std::vector<std::string> lacks)>;

  AccessWatch(const KafkaOptions& options, Milliseconds interval, Tell tell);
  ~AccessWatch();

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace ba
