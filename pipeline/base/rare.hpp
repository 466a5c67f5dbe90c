#pragma once
// SPDX-License-Identifier: Apache-2.0
// A value that is seldom there, of something that is held many times. An optional takes the room of
// its value also while there is none; this takes that of a pointer.

#include <memory>
#include <utility>

namespace ba {

template <typename T>
class Rare final {
 public:
  Rare() = default;
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  /// Leaves none behind.
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_.swap(other.value_);
    return *this;
  }

  template <typename... Arguments>
  T& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace ba
