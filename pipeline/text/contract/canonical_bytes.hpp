#pragma once
// SPDX-License-Identifier: Apache-2.0
// Protobuf bytes of a message, the same for equal messages of one program version.

#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace ba {

std::string canonical_bytes(const google::protobuf::MessageLite& message);

}  // namespace ba
