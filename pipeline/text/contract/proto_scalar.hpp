#pragma once
// SPDX-License-Identifier: Apache-2.0
// One JSON scalar into one protobuf field, by the proto3 JSON mapping. Part of proto_json.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace ba {

using JsonScalar = std::variant<bool, std::int64_t, std::uint64_t, double, std::string_view>;

/// Sets the field; adds to a repeated one (of strings or bytes). Empty when done; else what would
/// be right, for example "must be a string, not a number".
std::string set_proto_scalar(google::protobuf::Message& message,
                             const google::protobuf::FieldDescriptor& field,
                             const JsonScalar& value);

}  // namespace ba
