#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers as text, exactly: what is written reads back as the same number. Locale plays no part.
// Pure functions, any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/encoding/ordered_json.hpp"

namespace ba {

/// `-?digits(.digits)?(e[+-]?digits)?` without superfluous leading zeros: the grammar of JSON.
bool is_json_number(std::string_view text);

/// A text for which is_json_number holds: an integer of 64 bits or a double where these are written
/// that way, in JSON or YAML, else kept (kept_number.hpp). None: beyond the limits of decimal.hpp.
std::optional<OrderedJson> number_of(std::string_view text);

/// The same of what append_decimal may have written.
std::optional<OrderedJson> decimal_number_of(std::string_view text);

/// `text` where it has the digits that JSON gives the double, which aren't always the fewest; else
/// those, so that no encoding changes any.
std::string with_json_digits(std::string text, double value);

/// Decimal digits without an exponent from 1e-6 up to 1e21, "1e-7" and "1e+21" beyond; -0 is "0",
/// and what is no number (infinity) "null".
void append_decimal(std::string& out, double value);

}  // namespace ba
