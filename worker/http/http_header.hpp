#pragma once
// SPDX-License-Identifier: Apache-2.0
// What may stand in a header of a request (RFC 9110, section 5). Pure functions.

#include <string_view>

namespace ba {

/// A token: letters, digits and a few marks.
bool is_header_name(std::string_view name);

/// One line, without control characters.
bool is_header_value(std::string_view value);

/// Whether they are one header, whose name may be written in any case.
bool same_header_name(std::string_view a, std::string_view b);

}  // namespace ba
