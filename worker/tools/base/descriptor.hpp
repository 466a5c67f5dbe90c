// SPDX-License-Identifier: Apache-2.0
#pragma once
// An open file descriptor, closed with its owner. One thread at a time.

#include <unistd.h>

#include <utility>

namespace ba::tools {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }  ///< to who closes it from now on

 private:
  int number_;
};

}  // namespace ba::tools
