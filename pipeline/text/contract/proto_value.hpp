#pragma once
// SPDX-License-Identifier: Apache-2.0
// A message of schemas/ as the value of a record and back, in either encoding; and the fields that
// several of them have. Part of contract/.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/contract/limits.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "pipeline/text/contract/record.hpp"
#include "pipeline/text/message/message.hpp"

namespace google::protobuf {
class Message;
class MessageLite;
class Timestamp;
}  // namespace google::protobuf

namespace ba::v1 {
class Usage;
}

namespace ba {

/// Protobuf bytes of a message, the same for equal messages of one program version.
std::string canonical_bytes(const google::protobuf::MessageLite& message);

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

/// Schema-Registry framing in front of a payload: 00 and a 4-byte schema id, or 01 and a 16-byte
/// schema GUID; then, before protobuf only, the message indexes as zigzag varints ("00" is short
/// for the first message). The schema itself is not looked up. The value is the payload behind the
/// framing; `bytes` itself when it is not framed (its first byte is neither 00 nor 01, which no
/// protobuf message and no JSON text begins with). InvalidArgument when the framing is cut short or
/// its indexes make no sense.
Result<std::string_view> without_framing(std::string_view bytes);

/// Microseconds both ways; finer parts are cut off.
WallTime wall_time(const google::protobuf::Timestamp& time);
void set_time(google::protobuf::Timestamp& proto, WallTime time);

/// Whether the fields are in the range the format allows: years 1 to 9999, nanos 0 to 999999999.
bool valid_time(const google::protobuf::Timestamp& time);

void set_usage(v1::Usage& proto, const Usage& usage);
Usage usage_of(const v1::Usage& proto);

}  // namespace ba
