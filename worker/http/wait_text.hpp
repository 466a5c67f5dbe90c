#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long a server asks to wait, where it says so in a text: as a duration ("1m30s", the form of
// Go and of protobuf's JSON) or in a sentence. Pure functions.

#include <optional>
#include <string_view>

#include "pipeline/base/time.hpp"

namespace ba {

/// All of the text: numbers with units, "38.5s", "6m0s", "850ms", "2 minutes", "1 min 30 sec".
/// None: anything else, also a number alone. At most 10^12 ms.
std::optional<Milliseconds> parse_duration(std::string_view text);

/// The duration behind words that ask for a wait: "Please try again in 38.5s." A number without a
/// unit is one of seconds.
std::optional<Milliseconds> wait_in_words(std::string_view sentence);

}  // namespace ba
