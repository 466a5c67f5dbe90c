#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is sent as the user's before a history that the assistant began, as one that was imported
// may: Anthropic refuses it otherwise, and so do the templates of many servers. The history itself
// stays as it is.

#include <string_view>

namespace ba {

inline constexpr std::string_view kUserOpening = "[The assistant began this conversation.]";

}  // namespace ba
