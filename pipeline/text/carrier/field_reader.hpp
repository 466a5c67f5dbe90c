#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads members of foreign JSON. The first thing that is wrong is kept, with its field; what is
// read after it doesn't matter. Owned by one conversion.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"

namespace ba {

/// InvalidArgument with the message "<field> <what>" and the field as detail.
Error refused_field(const std::string& field, const std::string& what);

class FieldReader {
 public:
  void refuse(const std::string& field, const std::string& what);
  void refuse(Error error);
  bool good() const { return good_; }
  const Error& error() const { return error_; }

  /// "" of what is absent; anything but a string is refused.
  std::string text(JsonView value, const std::string& field);
  /// The same, and neither absent nor empty.
  std::string required_text(JsonView value, const std::string& field);
  /// Anything but an object is refused.
  void check_object(JsonView value, const std::string& field);
  /// Anything but an array is refused.
  std::vector<JsonView> elements(JsonView value, const std::string& field);
  /// A whole number, 0 or more; 0 of what is absent.
  std::int64_t count(JsonView value, const std::string& field);
  /// Arguments of a call: an object, byte for byte.
  std::string arguments(JsonView value, const std::string& field);

 private:
  bool good_ = true;
  Error error_;
};

/// Whether JSON names a NUL character, which no column of text can hold: "\u0000".
bool names_nul(std::string_view json);

/// The members of an object but for those named, as `"name":value,…`.
std::string members_but(JsonView object, std::initializer_list<std::string_view> known);

/// Text and what of its form must be kept beside it.
struct TextParts {
  std::string text;
  bool plain = true;  ///< a string, or one part of nothing but text
};

/// A string, or a list of parts of these types, each with its `text`.
TextParts read_text_parts(FieldReader& reader, JsonView content, const std::string& field,
                          std::initializer_list<std::string_view> types);

}  // namespace ba
