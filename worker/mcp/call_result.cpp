// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/call_result.hpp"

#include <algorithm>

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

Json described(const Json& item) {
  const std::string type = text_member(item, "type").value_or("unknown");
  if (type == "text") return text_member(item, "text").value_or("");
  if (type == "image" || type == "audio") return described_bytes(item, type);
  if (type == "resource_link") return described_link(item);
  if (type == "resource") return described_resource(item);
  return {{"type", plain_text(type, kUriBytesMax)}};
}

/// Texts alone are one text; anything else is a list.
Json described_content(const Json& result) {
  Json items = Json::array();
  const Json* content = member(result, "content");
  if (content == nullptr || !content->is_array()) return items;
  bool texts_only = true;
  for (const Json& item : *content) {
    if (items.size() == kContentItemsMax) break;
    items.push_back(described(item));
    texts_only = texts_only && items.back().is_string();
  }
  if (content->size() > items.size()) {
    items.push_back({{"type", "omitted"}, {"items", content->size() - items.size()}});
    texts_only = false;
  }
  if (!texts_only || items.empty()) return items;
  std::string text;
  for (const Json& item : items)
    text += (text.empty() ? "" : "\n") + item.get_ref<const std::string&>();
  return text;
}

}  // namespace

RawToolResult read_call_result(const Json& result) {
  RawToolResult out;
  if (!flag_member(result, "isError", false)) {
    const Json* data = member(result, "structuredContent");
    const bool structured = data != nullptr && !data->is_null();
    out.data = compact(structured ? *data : described_content(result));
    return out;
  }
  const Json content = described_content(result);
  std::string text = content.is_string() ? content.get<std::string>() : compact(content);
  if (content.empty()) text = "the tool failed and said nothing of why";
  out.error =
      ToolError{ToolErrorType::ExecutionError, "MCP_TOOL_ERROR", plain_text(text, kErrorBytesMax)};
  return out;
}

}  // namespace ba::mcp
