// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/call_result.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {
namespace {

std::size_t decoded_bytes(const std::string& base64) {
  const std::size_t padding = base64.size() - std::min(base64.size(), base64.find('='));
  const std::size_t whole = base64.size() / 4 * 3;
  return whole - std::min(whole, padding);
}

void copy_text(const Json& from, const char* key, Json& out, const char* name) {
  if (const auto text = text_member(from, key)) out[name] = plain_text(*text, kUriBytesMax);
}

Json described_bytes(const Json& item, const std::string& type) {
  Json out = {{"type", type}};
  copy_text(item, "mimeType", out, "mime_type");
  if (const Json* data = member(item, "data"); data && data->is_string())
    out["bytes"] = decoded_bytes(data->get_ref<const std::string&>());
  return out;
}

Json described_link(const Json& item) {
  Json out = {{"type", "resource_link"}};
  copy_text(item, "uri", out, "uri");
  copy_text(item, "name", out, "name");
  copy_text(item, "title", out, "title");
  copy_text(item, "description", out, "description");
  copy_text(item, "mimeType", out, "mime_type");
  if (const auto size = integer_member(item, "size")) out["bytes"] = *size;
  return out;
}

Json described_resource(const Json& item) {
  Json out = {{"type", "resource"}};
  const Json* resource = member(item, "resource");
  if (resource == nullptr) return out;
  copy_text(*resource, "uri", out, "uri");
  copy_text(*resource, "mimeType", out, "mime_type");
  if (const auto text = text_member(*resource, "text")) {
    out["text"] = plain_text(*text, kResourceTextBytesMax);
    out["bytes"] = text->size();
  }
  if (const Json* blob = member(*resource, "blob"); blob && blob->is_string())
    out["bytes"] = decoded_bytes(blob->get_ref<const std::string&>());
  return out;
}

/// A text as it is; what isn't one, where one belongs, as JSON.
std::string text_of(const Json& item) {
  const Json* text = member(item, "text");
  if (text == nullptr) return "";
  return text->is_string() ? text->get<std::string>() : compact(*text);
}

Json described(const Json& item) {
  if (item.is_string()) return item;
  const std::string type = text_member(item, "type").value_or("unknown");
  if (type == "text") return text_of(item);
  if (type == "image" || type == "audio") return described_bytes(item, type);
  if (type == "resource_link") return described_link(item);
  if (type == "resource") return described_resource(item);
  Json out = {{"type", plain_text(type, kUriBytesMax)}};
  if (const std::string text = text_of(item); !text.empty())
    out["text"] = plain_text(text, kResourceTextBytesMax);
  return out;
}

/// One item each; of a server that sends one without a list, that one.
Json content_items(const Json& result) {
  Json items = Json::array();
  const Json* content = member(result, "content");
  if (content == nullptr || content->is_null()) return items;
  if (!content->is_array()) return Json::array({described(*content)});
  for (const Json& item : *content) {
    if (items.size() == kContentItemsMax) break;
    items.push_back(described(item));
  }
  if (content->size() > items.size())
    items.push_back({{"type", "omitted"}, {"items", content->size() - items.size()}});
  return items;
}

/// Texts alone are one text; anything else is a list.
Json put_together(const Json& items) {
  const auto is_text = [](const Json& item) { return item.is_string(); };
  if (items.empty() || !std::ranges::all_of(items, is_text)) return items;
  std::string text;
  for (const Json& item : items)
    text += (text.empty() ? "" : "\n") + item.get_ref<const std::string&>();
  return text;
}

/// JSON without the spaces between its parts.
std::string without_spaces(std::string_view json) {
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (!quoted && is_json_space(json[at])) continue;
    out += json[at];
    if (quoted && json[at] == '\\' && at + 1 < json.size())
      out += json[++at];
    else if (json[at] == '"')
      quoted = !quoted;
  }
  return out;
}

