// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/wire_check.hpp"

#include <google/protobuf/descriptor.h>

#include <map>

#include "pipeline/text/contract/text_check.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Defect = std::optional<DeadLetterReason>;

/// Wire types (protobuf "Encoding", message structure).
enum class Wire { Varint = 0, Fixed64 = 1, Length = 2, GroupStart = 3, GroupEnd = 4, Fixed32 = 5 };

Wire wire_of(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return Wire::Fixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return Wire::Fixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return Wire::Length;
    default:
      return Wire::Varint;
  }
}

Defect bad_bytes(const std::string& path, std::string what) {
  return DeadLetterReason{"BAD_PROTOBUF", path, std::move(what)};
}

class Walker {
 public:
  explicit Walker(int depth_max) : depth_max_(depth_max) {}

  Defect check(std::string_view bytes, const Descriptor* type, const std::string& path, int depth);

 private:
  struct Tag {
    int number = 0;
    Wire wire = Wire::Varint;
  };

  static bool take_varint(std::string_view& bytes, std::uint64_t& number);
  static bool take_tag(std::string_view& bytes, Tag& tag);
  bool skip(std::string_view& bytes, Tag tag, int depth);
  Defect check_field(std::string_view& bytes, Tag tag, const FieldDescriptor& field,
                     const std::string& path, int depth);
  Defect check_content(std::string_view content, const FieldDescriptor& field,
                       const std::string& path, int depth);

  int depth_max_;
};

bool Walker::take_varint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

bool Walker::take_tag(std::string_view& bytes, Tag& tag) {
  std::uint64_t number = 0;
  if (!take_varint(bytes, number) || number > 0xffffffff) return false;
  tag.number = static_cast<int>(number >> 3);
  tag.wire = static_cast<Wire>(number & 7);
  return tag.number > 0 && (number & 7) <= 5;
}

/// Takes the value behind a tag off the front; false when it is cut off or not well formed.
bool Walker::skip(std::string_view& bytes, Tag tag, int depth) {
  std::uint64_t number = 0;
  std::size_t length = 0;
  switch (tag.wire) {
    case Wire::Varint:
      return take_varint(bytes, number);
    case Wire::Length:
      if (!take_varint(bytes, number) || number > bytes.size()) return false;
      length = number;
      break;
    case Wire::Fixed64:
      length = 8;
      break;
    case Wire::Fixed32:
      length = 4;
      break;
    case Wire::GroupEnd:
      return false;
    case Wire::GroupStart: {
      if (depth >= depth_max_) return false;
      Tag inner;
      while (take_tag(bytes, inner)) {
        if (inner.wire == Wire::GroupEnd) return inner.number == tag.number;
        if (!skip(bytes, inner, depth + 1)) return false;
      }
      return false;
    }
  }
  if (length > bytes.size()) return false;
  bytes.remove_prefix(length);
  return true;
}

Defect Walker::check_content(std::string_view content, const FieldDescriptor& field,
                             const std::string& path, int depth) {
  if (field.type() == FieldDescriptor::TYPE_MESSAGE)
    return check(content, field.message_type(), path, depth + 1);
  if (field.type() != FieldDescriptor::TYPE_STRING) return std::nullopt;
  if (const auto at = utf8_defect(content))
    return DeadLetterReason{"BAD_UTF8", path, describe_utf8_defect(content, *at)};
  return std::nullopt;
}

Defect Walker::check_field(std::string_view& bytes, Tag tag, const FieldDescriptor& field,
                           const std::string& path, int depth) {
  const bool packed = field.is_packable() && tag.wire == Wire::Length;
  if (tag.wire != wire_of(field) && !packed)
    return bad_bytes(path, "its wire type does not fit the schema");
  const std::string_view before = bytes;
  if (!skip(bytes, tag, depth)) return bad_bytes(path, "the data ends inside this field");
  if (tag.wire != Wire::Length || packed) return std::nullopt;
  std::string_view content = before.substr(0, before.size() - bytes.size());
  std::uint64_t length = 0;
  take_varint(content, length);
  return check_content(content, field, path, depth);
}

Defect Walker::check(std::string_view bytes, const Descriptor* type, const std::string& path,
                     int depth) {
  if (depth > depth_max_) return bad_bytes(path, "it is nested too deep");
  std::map<int, std::size_t> elements;  // seen so far, by field number
  while (!bytes.empty()) {
    Tag tag;
    if (!take_tag(bytes, tag)) return bad_bytes(path, "the bytes are not a protobuf message");
    const FieldDescriptor* field = type->FindFieldByNumber(tag.number);
    if (field == nullptr) {
      if (!skip(bytes, tag, depth)) return bad_bytes(path, "the bytes are not a protobuf message");
      continue;
    }
    std::string field_path = member_path(path, field->name());
    if (field->is_repeated()) field_path = element_path(field_path, elements[tag.number]++);
    if (auto defect = check_field(bytes, tag, *field, field_path, depth)) return defect;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DeadLetterReason> wire_defect(std::string_view bytes, const Descriptor& type,
                                            int depth_max) {
  return Walker(depth_max).check(bytes, &type, "", 1);
}

}  // namespace ba
