#pragma once
// SPDX-License-Identifier: Apache-2.0
// The filters of script texts, one value in, one out. Pure functions.

#include <optional>
#include <string>
#include <string_view>

namespace ba::scripted {

/// Whether there is such a filter: regex, json, trim, hash, plus, minus, times, divide, round,
/// default.
bool is_filter(std::string_view name);

/// None: the value has nothing that the filter looks for, or isn't a number where one is needed.
std::optional<std::string> apply_filter(std::string_view name, const std::string& argument,
                                        std::string value);

}  // namespace ba::scripted