/// A value that items may say again. As it may be large and they may be many, it is made ready for
/// that once, and then costs no more than each of them has.
class Value {
 public:
  explicit Value(const Json& value) : value_(value) {}

  /// Whether an item is nothing but the value, as itself or as JSON.
  bool is_said_by(const Json& item) {
    if (!item.is_string()) return false;
    const auto& text = item.get_ref<const std::string&>();
    if (value_.is_string() && is_same_text(text)) return true;
    const auto parsed = parse_json(text);
    return parsed && is_same_value(*parsed);
  }

 private:
  /// Also of a text that isn't read as JSON.
  bool is_same_text(const std::string& text) {
    if (text == value_.get_ref<const std::string&>()) return true;
    if (json_shape(text).within_limits()) return false;
    if (!bare_) bare_ = without_spaces(value_.get_ref<const std::string&>());
    return text.size() >= bare_->size() && without_spaces(text) == *bare_;
  }

  /// Whatever the order of members is.
  bool is_same_value(const Json& other) {
    if (other.is_structured() != value_.is_structured() || other.size() != value_.size())
      return false;
    if (other.is_string() || value_.is_string()) return other == value_;
    if (!sorted_) sorted_ = value_;
    return nlohmann::json(other) == *sorted_;
  }

  const Json& value_;
  std::optional<std::string> bare_;
  std::optional<nlohmann::json> sorted_;
};

bool repeats(const Json& item, const Json& value) { return Value(value).is_said_by(item); }

/// Of a result that isn't an object SDKs make {"result": …}, and one text of each member of a list.
bool repeat_result(const Json& items, const Json& structured) {
  const Json* result = member(structured, "result");
  if (result == nullptr || structured.size() != 1) return false;
  if (items.size() == 1 && repeats(items.front(), *result)) return true;
  return result->is_array() && std::ranges::equal(items, *result, repeats);
}

/// Without the texts that structured content says again.
Json without_repeated(Json items, const Json& structured) {
  if (repeat_result(items, structured)) return Json::array();
  Json left = Json::array();
  Value value(structured);
  for (Json& item : items)
    if (!value.is_said_by(item) && item != "") left.push_back(std::move(item));
  return left;
}

/// None: there is none.
const Json* structured_content(const Json& result) {
  const Json* data = member(result, "structuredContent");
  return data == nullptr || data->is_null() ? nullptr : data;
}

Json data_of(const Json& result) {
  Json items = content_items(result);
  const Json* structured = structured_content(result);
  if (structured == nullptr) return put_together(items);
  items = without_repeated(std::move(items), *structured);
  if (items.empty()) return *structured;
  return {{"content", put_together(items)}, {"structured_content", *structured}};
}

bool kept_as_text(const Json& result) {
  const Json* meta = member(result, "_meta");
  return meta != nullptr && flag_member(*meta, kKeptAsText, false);
}

std::string reason_of(const Json& result) {
  Json items = content_items(result);
  const Json* structured = structured_content(result);
  if (structured != nullptr) items = without_repeated(std::move(items), *structured);
  const Json content = put_together(items);
  std::string text = content.is_string() ? content.get<std::string>() : compact(content);
  if (content.empty()) text.clear();
  if (structured != nullptr && !structured->empty())
    text += (text.empty() ? "" : "\n") + (kept_as_text(result) && structured->is_string()
                                              ? structured->get<std::string>()
                                              : compact(*structured));
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
  return blank ? "the tool failed and said nothing of why" : text;
}

}  // namespace

RawToolResult read_call_result(const Json& result) {
  RawToolResult out;
  if (kept_as_text(result)) out.note = kept_as_text_note();
  if (flag_member(result, "isError", false))
    out.error = ToolError{ToolErrorType::ExecutionError, "MCP_TOOL_ERROR",
                          plain_text(reason_of(result), kErrorBytesMax)};
  else
    out.data = compact(data_of(result));
  return out;
}

}  // namespace ba::mcp
