#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a tool's data is written for the model: as JSON, or in an encoding that takes fewer tokens or
// that a model reads better. Each can be read back: toon_decode, xml_decode, and for YAML
// worker/settings/yaml_document.hpp. Pure functions, any thread.

#include <string>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// The encodings that a tool's data can be written in.
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

/// Whether it is an array of objects, at least one, that have the same names, in whatever order.
bool have_same_fields(const OrderedJson& data);

/// The data alone: in JSON indented by two, in XML as <data>…</data>, in `auto` compact where
/// have_same_fields(), else JSON on one line. Nested at most kEncodedDepthMax deep.
std::string encode_data(DataEncoding encoding, const OrderedJson& data);

/// A tool's result as one document: in YAML and XML with the summary, in XML with the tool's name.
std::string encode_result(DataEncoding encoding, const OrderedJson& data,
                          const std::string& summary, const std::string& tool);

}  // namespace ba
