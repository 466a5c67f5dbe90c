#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many bytes of large data a process holds at once: who wants more waits, in order. Owned by
// the ToolRuntime. Control thread only.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace ba {

class ByteBudget {
 public:
  explicit ByteBudget(std::int64_t bytes_max) : bytes_max_(bytes_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// Bytes that are held or waited for. Destroying it ends either; before the budget goes.
  class Place;

  /// `begin` is called once there is room, from inside this call where there is already. What is
  /// larger than the budget has it alone.
  [[nodiscard]] std::unique_ptr<Place> enter(std::int64_t bytes, std::function<void()> begin);

  std::int64_t held() const { return held_; }

 private:
  bool room_for(std::int64_t bytes) const { return held_ == 0 || bytes <= bytes_max_ - held_; }
  void admit_waiting();
  void leave(Place& place);

  const std::int64_t bytes_max_;
  std::int64_t held_ = 0;
  std::deque<Place*> waiting_;
};

class ByteBudget::Place {
 public:
  Place(ByteBudget& budget, std::int64_t bytes, std::function<void()> begin)
      : budget_(budget), bytes_(bytes), begin_(std::move(begin)) {}
  ~Place() { budget_.leave(*this); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  friend class ByteBudget;
  ByteBudget& budget_;
  const std::int64_t bytes_;
  std::function<void()> begin_;
  bool in_ = false;
};

}  // namespace ba
