// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/encoding.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "pipeline/text/encoding/yaml_encode.hpp"

namespace ba {
namespace {

constexpr int kIndented = 2;

std::vector<std::string_view> sorted_names(const OrderedJson& object) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object.get_ref<const OrderedJson::object_t&>())
    names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

std::string xml_result(const OrderedJson& data, const std::string& summary,
                       const std::string& tool) {
  std::string text = tool_result_tag(tool) + "<summary>";
  append_xml_text(text, summary, XmlPlace::Text);
  text += "</summary>";
  append_xml_element(text, "data", data);
  return text + "</tool_result>";
}

}  // namespace

bool have_same_fields(const OrderedJson& data) {
  if (!data.is_array() || data.empty() || !data.front().is_object()) return false;
  const std::vector<std::string_view> names = sorted_names(data.front());
  return !names.empty() && std::ranges::all_of(data, [&](const OrderedJson& row) {
    return row.is_object() && row.size() == names.size() && sorted_names(row) == names;
  });
}

std::string encode_data(DataEncoding encoding, const OrderedJson& data) {
  switch (encoding) {
    case DataEncoding::Compact:
      return toon_encode(data);
    case DataEncoding::Yaml:
      return yaml_encode(data);
    case DataEncoding::Xml: {
      std::string text;
      append_xml_element(text, "data", data);
      return text;
    }
    case DataEncoding::Auto:
      return have_same_fields(data) ? toon_encode(data) : write_json_document(data);
    case DataEncoding::Json:
      break;
  }
  return dump_exact(data, kIndented);
}

std::string encode_result(DataEncoding encoding, const OrderedJson& data,
                          const std::string& summary, const std::string& tool) {
  if (encoding == DataEncoding::Yaml) return yaml_encode_result(data, summary);
  if (encoding == DataEncoding::Xml) return xml_result(data, summary, tool);
  return encode_data(encoding, data);
}

}  // namespace ba
