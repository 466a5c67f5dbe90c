// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/cancellation.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "pipeline/base/assert.hpp"

namespace ba {

Cancellation::Cancellation() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  BA_ASSERT(descriptor_ >= 0);
}

Cancellation::~Cancellation() { close(descriptor_); }

void Cancellation::cancel() {
  cancelled_.store(true);
  const std::uint64_t one = 1;
  BA_ASSERT(write(descriptor_, &one, sizeof(one)) == sizeof(one));
}

}  // namespace ba
