// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace ba {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "ba-agent: assertion failed: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace ba
