#pragma once
// SPDX-License-Identifier: Apache-2.0
// The encodings that a tool's data can be written in, by name. Values.

#include "pipeline/base/enum_names.hpp"

namespace ba {

enum class DataEncoding {
  Json,
  Compact,  ///< TOON
  Yaml,
  Xml,
  Auto,  ///< compact for objects with the same fields, else JSON on one line
};

inline constexpr EnumNames<DataEncoding, 5> kDataEncodingNames{{{DataEncoding::Json, "json"},
                                                                {DataEncoding::Compact, "compact"},
                                                                {DataEncoding::Yaml, "yaml"},
                                                                {DataEncoding::Xml, "xml"},
                                                                {DataEncoding::Auto, "auto"}}};

}  // namespace ba
