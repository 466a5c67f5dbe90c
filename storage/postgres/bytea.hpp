#pragma once
// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's hex form of bytes ("\x6162"), in which results carry them. Pure functions.

#include <string>
#include <string_view>

namespace ba {

std::string hex_of_bytes(std::string_view bytes);

/// Empty for anything that is not in hex form.
std::string bytes_of_hex(std::string_view text);

}  // namespace ba
