#pragma once
// SPDX-License-Identifier: Apache-2.0
// A few named threads, each with a session of its own, that take tasks from one queue in order.
// close() runs what is queued (quickly: after Stop sessions refuse to run) and joins.
// submit() from any thread.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "storage/postgres/session.hpp"

namespace ba::storage {

class SessionPool {
 public:
  using Task = std::function<void(Session&)>;

  /// `name` is the threads' name, at most 12 characters. Their sessions' slots begin at that of
  /// `options`.
  SessionPool(const std::string& name, int threads, const SessionOptions& options,
              const Stop& stop);
  ~SessionPool() { close(); }
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

  void submit(Task task);
  void close();

 private:
  void serve(const SessionOptions& options, const Stop& stop);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ba::storage
