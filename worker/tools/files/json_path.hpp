// SPDX-License-Identifier: Apache-2.0
#pragma once
// A place within JSON, as RFC 9535 (JSONPath) writes it, of which the selectors by name, by index
// and the wildcard are known: $.rows[0].name, $['two words'], $.rows[*].name, $.rows[-1]. A path
// with a wildcard gives the array of all that it meets. And what is shown of JSON that is too
// large. Pure; any thread.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::files {

/// An array that is not a tree: `at` makes one of an item.
struct JsonItems {
  std::int64_t total = 0;
  std::function<nlohmann::ordered_json(std::int64_t)> at;
};

/// What is at that place. InvalidArgument for a path that can't be read, NotFound for one that
/// leads nowhere; messages are for a model and say what there is instead.
Result<nlohmann::ordered_json> select_json(const nlohmann::ordered_json& document,
                                           std::string_view path);

/// The same of an array, of which only the items that are met become trees.
Result<nlohmann::ordered_json> select_json(const JsonItems& array, std::string_view path);

/// Levels of a file's JSON; its outer ones are shown, the others are reached by json_path.
inline constexpr int kFileJsonDepthMax = 1000;
/// Of the json_path that a call may give.
inline constexpr std::size_t kJsonPathCharactersMax = 1024;

/// What is shown of JSON that is too large, too wide or too deep for one result: each part that
/// doesn't fit is left out, and says how it is read.
class LargeJson {
 public:
  /// `bytes_max`: of what is shown of one value.
  explicit LargeJson(std::int64_t bytes_max) : bytes_max_(bytes_max) {}

  /// Whether it is neither too wide nor too deep.
  bool shaped(const nlohmann::ordered_json& value) const;

  /// Whether all of it can be shown.
  bool fits(const nlohmann::ordered_json& value) const;

  /// The value, with {"not_shown": "an array of 9 items, 12345 bytes", "json_path": "$.a"} for what
  /// doesn't fit. `path`: of the value; empty where no path can name it.
  nlohmann::ordered_json shown(const nlohmann::ordered_json& value, const std::string& path);

  std::int64_t left_out() const { return left_out_; }

 private:
  nlohmann::ordered_json shown_within(const nlohmann::ordered_json& value, int levels,
                                      std::int64_t budget, const std::string& path);
  nlohmann::ordered_json stand_in(const nlohmann::ordered_json& value, const std::string& path);

  std::int64_t bytes_max_;
  std::int64_t left_out_ = 0;
};

/// The path of a member or an item of what is at `path`; empty stays empty.
std::string member_path(const std::string& path, std::string_view name);
std::string item_path(const std::string& path, std::int64_t index);

/// The rows of a table that is kept by column and then by row, {"a": {"0": 1, "1": 2}, "b": …},
/// which is how pandas writes one when it isn't told otherwise. None: it isn't one.
std::optional<nlohmann::ordered_json> rows_by_column(const nlohmann::ordered_json& value);

}  // namespace ba::files
