#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs blocking tool calls on named threads of their own and brings their results back to the
// control thread. Of the threads without a call the one that worked last gets the next: what it
// has, a session and what that knows, serves most calls, and the others sleep. Short calls that
// come together are done by few threads, one after the other: while one works, a further one is
// woken only for a call that is still waiting after `relay`, or at once where none was begun for so
// long, as those at work have long calls. A run that was destroyed answers no more: waiting, it
// never starts; working, its Cancellation is set; once it has answered, there is nothing left to
// cancel. Owned by a tool; start() on the control thread only. The destructor drops what waits and
// joins the threads, so every run is destroyed before.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/cancellation.hpp"

namespace ba::tools {

class BlockingRuns {
 public:
  /// Called on a worker thread (numbered from 0); sends its result once through `answer` and may
  /// clean up after that. Must not throw anything but std::exception.
  using Answer = std::function<void(RawToolResult)>;
  using Work = std::function<void(int worker, const Cancellation&, const Answer&)>;

  /// How long a call may wait for a thread at work before another one is woken for it.
  static constexpr Milliseconds kRelay{1};

  /// How long a call waits for a thread, and what it is answered then; it never begins after that.
  struct Patience {
    Milliseconds wait_max;
    RawToolResult answer;
  };

  BlockingRuns(std::string thread_name, int threads, Executor& executor,
               Milliseconds relay = kRelay);
  ~BlockingRuns();
  BlockingRuns(const BlockingRuns&) = delete;
  BlockingRuns& operator=(const BlockingRuns&) = delete;

  /// Without patience a call waits for as long as its handle lives.
  std::unique_ptr<ToolRun> start(Work work, std::function<void(RawToolResult)> done,
                                 std::optional<Patience> patience = std::nullopt);

  /// Threads that wait for a call. Any thread.
  std::size_t idle() const;

 private:
  struct Job;
  class Handle;

  /// Where a thread waits for calls.
  struct Seat {
    std::condition_variable wake;
    bool called = false;  ///< there was a call to begin
  };

  bool withdraw(const std::shared_ptr<Job>& job);
  void call_one(bool beside_others);
  void relay();
  void serve(int worker);
  std::shared_ptr<Job> next(Seat& seat, bool has_worked);
  void perform(int worker, const std::shared_ptr<Job>& job);

  Executor& executor_;
  const Milliseconds relay_after_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<Seat> seats_;
  std::deque<Seat*> idle_;  ///< who has worked last is the last
  SteadyTime taken_at_{};   ///< when a call was begun last
  bool stopping_ = false;
  std::unique_ptr<Timer> relay_;  ///< control thread only, as all that follows
  std::vector<std::thread> threads_;
};

}  // namespace ba::tools
