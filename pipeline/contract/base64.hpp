#pragma once
// SPDX-License-Identifier: Apache-2.0
// Base64 as the proto3 JSON mapping reads it: both alphabets of RFC 4648, padded or not.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace ba
