#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the numbers may be that several families of tools have. Values.

#include "pipeline/base/bounds.hpp"

namespace ba {

namespace tool_bounds {
inline constexpr Bounds kRowLimit{1, 100'000};
inline constexpr Bounds kResultBytesMax{1024, 64LL << 20};
inline constexpr Bounds kThreads{1, 64};
inline constexpr Bounds kTimeoutMs{1, 3'600'000};
inline constexpr Bounds kKeepDays{1, 3650};
}  // namespace tool_bounds

}  // namespace ba
