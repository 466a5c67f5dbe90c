#pragma once
// SPDX-License-Identifier: Apache-2.0
// The hash that identifies a request body. Pure function.

#include <string>
#include <string_view>

namespace ba {

/// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view data);

}  // namespace ba
