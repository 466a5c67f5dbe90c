#pragma once
// SPDX-License-Identifier: Apache-2.0
// Dollars as people write them, to and from whole micro-dollars; no floating point. Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ba::settings {

/// "0.25" is 250000. None for anything else than digits with at most 6 decimal places, or an
/// amount over a thousand million dollars.
std::optional<std::int64_t> parse_micro_usd(std::string_view text);

/// The shortest text of it: 250000 is "0.25".
std::string micro_usd_text(std::int64_t micro_usd);

}  // namespace ba::settings
