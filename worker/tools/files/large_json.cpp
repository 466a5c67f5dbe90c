// SPDX-License-Identifier: Apache-2.0
// LargeJson and its paths, of json_path.hpp.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/tools/files/json_path.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

/// Around it a result has a few more.
constexpr int kLevelsShown = kJsonDepthMax - 8;
/// What is said of a part instead of it.
constexpr std::int64_t kStandInBytes = 160;

bool within(const Json& value, int levels) {
  if (!value.is_structured()) return true;
  if (levels == 0) return value.empty();
  if (value.is_object() && value.size() > kJsonMembersMax) return false;
  return std::all_of(value.begin(), value.end(),
                     [levels](const Json& inner) { return within(inner, levels - 1); });
}

std::int64_t bytes_of(const Json& value) {
  return static_cast<std::int64_t>(dump_exact(value).size());
}

/// Its bytes, or, once these are more than `most`, a number above it: of a value that is too large
/// only so much is looked at, at whatever level that is found out.
std::int64_t bytes_up_to(const Json& value, std::int64_t most) {
  if (!value.is_structured() || value.empty()) return bytes_of(value);
  auto bytes = static_cast<std::int64_t>(value.size()) + 1;  // brackets, and commas between
  for (auto part = value.begin(); part != value.end() && bytes <= most; ++part) {
    if (value.is_object()) bytes += bytes_of(Json(part.key())) + 1;
    bytes += bytes_up_to(*part, most - bytes);
  }
  return bytes;
}

bool plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string described(const Json& value) {
  if (value.is_object()) return "an object of " + std::to_string(value.size()) + " members";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + " items";
  return value.is_string() ? "a text" : "a number";
}

std::int64_t longest_name(const Json& value) {
  std::size_t longest = 0;
  for (auto member = value.begin(); value.is_object() && member != value.end(); ++member)
    longest = std::max(longest, member.key().size());
  return static_cast<std::int64_t>(longest);
}

/// Whether its members are named "0", "1", "2", …
bool by_index(const Json& column) {
  std::size_t index = 0;
  for (auto member = column.begin(); member != column.end(); ++member)
    if (member.key() != std::to_string(index++)) return false;
  return true;
}

}  // namespace

bool LargeJson::shaped(const Json& value) const { return within(value, kLevelsShown); }

bool LargeJson::fits(const Json& value) const {
  return shaped(value) && bytes_up_to(value, bytes_max_) <= bytes_max_;
}

Json LargeJson::shown(const Json& value, const std::string& path) {
  return shown_within(value, kLevelsShown, bytes_max_, path);
}

Json LargeJson::shown_within(const Json& value, int levels, std::int64_t budget,
                             const std::string& path) {
  if (bytes_up_to(value, budget) <= budget && within(value, levels)) return value;
  if (!value.is_structured() || levels == 0) return stand_in(value, path);
  const std::int64_t share = budget / static_cast<std::int64_t>(value.size());
  const bool wide = value.is_object() && value.size() > kJsonMembersMax;
  if (wide || share < kStandInBytes || longest_name(value) > share) return stand_in(value, path);
  Json parts = value.is_array() ? Json::array() : Json::object();
  std::int64_t index = 0;
  for (auto part = value.begin(); part != value.end(); ++part) {
    if (value.is_array())
      parts.push_back(shown_within(*part, levels - 1, share, item_path(path, index++)));
    else
      parts[part.key()] = shown_within(*part, levels - 1, share, member_path(path, part.key()));
  }
  return parts;
}

Json LargeJson::stand_in(const Json& value, const std::string& path) {
  ++left_out_;
  Json left_out = {
      {"not_shown", described(value) + ", " + std::to_string(bytes_of(value)) + " bytes"}};
  if (!path.empty() && path.size() <= kJsonPathCharactersMax) left_out["json_path"] = path;
  return left_out;
}

std::string member_path(const std::string& path, std::string_view name) {
  if (path.empty()) return path;
  if (plain_name(name)) return path + "." + std::string(name);
  std::string quoted;
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return path + "['" + quoted + "']";
}

std::string item_path(const std::string& path, std::int64_t index) {
  return path.empty() ? path : path + "[" + std::to_string(index) + "]";
}

std::optional<Json> rows_by_column(const Json& value) {
  if (!value.is_object() || value.empty() || value.size() > kJsonMembersMax) return std::nullopt;
  const std::size_t count = value.begin()->is_object() ? value.begin()->size() : 0;
  if (count < 2) return std::nullopt;
  for (const Json& column : value)
    if (!column.is_object() || column.size() != count || !by_index(column)) return std::nullopt;
  Json rows(count, Json::object());
  for (auto column = value.begin(); column != value.end(); ++column) {
    auto row = rows.begin();
    for (const Json& cell : *column)  // distinct names: no search for each
      (row++)->get_ref<Json::object_t&>().emplace_back(column.key(), cell);
  }
  return rows;
}

}  // namespace ba::files
