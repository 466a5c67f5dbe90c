// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/framing.hpp"

#include <cstdint>
#include <optional>

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

}  // namespace ba
