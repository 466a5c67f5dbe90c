// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/cache/flight.hpp"

#include <algorithm>
#include <utility>

namespace ba {

Flight::Place Flight::leave(const CacheWaiter* waiter) {
  const auto place =
      std::ranges::find(waiters_, waiter, [](const Place& one) { return one.get(); });
  if (place == waiters_.end()) return nullptr;
  Place gone = std::move(*place);
  waiters_.erase(place);
  return gone;
}

bool Flight::leads(const CacheWaiter* waiter) const {
  return state == State::Leading && !waiters_.empty() && waiters_.front().get() == waiter;
}

std::list<Flight::Place> Flight::take_all() { return std::exchange(waiters_, {}); }

void answer(const Flight::Place& waiter, CacheAnswer with) {
  waiter->patience.reset();
  if (const auto done = std::exchange(waiter->done, nullptr)) done(std::move(with));
}

}  // namespace ba
