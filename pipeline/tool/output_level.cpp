// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/output_level.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/message/utf8.hpp"
#include "pipeline/tool/json_shape.hpp"
#include "pipeline/tool/repair_utf8.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBriefCodePoints = 100;
constexpr std::size_t kStandardCodePoints = 500;
constexpr std::size_t kSummaryCodePoints = 200;
constexpr std::size_t kStandardItems = 3;
constexpr std::size_t kSummaryKeys = 10;
constexpr int kCompact = -1;
constexpr int kIndented = 2;

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// A string bare, anything else as compact JSON on one line.
std::string bare(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump(value, kCompact);
}

std::string brief_object(const Json& object) {
  const auto success = object.find("success");
  if (success == object.end() || !success->is_boolean())
    return "Result has " + std::to_string(object.size()) + " fields";
  const auto message = object.find("message");
  const bool has_message = message != object.end() && !message->is_null();
  return std::string(success->get<bool>() ? "Success: " : "Failed: ") +
         (has_message ? bare(*message) : "Operation completed");
}

std::string brief(const Json& data) {
  if (data.is_array()) return "Found " + std::to_string(data.size()) + " items";
  if (data.is_object()) return brief_object(data);
  return cut_code_points(bare(data), kBriefCodePoints);
}

std::string standard_array(const Json& array) {
  std::string text = "Found " + std::to_string(array.size()) + " items:";
  for (std::size_t i = 0; i < array.size() && i < kStandardItems; ++i)
    text += "\n  - " + bare(array[i]);
  if (array.size() > kStandardItems)
    text += "\n  ... and " + std::to_string(array.size() - kStandardItems) + " more";
  return text;
}

std::string standard(const Json& data) {
  if (data.is_array()) return standard_array(data);
  return cut_code_points(data.is_object() ? dump(data, kIndented) : bare(data),
                         kStandardCodePoints);
}

std::string text_at(const Json& data, OutputLevel level) {
  switch (level) {
    case OutputLevel::Brief:
      return brief(data);
    case OutputLevel::Standard:
      return standard(data);
    case OutputLevel::Full:
      break;
  }
  return dump(data, kIndented);
}

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

std::string summary_of(const Json& data) {
  if (data.is_array())
    return "List with " + std::to_string(data.size()) + " items. First item keys: " +
           (!data.empty() && data[0].is_object() ? quoted_keys(data[0]) : "N/A");
  if (data.is_object())
    return "Dictionary with " + std::to_string(data.size()) + " keys. Top keys: " + top_keys(data);
  return cut_code_points(bare(data), kSummaryCodePoints);
}

/// At most `bytes_max` bytes of text, then a line that says how much there was.
std::string limited(std::string text, std::int64_t bytes_max) {
  const auto most = static_cast<std::size_t>(bytes_max);
  if (text.size() <= most) return text;
  const std::size_t all = text.size();
  text.resize(utf8_prefix(text, most).size());
  return text + "\n… [cut: the first " + std::to_string(text.size()) + " of " +
         std::to_string(all) + " bytes]";
}

}  // namespace

OutputLevel effective_level(const LevelChoice& choice) {
  if (choice.asked) return *choice.asked;
  if (choice.tool_default) return *choice.tool_default;
  if (choice.window_used * 100 > choice.brief_above_percent) return OutputLevel::Brief;
  return choice.global_default;
}

Result<FormattedResult> format_result(std::string_view data, OutputLevel level,
                                      std::int64_t bytes_max) {
  const Json json = json_shape(data).within_limits() ? Json::parse(data, nullptr, false)
                                                     : Json(Json::value_t::discarded);
  if (json.is_discarded()) {
    Error error;
    error.code = ErrorCode::Protocol;
    error.message = "the tool's result is not JSON of " + json_shape_limits();
    return error;
  }
  FormattedResult result;
  result.text = limited(text_at(json, level), bytes_max);
  result.data_size_bytes = static_cast<std::int64_t>(dump(json, kCompact).size());
  result.data_summary = summary_of(json);
  repair_utf8(result.text);  // a NUL, which JSON can name
  repair_utf8(result.data_summary);
  return result;
}

std::string cut_code_points(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!continues && seen++ == count) return std::string(text.substr(0, i)) + "…";
  }
  return std::string(text);
}

}  // namespace ba
