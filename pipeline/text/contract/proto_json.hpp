#pragma once
// SPDX-License-Identifier: Apache-2.0
// The proto3 JSON mapping of any message of schemas/, strict on the way in: RFC 8259, no duplicate
// names, no trailing data, strict UTF-8, no NUL, no NaN or infinity; unknown names are ignored.
// Reports what is wrong with the path of the field. Pure functions, any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/contract/limits.hpp"
#include "pipeline/text/contract/record.hpp"

namespace google::protobuf {
class Message;
}

namespace ba {

/// Fills `message`, which must be empty. A job's answer_schema may stand as an object, too. None
/// when all is well; else the message is half filled.
std::optional<DeadLetterReason> read_proto_json(std::string_view json,
                                                const JobContractLimits& limits,
                                                google::protobuf::Message& message);

/// What becomes of numbers, texts, lists and maps that have their default value.
enum class Defaults {
  LeftOut,
  Written  ///< for readers that look names up; messages that aren't there stay left out
};

/// Field names as in the .proto file.
std::string write_proto_json(const google::protobuf::Message& message,
                             Defaults defaults = Defaults::LeftOut);

}  // namespace ba
