#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time types. Elapsed time and deadlines are steady; wall time stands in records only. The core
// reads neither clock itself: both come through the Clock port.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ba {

using Milliseconds = std::chrono::milliseconds;
using Microseconds = std::chrono::microseconds;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

/// RFC 3339 in UTC with microseconds: "2026-03-01T12:00:00.000000Z".
std::string to_rfc3339(WallTime time);

/// The inverse; also reads other fractions of a second (finer than microseconds is cut off) and
/// offsets such as "+01:00". None when it is no such time.
std::optional<WallTime> parse_rfc3339(std::string_view text);

}  // namespace ba
