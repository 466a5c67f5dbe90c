// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/data_summary.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba {
namespace {

using Json = OrderedJson;

constexpr std::size_t kSummaryCodePoints = 200;
constexpr std::size_t kSummaryKeys = 10;

std::string quoted_keys(const Json& object) {
  std::string text = "[";
  for (auto item = object.begin(); item != object.end(); ++item)
    text += (text.size() > 1 ? ", '" : "'") + item.key() + "'";
  return text + "]";
}

std::string top_keys(const Json& object) {
  std::string text;
  std::size_t count = 0;
  for (auto item = object.begin(); item != object.end() && count < kSummaryKeys; ++item, ++count)
    text += (count > 0 ? ", " : "") + item.key();
  return text;
}

}  // namespace

std::string bare_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : write_json_document(value);
}

std::string array_summary(const Json& first, std::size_t items) {
  return "List with " + std::to_string(items) + " items. First item keys: " +
         (!first.empty() && first[0].is_object() ? quoted_keys(first[0]) : "N/A");
}

std::string data_summary(const Json& data) {
  if (data.is_array()) return array_summary(data, data.size());
  if (data.is_object())
    return "Dictionary with " + std::to_string(data.size()) + " keys. Top keys: " + top_keys(data);
  return cut_code_points(bare_text(data), kSummaryCodePoints);
}

}  // namespace ba
