#pragma once
// SPDX-License-Identifier: Apache-2.0
// A look at protobuf bytes before the library parses them, so that what is wrong has a field's
// name: cut-off data, a wire type that doesn't fit, broken UTF-8, too deep nesting. Pure function.

#include <optional>
#include <string_view>

#include "pipeline/text/contract/record.hpp"

namespace google::protobuf {
class Descriptor;
}

namespace ba {

/// The first defect of `bytes` as a message of `type`; none when the library will parse it.
std::optional<DeadLetterReason> wire_defect(std::string_view bytes,
                                            const google::protobuf::Descriptor& type,
                                            int depth_max);

}  // namespace ba
