#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is sent as the user's where a provider needs somebody to speak and nobody did: before a
// history that the assistant began, as one that was imported may (Anthropic refuses it otherwise,
// and so do the templates of many servers), and between two replies the second of which begins with
// thinking (Anthropic refuses thinking behind other blocks). The history itself stays as it is.

#include <string_view>

namespace ba {

inline constexpr std::string_view kUserOpening = "[The assistant began this conversation.]";
inline constexpr std::string_view kUserBetween = "[The assistant went on by itself.]";

}  // namespace ba
