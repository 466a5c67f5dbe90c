// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/proto_value.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/timestamp.pb.h>
#include <cstdint>
#include <limits>
#include <optional>

#include "ba/v1/usage.pb.h"
#include "pipeline/base/assert.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/wire_check.hpp"

namespace ba {
namespace {

constexpr int kMessageIndexesMax = 16;  // nesting of a message type inside others

/// Takes one zigzag varint off the front.
std::optional<std::int64_t> take_zigzag(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
  }
  return std::nullopt;
}

Result<std::string_view> without_indexes(std::string_view bytes) {
  const auto count = take_zigzag(bytes);
  if (!count || *count < 0 || *count > kMessageIndexesMax)
    return invalid_argument("Schema-Registry framing: the count of message indexes is wrong");
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto index = take_zigzag(bytes);
    if (!index || *index < 0)
      return invalid_argument("Schema-Registry framing: a message index is wrong");
  }
  return bytes;
}

}  // namespace

std::string canonical_bytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // map entries in order of their keys
    BA_ASSERT(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

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

Result<std::string_view> without_framing(std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != '\x00' && bytes[0] != '\x01')) return bytes;
  const std::size_t prefix_bytes = bytes[0] == '\x00' ? 5 : 17;
  if (bytes.size() <= prefix_bytes)
    return invalid_argument("Schema-Registry framing: " + std::to_string(bytes.size()) +
                            " bytes are too few for a schema id and a payload");
  bytes.remove_prefix(prefix_bytes);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && bytes[first] == '{') return bytes;  // JSON: no indexes
  return without_indexes(bytes);
}

WallTime wall_time(const google::protobuf::Timestamp& time) {
  return WallTime(std::chrono::seconds(time.seconds()) + Microseconds(time.nanos() / 1000));
}

void set_time(google::protobuf::Timestamp& proto, WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  proto.set_seconds(seconds.time_since_epoch().count());
  proto.set_nanos(static_cast<std::int32_t>((time - seconds).count() * 1000));
}

bool valid_time(const google::protobuf::Timestamp& time) {
  return time.seconds() >= -62135596800 && time.seconds() <= 253402300799 && time.nanos() >= 0 &&
         time.nanos() <= 999999999;
}

void set_usage(v1::Usage& proto, const Usage& usage) {
  proto.set_input_tokens(usage.input_tokens);
  proto.set_cache_read_tokens(usage.cache_read_tokens);
  proto.set_cache_write_tokens(usage.cache_write_tokens);
  proto.set_output_tokens(usage.output_tokens);
  proto.set_thinking_tokens(usage.thinking_tokens);
}

Usage usage_of(const v1::Usage& proto) {
  Usage usage;
  usage.input_tokens = proto.input_tokens();
  usage.cache_read_tokens = proto.cache_read_tokens();
  usage.cache_write_tokens = proto.cache_write_tokens();
  usage.output_tokens = proto.output_tokens();
  usage.thinking_tokens = proto.thinking_tokens();
  return usage;
}

}  // namespace ba
