#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tool calls in a model's own notation, which its server should have taken out of the text. Pure
// function.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// The mark by which a text that is a call, or ends with one, gives itself away: "<tool_call>". A
/// JSON object alone is one if its name is that of a tool. None: an ordinary text, also one that
/// tells of such a mark inside a line, or goes on behind it.
std::optional<std::string_view> tool_markup(std::string_view text,
                                            const std::vector<std::string>& tool_names);

}  // namespace ba
