#pragma once
// SPDX-License-Identifier: Apache-2.0
// The heap of a test's program, counted: its malloc is the C library's with a count before it, so
// that memory of C libraries counts too. Not with sanitizers, which have a malloc of their own.

#include <cstdint>

namespace ba {

/// Bytes of the heap that this thread has allocated and not freed, as the heap rounds them. What
/// one thread allocates and another frees is wrong in both.
std::int64_t live_bytes();

}  // namespace ba
