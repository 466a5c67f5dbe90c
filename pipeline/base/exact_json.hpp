#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads JSON of others and writes it again with every number as it was written (kept_number.hpp).
// Whoever parses or writes what isn't wholly ours goes this way: dump() of the library writes a
// kept number as an object of bytes. For nlohmann::json and nlohmann::ordered_json. Pure; any
// thread.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ba {

/// One JSON value (RFC 8259); `discarded` for anything else, and for a number beyond the limits of
/// decimal.hpp. Of members of the same name the last counts.
template <typename Json>
Json parse_exact(std::string_view text);

/// Of text that is known to be readable JSON; throws like the library where it is not.
template <typename Json>
Json parse_exact_known(std::string_view text);

/// Tells `sax` what comes, kept numbers as binary values. False: it isn't JSON, or sax refused.
template <typename Json>
bool sax_exact(std::string_view text, nlohmann::json_sax<Json>& sax);

bool accept_exact(std::string_view text);

/// On one line, or indented as the library does. Bytes that aren't UTF-8 are replaced.
template <typename Json>
std::string dump_exact(const Json& value, int indent = -1);

extern template nlohmann::json parse_exact(std::string_view);
extern template nlohmann::ordered_json parse_exact(std::string_view);
extern template nlohmann::json parse_exact_known(std::string_view);
extern template nlohmann::ordered_json parse_exact_known(std::string_view);
extern template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::json>&);
extern template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::ordered_json>&);
extern template std::string dump_exact(const nlohmann::json&, int);
extern template std::string dump_exact(const nlohmann::ordered_json&, int);

}  // namespace ba
