#pragma once
// SPDX-License-Identifier: Apache-2.0
// How much one transaction carries, in bytes: a statement beyond a gigabyte is more than PostgreSQL
// takes, and what is written together is held in memory together. A single larger row still goes.

#include <cstddef>

namespace ba {

inline constexpr std::size_t kIntakeBatchBytesMax = 8U << 20U;  ///< records taken in together
inline constexpr std::size_t kOutboxBatchBytesMax = 8U << 20U;  ///< values published together

}  // namespace ba
