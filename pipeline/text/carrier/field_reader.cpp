// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/field_reader.hpp"

#include <algorithm>

namespace ba {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names)
    list += (list.empty() ? "" : " or ") + std::string(name);
  return list;
}

}  // namespace

Error refused_field(const std::string& field, const std::string& what) {
  Error error = invalid_argument(field + " " + what);
  error.detail = field;
  return error;
}

void FieldReader::refuse(const std::string& field, const std::string& what) {
  refuse(refused_field(field, what));
}

void FieldReader::refuse(Error error) {
  if (good_) error_ = std::move(error);
  good_ = false;
}

std::string FieldReader::text(JsonView value, const std::string& field) {
  if (value.absent()) return "";
  if (!value.is(JsonKind::String)) refuse(field, "must be a string");
  return value.text();
}

std::string FieldReader::required_text(JsonView value, const std::string& field) {
  std::string read = text(value, field);
  if (read.empty()) refuse(field, "must not be missing or empty");
  return read;
}

void FieldReader::check_object(JsonView value, const std::string& field) {
  if (!value.is(JsonKind::Object)) refuse(field, "must be an object");
}

std::vector<JsonView> FieldReader::elements(JsonView value, const std::string& field) {
  std::vector<JsonView> list;
  if (!value.is(JsonKind::Array)) refuse(field, "must be an array");
  value.for_each_element([&](JsonView element) { list.push_back(element); });
  return list;
}

std::int64_t FieldReader::count(JsonView value, const std::string& field) {
  if (value.absent()) return 0;
  const auto number = value.integer();
  if (!number || *number < 0) refuse(field, "must be a whole number, 0 or more");
  return number.value_or(0);
}

std::string FieldReader::arguments(JsonView value, const std::string& field) {
  if (!value.is(JsonKind::Object)) {
    refuse(field, "must be an object");
    return "{}";
  }
  if (names_nul(value.raw())) refuse(field, "must not hold a NUL character (\\u0000)");
  return std::string(value.raw());
}

bool names_nul(std::string_view json) {
  for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at + 2))
    if (json.substr(at, 6) == "\\u0000") return true;
  return false;
}

std::string members_but(JsonView object, std::initializer_list<std::string_view> known) {
  std::string members;
  object.for_each_member([&](std::string_view name, JsonView value) {
    if (one_of(name, known)) return;
    if (!members.empty()) members += ',';
    members += '"';
    members += name;
    members += "\":";
    members += value.raw();
  });
  return members;
}

TextParts read_text_parts(FieldReader& reader, JsonView content, const std::string& field,
                          std::initializer_list<std::string_view> types) {
  TextParts parts;
  if (content.is(JsonKind::String)) {
    parts.text = content.text();
    return parts;
  }
  if (!content.is(JsonKind::Array)) {
    reader.refuse(field, "must be a string or an array of parts");
    return parts;
  }
  std::size_t index = 0;
  content.for_each_element([&](JsonView part) {
    const std::string where = field + "[" + std::to_string(index++) + "]";
    reader.check_object(part, where);
    const std::string type = reader.text(part["type"], where + ".type");
    if (!one_of(type, types))
      reader.refuse(where + ".type", "must be " + listed(types) + ", not \"" + type +
                                         "\": a conversation here holds texts only");
    if (!part["text"].is(JsonKind::String)) reader.refuse(where + ".text", "must be a string");
    part["text"].append_text(parts.text);
    if (!members_but(part, {"type", "text"}).empty()) parts.plain = false;
  });
  if (index != 1) parts.plain = false;
  return parts;
}

}  // namespace ba
