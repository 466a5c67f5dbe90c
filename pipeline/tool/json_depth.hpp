#pragma once
// SPDX-License-Identifier: Apache-2.0
// How deep JSON text is nested, found without recursion, so that text from outside can be refused
// before a recursive parser or printer meets it. Any thread.

#include <string_view>

namespace ba {

inline constexpr int kJsonDepthMax = 64;

/// The greatest number of open brackets at any place outside strings; the text need not be valid.
int json_depth(std::string_view text);

}  // namespace ba
