#pragma once
// SPDX-License-Identifier: Apache-2.0
// Those who want one key's result in this process at the same time, in the order they came. The
// first may run; the others wait for what it brings. Owned by the shared cache; one thread.

#include <functional>
#include <list>
#include <memory>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/result_cache.hpp"

namespace ba {

/// One who waits, or runs.
struct CacheWaiter {
  CacheQuestion question;
  std::function<void(CacheAnswer)> done;  ///< empty once it was answered
  std::unique_ptr<Timer> patience;        ///< of the longest wait
};

class Flight {
 public:
  using Place = std::shared_ptr<CacheWaiter>;

  enum class State {
    Asking,     ///< the store is being asked
    Elsewhere,  ///< another process runs it; the store is asked again later
    Leading,    ///< the first of us runs it
  };

  explicit Flight(Place first) { waiters_.push_back(std::move(first)); }

  State state = State::Asking;
  std::unique_ptr<Timer> next_look;  ///< while it is elsewhere
  Milliseconds pause{0};             ///< before that look

  /// Whether another process was ever seen to run it.
  bool waited() const { return pause > Milliseconds(0); }

  void join(Place waiter) { waiters_.push_back(std::move(waiter)); }
  /// The waiter that goes; null when it had gone.
  Place leave(const CacheWaiter* waiter);
  bool empty() const { return waiters_.empty(); }
  bool leads(const CacheWaiter* waiter) const;
  const Place& first() const { return waiters_.front(); }

  /// All who wait; nobody is left.
  std::list<Place> take_all();

 private:
  std::list<Place> waiters_;
};

/// Answers a waiter, unless it was answered or has gone.
void answer(const Flight::Place& waiter, CacheAnswer with);

}  // namespace ba
