#pragma once
// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word nearest to a mistyped one. Any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// The known word with the smallest edit distance (a swap of neighbours counts one; case does not
/// count), none when even that is too far to be a slip.
std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known);

}  // namespace ba
