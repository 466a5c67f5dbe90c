#pragma once
// SPDX-License-Identifier: Apache-2.0
// The data in a tool's result as a model reads it: JSON, or a table as `compact` writes it (a line
// `[2]{name,n}:`, then one a row). What stands below, such as a note, is passed over. Pure, any
// thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ba::scripted {

/// None: it is neither.
std::optional<nlohmann::json> observed_data(const std::string& text);

}  // namespace ba::scripted
