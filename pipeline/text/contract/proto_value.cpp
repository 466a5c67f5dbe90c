// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/proto_value.hpp"

#include <google/protobuf/message.h>

#include <limits>

#include "pipeline/text/contract/canonical_bytes.hpp"
#include "pipeline/text/contract/framing.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/wire_check.hpp"

namespace ba {

std::string proto_value(const google::protobuf::Message& message, Encoding encoding) {
  return encoding == Encoding::Json ? write_proto_json(message) : canonical_bytes(message);
}

std::optional<DeadLetterReason> read_protobuf(std::string_view bytes,
                                              const JobContractLimits& limits,
                                              google::protobuf::Message& message) {
  const auto& type = *message.GetDescriptor();
  if (auto defect = wire_defect(bytes, type, limits.protobuf_depth_max)) return defect;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return DeadLetterReason{"BAD_PROTOBUF", "", "the bytes are no " + type.name() + " message"};
}

bool looks_like_json(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);  // the JSON reader skips it, too
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

std::optional<DeadLetterReason> read_proto_value(std::string_view value,
                                                 std::string_view content_type,
                                                 google::protobuf::Message& message) {
  JobContractLimits limits;
  limits.json_nodes_max = std::numeric_limits<int>::max();
  const auto payload = without_framing(value);
  if (!payload) return DeadLetterReason{"BAD_FRAMING", "", payload.error().message};
  const auto declared = parse_content_type(content_type);
  const bool json = declared ? *declared == ContentType::Json : looks_like_json(*payload);
  return json ? read_proto_json(*payload, limits, message)
              : read_protobuf(*payload, limits, message);
}

}  // namespace ba
