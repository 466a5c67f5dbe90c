#pragma once
// SPDX-License-Identifier: Apache-2.0
// YAML's scalars as text; see yaml_encode.hpp. Pure functions, any thread.

#include <string>
#include <string_view>

namespace ba {

/// Plain where every reader takes that for this string, else in double quotes; one line.
void append_yaml_string(std::string& out, std::string_view text);

/// Whether the text can stand as a literal block: lines of printable characters, the first of
/// which begins with no blank, and at most one line end behind the last.
bool fits_yaml_block(std::string_view text);

/// As YAML 1.1 and 1.2 both read it as a float: "1.0", "1.5e+300".
void append_yaml_double(std::string& out, double value);

}  // namespace ba
