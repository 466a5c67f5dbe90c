// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/output_level.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/data_summary.hpp"
#include "pipeline/core/tool/full_text.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {
namespace {

using Json = OrderedJson;

constexpr std::size_t kBriefCodePoints = 100;
constexpr std::size_t kStandardCodePoints = 500;
constexpr std::size_t kStandardItems = 3;
constexpr std::size_t kNoteCodePoints = 2000;

std::string brief_object(const Json& object) {
  const auto success = object.find("success");
  if (success == object.end() || !success->is_boolean())
    return "Result has " + std::to_string(object.size()) + " fields";
  const auto message = object.find("message");
  const bool has_message = message != object.end() && !message->is_null();
  return std::string(success->get<bool>() ? "Success: " : "Failed: ") +
         (has_message ? bare_text(*message) : "Operation completed");
}

/// Of an array, with those that aren't at hand.
std::size_t items_of(const Json& array, const ResultFormat& format) {
  return format.whole ? static_cast<std::size_t>(format.whole->items) : array.size();
}

std::string brief(const Json& data, const ResultFormat& format) {
  if (data.is_array()) return "Found " + std::to_string(items_of(data, format)) + " items";
  if (data.is_object()) return brief_object(data);
  return cut_code_points(bare_text(data), kBriefCodePoints);
}

std::string indented(const std::string& text) {
  std::string out = "\n  ";
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

/// The first items below each other in JSON, as one list or table in an encoding.
std::string first_items(const Json& array, DataEncoding encoding) {
  std::string text;
  Json first = Json::array();
  for (std::size_t i = 0; i < array.size() && i < kStandardItems; ++i) {
    if (encoding == DataEncoding::Json || encoding == DataEncoding::Auto)
      text += "\n  - " + bare_text(array[i]);
    else
      first.push_back(array[i]);
  }
  return first.empty() ? text : indented(encode_data(encoding, first));
}

std::string standard_array(const Json& array, const ResultFormat& format) {
  const std::size_t items = items_of(array, format);
  std::string text = "Found " + std::to_string(items) + " items:";
  text += first_items(array, format.encoding);
  const std::size_t shown = std::min(array.size(), kStandardItems);
  if (items > shown) text += "\n  ... and " + std::to_string(items - shown) + " more";
  return text;
}

std::string standard(const Json& data, const ResultFormat& format) {
  if (data.is_array()) return standard_array(data, format);
  if (data.is_string() && format.whole_text) return bare_text(data);
  // `auto` is how much is read at FULL.
  const auto encoding =
      format.encoding == DataEncoding::Auto ? DataEncoding::Json : format.encoding;
  return cut_code_points(data.is_object() ? encode_data(encoding, data) : bare_text(data),
                         kStandardCodePoints);
}

std::string text_at(const Json& data, const ResultFormat& format, FormattedResult& result) {
  switch (format.level) {
    case OutputLevel::Brief:
      return brief(data, format);
    case OutputLevel::Standard:
      return standard(data, format);
    case OutputLevel::Full:
      break;
  }
  FullText full = full_text(data, result.data_summary, format);
  result.in_part = full.in_part;
  return std::move(full.text);
}

/// A line of text that can be stored, of bounded length.
std::string as_note(std::string note) {
  for (char& c : note)
    if (c == '\n' || c == '\r') c = ' ';
  repair_utf8(note);
  return cut_code_points(note, kNoteCodePoints);
}

/// What the tool did counts, whatever shape its answer has: the model is told which it is given.
std::string with_note_of_text(const std::string& note, bool as_text) {
  if (!as_text) return note;
  return kept_as_text_note() + (note.empty() ? "" : " ") + note;
}

Json parse_bounded(std::string_view data) {
  return json_shape(data).within_limits() ? parse_exact<Json>(data)
                                          : Json(Json::value_t::discarded);
}

/// The data, and what is known of it.
void record(const Json& json, const ResultFormat& format, FormattedResult& result) {
  if (format.whole) {
    result.data_summary = array_summary(json, static_cast<std::size_t>(format.whole->items));
    result.data_size_bytes = format.whole->bytes;
    result.data_hash = format.whole->hash;
    return;
  }
  result.data_summary = data_summary(json);
  result.data = write_json_document(json);
  result.data_size_bytes = static_cast<std::int64_t>(result.data.size());
  result.data_hash = sha256_hex_of(result.data);
}

/// With the line that is the same for each result of a tool; a document in XML begins with it.
std::string prefixed(std::string text, const std::string& tool) {
  const std::string tag = tool_result_tag(tool);
  return text.starts_with(tag) ? tag + "\n" + text.substr(tag.size()) : tag + "\n" + text;
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

Result<FormattedResult> format_result(std::string_view data, const ResultFormat& format) {
  const bool as_text = !format.whole && !json_shape(data).within_limits() && accept_exact(data);
  const Json json = as_text ? Json(std::string(data)) : parse_bounded(data);
  if (json.is_discarded()) {
    Error error;
    error.code = ErrorCode::Protocol;
    error.message = "the tool's result is not JSON that can be read";
    return error;
  }
  FormattedResult result;
  record(json, format, result);
  std::string text = text_at(json, format, result);
  if (format.stable_prefix) text = prefixed(std::move(text), format.tool);
  result.text = limited(std::move(text), format.bytes_max);
  result.note = as_note(with_note_of_text(format.note, as_text));
  if (!result.note.empty()) result.text += (result.text.empty() ? "" : "\n") + result.note;
  repair_utf8(result.text);  // a NUL, which JSON can name
  repair_utf8(result.data_summary);
  result.plain = plain_text(json);
  repair_utf8(result.plain);
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
