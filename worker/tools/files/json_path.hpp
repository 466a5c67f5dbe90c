#pragma once
// SPDX-License-Identifier: Apache-2.0
// A place within JSON, as RFC 9535 (JSONPath) writes it, of which the selectors by name, by index
// and the wildcard are known: $.rows[0].name, $['two words'], $.rows[*].name, $.rows[-1]. A path
// with a wildcard gives the array of all that it meets. Pure; any thread.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

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

}  // namespace ba
