// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/byte_budget.hpp"

#include <utility>

namespace ba {

std::unique_ptr<ByteBudget::Place> ByteBudget::enter(std::int64_t bytes,
                                                     std::function<void()> begin) {
  auto place = std::make_unique<Place>(*this, bytes, std::move(begin));
  waiting_.push_back(place.get());
  admit_waiting();
  return place;
}

/// Who begins may leave, or another enter, from inside: nothing of ours is looked at twice.
void ByteBudget::admit_waiting() {
  while (!waiting_.empty() && room_for(waiting_.front()->bytes_)) {
    Place& place = *waiting_.front();
    waiting_.pop_front();
    place.in_ = true;
    held_ += place.bytes_;
    const auto begin = std::move(place.begin_);
    begin();
  }
}

void ByteBudget::leave(Place& place) {
  if (!place.in_) {
    std::erase(waiting_, &place);
    return;
  }
  held_ -= place.bytes_;
  admit_waiting();
}

}  // namespace ba
