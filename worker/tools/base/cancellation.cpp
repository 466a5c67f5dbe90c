// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/cancellation.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace ba {

Cancellation::Cancellation() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Cancellation::~Cancellation() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Cancellation::cancel() {
  cancelled_.store(true);
  const std::uint64_t one = 1;
  // Where there is no descriptor, or its count is full, whoever polls looks at the flag in time.
  if (descriptor_ < 0) return;
  [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof(one));
}

}  // namespace ba
