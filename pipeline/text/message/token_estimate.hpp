#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens a text is: the type of what counts them, and a count that is about right, for
// places where an encoder is not wanted. Pure; any thread.

#include <cstdint>
#include <functional>
#include <string_view>

namespace ba {

/// Tokens of a text as some model takes it; the same whenever it is asked.
using CountTokens = std::function<std::int64_t(std::string_view)>;

/// ⌊chars / (4·(1−r) + 1.5·r)⌋ with r the share of U+4E00–U+9FFF among the code points. `text` is
/// UTF-8.
std::int64_t estimated_tokens(std::string_view text);

}  // namespace ba
