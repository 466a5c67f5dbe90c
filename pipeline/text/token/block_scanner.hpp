#pragma once
// SPDX-License-Identifier: Apache-2.0
// Cuts ASCII text into the pieces that PieceScanner would cut it into, 64 bytes at a time: a bit
// for each byte says of which class it is, and arithmetic with such bits says where pieces begin.
// Pure functions; any thread.

#include <cstddef>
#include <cstdint>

namespace ba {

inline constexpr std::size_t kScannedAtOnce = 64;

/// Bits: at which of the 64 bytes from `at` on, where a piece begins, pieces surely begin, whatever
/// comes behind them. The lowest is `at` itself. The last piece isn't whole; up to it, all is
/// ASCII.
std::uint64_t cl100k_begins(const char* at);
std::uint64_t o200k_begins(const char* at);

}  // namespace ba
