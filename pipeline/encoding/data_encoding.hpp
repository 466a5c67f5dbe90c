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
};

inline constexpr EnumNames<DataEncoding, 4> kDataEncodingNames{{{DataEncoding::Json, "json"},
                                                                {DataEncoding::Compact, "compact"},
                                                                {DataEncoding::Yaml, "yaml"},
                                                                {DataEncoding::Xml, "xml"}}};

}  // namespace ba
