#pragma once
// SPDX-License-Identifier: Apache-2.0
// The "id" of a line of JSON, which its answer gives back as it was written: no number loses
// digits. Pure functions, any thread.

#include <string>
#include <string_view>

namespace ba {

/// Of an answer to a line that has none, or none that can be read.
inline constexpr std::string_view kNoId = "null";

/// Of a line that is known to be one JSON value; kNoId where it has none. A view into the line.
std::string_view id_of_line(std::string_view line);

/// `{"id":ID,…}`; `answer` is a JSON object with at least one member and without an id.
std::string with_id(std::string_view id, std::string_view answer);

}  // namespace ba
