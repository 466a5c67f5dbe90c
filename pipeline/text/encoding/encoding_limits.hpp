#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the readers of encoded text bear; beyond it they answer LimitExceeded and name the limit.
// All of them read in time proportional to the text. Values.

#include <cstddef>

namespace ba {

/// Levels of nesting, as everywhere (JsonView::kDepthMax).
inline constexpr int kEncodedDepthMax = 64;
inline constexpr std::size_t kEncodedBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kEncodedMembersMax = 1'000'000;  ///< of one object
/// Bytes of members' names in all rows of all tables: a header's names count in each row, and so
/// does a member that lenient reading adds for a cell that isn't there.
inline constexpr std::size_t kTableNameBytesMax = std::size_t{1} << 30;

}  // namespace ba
