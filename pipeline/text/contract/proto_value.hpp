#pragma once
// SPDX-License-Identifier: Apache-2.0
// A message of schemas/ as the value of a record and back, in either encoding. Part of contract/.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/contract/content_type.hpp"
#include "pipeline/text/contract/limits.hpp"
#include "pipeline/text/contract/record.hpp"

namespace google::protobuf {
class Message;
}

namespace ba {

/// Canonical protobuf bytes, or JSON.
std::string proto_value(const google::protobuf::Message& message, Encoding encoding);

/// Protobuf bytes into an empty message; what is wrong names the field.
std::optional<DeadLetterReason> read_protobuf(std::string_view bytes,
                                              const JobContractLimits& limits,
                                              google::protobuf::Message& message);

bool looks_like_json(std::string_view bytes);

/// Takes framing off, finds the encoding (`content_type`, or detected when that is empty) and
/// reads. For topics that this program writes itself: sizes aren't limited.
std::optional<DeadLetterReason> read_proto_value(std::string_view value,
                                                 std::string_view content_type,
                                                 google::protobuf::Message& message);

}  // namespace ba
