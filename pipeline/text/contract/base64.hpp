#pragma once
// SPDX-License-Identifier: Apache-2.0
// Base64 as the proto3 JSON mapping has it: reads both alphabets of RFC 4648, padded or not; writes
// the standard one, padded.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

std::optional<std::string> base64_decoded(std::string_view text);
std::string base64_encoded(std::string_view bytes);

}  // namespace ba
