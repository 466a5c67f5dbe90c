#pragma once
// SPDX-License-Identifier: Apache-2.0
// The smallest parts of TOON text (specification 4.0, §2, §4 and §7): keys, strings, numbers, each
// way. Pure functions, any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// `[A-Za-z_][A-Za-z0-9_.]*`: a key that is written without quotes.
bool is_toon_bare_key(std::string_view text);

void append_toon_key(std::string& out, std::string_view key);

/// A value that is no object or array, as one cell of a line that `delimiter` splits.
void append_toon_primitive(std::string& out, const OrderedJson& value, char delimiter);

/// A quoted token without its quotes and escapes; none, and why, when it isn't one.
std::optional<std::string> read_toon_quoted(std::string_view token, std::string& why);

/// A token, quoted or not; none, and why, when it is neither a good string nor a number within
/// the limits of base/decimal.hpp.
std::optional<OrderedJson> read_toon_primitive(std::string_view token, std::string& why);

/// The first place at or after `from` of `wanted` or `other` outside quotes, or npos.
std::size_t find_unquoted(std::string_view text, char wanted, char other, std::size_t from = 0);

std::string_view without_spaces(std::string_view text);  ///< at its ends; U+0020 only

}  // namespace ba
