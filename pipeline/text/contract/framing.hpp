#pragma once
// SPDX-License-Identifier: Apache-2.0
// Schema-Registry framing in front of a payload: 00 and a 4-byte schema id, or 01 and a 16-byte
// schema GUID; then, before protobuf only, the message indexes as zigzag varints ("00" is short for
// the first message). The schema itself is not looked up. Pure function.

#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// The payload behind the framing; `bytes` itself when it is not framed (its first byte is neither
/// 00 nor 01, which no protobuf message and no JSON text begins with). InvalidArgument when the
/// framing is cut short or its indexes make no sense.
Result<std::string_view> without_framing(std::string_view bytes);

}  // namespace ba
