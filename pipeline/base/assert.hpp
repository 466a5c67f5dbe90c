#pragma once
// SPDX-License-Identifier: Apache-2.0
// Assertions that stay on: a broken invariant is a bug, and going on would make it a wrong answer.

namespace ba {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace ba

#define BA_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::ba::assertion_failed(#expression, __FILE__, __LINE__))
