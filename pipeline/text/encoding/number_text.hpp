#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers as text, exactly: what is written reads back as the same number. Locale plays no part.
// Pure functions, any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// `-?digits(.digits)?(e[+-]?digits)?` without superfluous leading zeros: the grammar of JSON.
bool is_json_number(std::string_view text);

/// A text for which is_json_number holds: an integer of 64 bits or a double where JSON writes these
/// that way, else kept (exact_json.hpp). None: beyond the limits of decimal.hpp.
std::optional<OrderedJson> number_of(std::string_view text);

/// The same, and a double too where append_yaml_double writes it that way. So a kept number that is
/// written like a double (1.0e+16) becomes one: the value stays, not how it is written.
std::optional<OrderedJson> yaml_number_of(std::string_view text);

/// As yaml_number_of, of what append_decimal writes.
std::optional<OrderedJson> decimal_number_of(std::string_view text);

/// `text` where it has the digits that JSON gives the double, which aren't always the fewest; else
/// those, so that no encoding changes any.
std::string with_json_digits(std::string text, double value);

/// Decimal digits without an exponent from 1e-6 up to 1e21, "1e-7" and "1e+21" beyond; -0 is "0",
/// and what is no number (infinity) "null".
void append_decimal(std::string& out, double value);

}  // namespace ba
