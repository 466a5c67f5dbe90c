// SPDX-License-Identifier: Apache-2.0
// parse_bounded_message() of json.hpp. Nothing here recurses deeper than a message's own parts.

#include <algorithm>
#include <array>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {
namespace {

// Levels of a message: itself, its result, that one's members, items of the content or the tools,
// their members.
constexpr int kMessage = 0;
constexpr int kResult = 1;
constexpr int kMember = 2;
constexpr int kItem = 3;
constexpr int kItemMember = 4;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The place of the quote that ends the string which begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

/// Calls `take` with the name (as it is written; empty in an array) and the text of each part of an
/// object or array, which is known to be JSON.
template <typename Take>
void each_part(std::string_view container, Take take) {
  const bool object = container.front() == '{';
  std::string_view name;
  std::size_t begin = 1;
  int depth = 0;
  for (std::size_t at = 1; at < container.size(); ++at) {
    const char c = container[at];
    const bool end = depth == 0 && (c == ',' || c == ']' || c == '}');
    if (end) {
      const std::string_view value = trimmed(container.substr(begin, at - begin));
      if (!value.empty()) take(name, value);
      begin = at + 1;
    } else if (c == '"') {
      at = string_end(container, at);
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ':' && depth == 0 && object) {
      name = trimmed(container.substr(begin, at - begin));
      begin = at + 1;
    }
  }
}

std::string name_in(std::string_view written) {
  return nlohmann::json::parse(written).get<std::string>();
}

bool too_wide(std::string_view object) {
  std::size_t members = 0;
  each_part(object, [&](std::string_view, std::string_view) { ++members; });
  return members > kJsonMembersMax;
}

/// Whether what has this name at this level is read by its parts. Others have a meaning only as a
/// whole.
bool has_parts(std::string_view text, int level, std::string_view name) {
  if (text.front() == '[') return level == kMember && (name == "content" || name == "tools");
  if (text.front() != '{') return false;
  const bool known = level == kMessage || level == kResult || level == kItem ||
                     (level == kMember && name == "content") ||
                     (level == kItemMember && name == "resource");
  return known && !too_wide(text);
}

class Reading {
 public:
  Json message(std::string_view text) {
    static constexpr std::array<std::string_view, 5> kRead{"id", "method", "params", "result",
                                                           "error"};
    Json out = Json::object();
    each_part(text, [&](std::string_view written, std::string_view value) {
      const std::string name = name_in(written);
      if (std::ranges::find(kRead, name) == kRead.end()) return;
      out[name] = name == "result" ? result(value) : part(value, kResult, name);
    });
    return out;
  }

 private:
  Json result(std::string_view text) {
    kept_ = false;
    Json out = part(text, kResult, "result");
    if (!kept_ && out.is_object() && out.contains("_meta") && out["_meta"].is_object())
      out["_meta"].erase(kKeptAsText);  // a server's word for it is none
    if (!kept_) return out;
    if (!out.is_object()) out = text_result(text);
    if (member(out, "_meta") == nullptr || !out["_meta"].is_object()) out["_meta"] = Json::object();
    out["_meta"][kKeptAsText] = true;
    return out;
  }

  /// Whether the call failed is known of a result of any width.
  static Json text_result(std::string_view text) {
    Json out = {{"content", std::string(text)}};
    if (text.front() != '{') return out;
    each_part(text, [&](std::string_view written, std::string_view value) {
      if (name_in(written) == "isError") out["isError"] = value == "true";
    });
    return out;
  }

  Json part(std::string_view text, int level, std::string_view name) {
    const JsonShape shape = json_shape(text);
    if (shape.depth <= kJsonDepthMax - level && shape.members <= kJsonMembersMax) {
      Json value = parse_exact<Json>(text);
      if (!value.is_discarded()) return value;
    }
    if (has_parts(text, level, name)) return by_parts(text, level, name);
    if (name != "_meta") kept_ = true;
    return std::string(text);
  }

  Json by_parts(std::string_view text, int level, std::string_view name) {
    const bool list = text.front() == '[';
    // The one item of a server that sends no list is a level further in.
    const int inner = !list && level == kMember && name == "content" ? kItemMember : level + 1;
    Json out = list ? Json::array() : Json::object();
    each_part(text, [&](std::string_view written, std::string_view value) {
      if (list) return out.push_back(part(value, inner, ""));
      const std::string key = name_in(written);
      out[key] = part(value, inner, key);
    });
    return out;
  }

  bool kept_ = false;
};

}  // namespace

std::optional<Json> parse_bounded_message(std::string_view text) {
  text = trimmed(text);
  const bool whole = text.find('\0') == std::string_view::npos;
  if (!whole || !text.starts_with('{') || !accept_exact(text)) return std::nullopt;
  return Reading().message(text);
}

}  // namespace ba::mcp
