// SPDX-License-Identifier: Apache-2.0
// The library's own writer puts the entries of a map in an order of the day; records are compared
// by their bytes, so this one sorts them.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/contract/base64.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

using google::protobuf::FieldDescriptor;

/// One field of one message; `index` is -1 where the field isn't repeated.
struct Value {
  const google::protobuf::Message& message;
  const FieldDescriptor& field;
  Defaults defaults = Defaults::LeftOut;
  int index = -1;
};

void write_message(std::string& out, const google::protobuf::Message& message, Defaults defaults);

void write_real(std::string& out, double number) {
  BA_ASSERT(std::isfinite(number));
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

void write_text(std::string& out, const Value& value) {
  const auto& reflection = *value.message.GetReflection();
  std::string scratch;
  const std::string& text =
      value.index < 0 ? reflection.GetStringReference(value.message, &value.field, &scratch)
                      : reflection.GetRepeatedStringReference(value.message, &value.field,
                                                              value.index, &scratch);
  const bool bytes = value.field.type() == FieldDescriptor::TYPE_BYTES;
  append_json_string(out, bytes ? base64_encoded(text) : text);
}

void write_sub_message(std::string& out, const Value& value) {
  const auto& reflection = *value.message.GetReflection();
  const google::protobuf::Message& inner =
      value.index < 0 ? reflection.GetMessage(value.message, &value.field)
                      : reflection.GetRepeatedMessage(value.message, &value.field, value.index);
  const auto* time = dynamic_cast<const google::protobuf::Timestamp*>(&inner);
  if (time == nullptr) return write_message(out, inner, value.defaults);
  append_json_string(out, google::protobuf::util::TimeUtil::ToString(*time));
}

/// Numbers and booleans; no schema has lists of them.
void write_plain(std::string& out, const Value& value) {
  BA_ASSERT(value.index < 0);
  const auto& reflection = *value.message.GetReflection();
  switch (value.field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      out += std::to_string(reflection.GetInt32(value.message, &value.field));
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      out += '"' + std::to_string(reflection.GetInt64(value.message, &value.field)) + '"';
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return write_real(out, reflection.GetDouble(value.message, &value.field));
    case FieldDescriptor::CPPTYPE_BOOL:
      out += reflection.GetBool(value.message, &value.field) ? "true" : "false";
      return;
    default:
      BA_ASSERT(false && "a field type that no schema uses");
  }
}

void write_value(std::string& out, const Value& value) {
  switch (value.field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return write_text(out, value);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return write_sub_message(out, value);
    default:
      return write_plain(out, value);
  }
}

void write_map(std::string& out, const google::protobuf::Message& message,
               const FieldDescriptor& field, Defaults defaults) {
  const auto& reflection = *message.GetReflection();
  std::map<std::string, const google::protobuf::Message*> entries;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const auto& entry = reflection.GetRepeatedMessage(message, &field, i);
    const auto* key = field.message_type()->map_key();
    entries[entry.GetReflection()->GetString(entry, key)] = &entry;
  }
  out += '{';
  for (const auto& [key, entry] : entries) {
    if (out.back() != '{') out += ',';
    append_json_string(out, key);
    out += ':';
    write_value(out, {*entry, *field.message_type()->map_value(), defaults});
  }
  out += '}';
}

void write_list(std::string& out, const google::protobuf::Message& message,
                const FieldDescriptor& field, Defaults defaults) {
  const int size = message.GetReflection()->FieldSize(message, &field);
  out += '[';
  for (int i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    write_value(out, {message, field, defaults, i});
  }
  out += ']';
}

/// In the order of their numbers, which is that of the .proto files.
std::vector<const FieldDescriptor*> fields_of(const google::protobuf::Message& message,
                                              Defaults defaults) {
  std::vector<const FieldDescriptor*> fields;
  const auto& reflection = *message.GetReflection();
  if (defaults == Defaults::LeftOut) {
    reflection.ListFields(message, &fields);
    return fields;
  }
  const auto& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (!field->has_presence() || reflection.HasField(message, field)) fields.push_back(field);
  }
  return fields;
}

void write_message(std::string& out, const google::protobuf::Message& message, Defaults defaults) {
  out += '{';
  for (const FieldDescriptor* field : fields_of(message, defaults)) {
    if (out.back() != '{') out += ',';
    append_json_string(out, field->name());
    out += ':';
    if (field->is_map())
      write_map(out, message, *field, defaults);
    else if (field->is_repeated())
      write_list(out, message, *field, defaults);
    else
      write_value(out, {message, *field, defaults});
  }
  out += '}';
}

}  // namespace

std::string write_proto_json(const google::protobuf::Message& message, Defaults defaults) {
  std::string json;
  write_message(json, message, defaults);
  return json;
}

}  // namespace ba
